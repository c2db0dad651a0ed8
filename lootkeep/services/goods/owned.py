"""What orders have handed over: for the store with its values, for staff without."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain.disputes import is_disputed
from lootkeep.domain.goods import KEY_PURPOSE, Good, goods_of
from lootkeep.kernel.errors import existing
from lootkeep.kernel.paging import PageRequest
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.goods import owned as owned_db, pages as pages_db
from lootkeep.storage.orders import disputes as disputes_db, rows as orders_db


async def of_order(deps: Deps, order_id: int) -> list[Good]:
    async with deps.db.read() as tx:
        existing(await orders_db.ROWS.get(tx, order_id), "Order")
        return goods_of(await owned_db.of_order(tx, order_id), deps.clock.now())


async def hand_to_store(deps: Deps, order_id: int) -> list[tuple[Good, str | None]]:
    """Each with its value: what the store reads is recorded, and hidden while a dispute is open."""
    now = deps.clock.now()
    async with deps.db.read() as tx:
        existing(await orders_db.ROWS.get(tx, order_id), "Order")
        lines = await owned_db.of_order(tx, order_id)
        is_hidden = is_disputed(await disputes_db.of_order(tx, order_id))
    goods = [(good, None if is_hidden else value_of(deps, good)) for good in goods_of(lines, now)]
    handed = {good.item_id for good, value in goods if value is not None}
    if any(line.item.id in handed and line.item.handed_at is None for line in lines):
        async with deps.db.write(single=True) as tx:
            await owned_db.mark_handed(tx, order_id, now)
    return goods


async def of_customer(
    deps: Deps, customer_id: int, is_active: bool | None, page: PageRequest
) -> tuple[list[Good], int]:
    """A page of the goods of all orders, newest first, and how many there are."""
    now = deps.clock.now()
    async with deps.db.read(slow=True) as tx:
        existing(await customers_db.ROWS.get(tx, customer_id), "Customer")
        pieces, total = await pages_db.page(tx, customer_id, is_active, page, now)
        goods = goods_of(await owned_db.of_orders(tx, set(pieces.values())), now) if pieces else []
    by_piece = {good.piece: good for good in goods}
    return [by_piece[piece] for piece in pieces], total


def value_of(deps: Deps, good: Good) -> str | None:
    return good.url if good.sealed_key is None else deps.vault.open(good.sealed_key, KEY_PURPOSE)
