"""Serves paid lines that wait for keys, oldest first, as soon as there are keys."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.fulfilment import delivered
from lootkeep.domain.order_items import OrderItem
from lootkeep.kernel.clock import Instant
from lootkeep.services.orders import _delivery, _details
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import keys as keys_db, waiting as waiting_db
from lootkeep.storage.products import rows as products_db

# How many orders one transaction serves; the worker serves the rest.
_MAX_SERVED = 50


async def lock_waiting(tx: Transaction, product_id: int) -> list[int]:
    """The next orders to serve, locked before anything else: the lock order of a payment."""
    return await waiting_db.lock_orders(tx, product_id, _MAX_SERVED)


async def serve(tx: Transaction, product_id: int, order_ids: Sequence[int], now: Instant) -> None:
    """Gives available keys to the waiting lines of these locked orders."""
    for order_id in order_ids:
        details = await _details.load(tx, order_id)
        lines = [
            await _serve_line(tx, line, now)
            if line.product_id == product_id and line.waiting_since is not None
            else line
            for line in details.items
        ]
        if lines == details.items:
            # There are no more keys.
            return
        await _delivery.deliver(tx, details, replace(details.order, updated_at=now), lines)


async def serve_all(deps: Deps) -> None:
    """Lines that still wait although there are keys: more than one transaction serves, or a withdrawal that failed."""
    async with deps.db.read() as tx:
        products = await waiting_db.servable_products(tx)
    for product_id in products:
        async with deps.db.write() as tx:
            await serve(tx, product_id, await lock_waiting(tx, product_id), deps.clock.now())


async def _serve_line(tx: Transaction, line: OrderItem, now: Instant) -> OrderItem:
    assigned = await keys_db.assign(tx, line, line.missing, now)
    if not assigned:
        return line
    await products_db.hand_over(tx, line.product_id, len(assigned))
    return delivered(line, len(assigned), now)
