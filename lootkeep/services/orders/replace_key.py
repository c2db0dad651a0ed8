"""Replaces a key that does not work."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.kernel.errors import Conflict, NotFound, existing
from lootkeep.services import goods
from lootkeep.services.orders import _details
from lootkeep.storage.goods import keys as keys_db
from lootkeep.storage.products import rows as products_db


async def replace_key(deps: Deps, order_id: int, item_id: int, key_id: int, reason: str) -> int:
    """Gives the line another key and remembers both; returns the id of the new one."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        details = await _details.lock(tx, order_id)
        line = existing(next((line for line in details.items if line.id == item_id), None), "Order item")
        before = await keys_db.ROWS.lock(tx, key_id)
        if before is None or before.item_id != item_id:
            raise NotFound("Key")
        if before.status != "assigned":
            raise Conflict(f"key_{before.status}", f"This key is {before.status} and cannot be replaced.")
        assigned = await keys_db.assign(tx, line, 1, now)
        left = await products_db.take_unreserved(tx, line.product_id) if assigned else None
        if left is None:
            # Every other key is reserved by an order.
            raise Conflict("no_keys_left", "There is no other key left in stock. Add keys first.")
        after = replace(before, status="replaced", ended_at=now, replaced_by_id=assigned[0], replace_reason=reason)
        await keys_db.save(tx, before, after)
        product = await products_db.ROWS.get(tx, line.product_id)
        if product:
            await goods.report_if_low(tx, product, left, 1, now)
    return assigned[0]
