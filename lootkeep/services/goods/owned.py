"""What orders have handed over: for the store with its values, for staff without."""

from __future__ import annotations

from dataclasses import dataclass

from lootkeep.deps import Deps
from lootkeep.domain.disputes import is_disputed
from lootkeep.domain.goods import KEY_PURPOSE, Good, goods_of
from lootkeep.domain.orders import OrderDetails
from lootkeep.kernel.errors import existing
from lootkeep.kernel.paging import PageRequest
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import owned as owned_db, pages as pages_db
from lootkeep.storage.orders import details as order_details_db, disputes as disputes_db, rows as orders_db


@dataclass(frozen=True)
class OrderGoods:
    """An order with what it has handed over."""

    details: OrderDetails
    goods: list[Good]
    is_disputed: bool

    @property
    def is_fraud(self) -> bool:
        """Whether a reviewer has confirmed that the order is fraud."""
        return self.details.check is not None and self.details.check.review_outcome == "fraud"

    @property
    def is_shown(self) -> bool:
        """Whether keys and files are handed over: not after a refund, while it is disputed, or once it was fraud."""
        is_stopped = self.is_disputed or self.is_fraud or self.details.order.status == "refunded"
        return self.details.order.paid_at is not None and not is_stopped


async def of_order(deps: Deps, order_id: int) -> list[Good]:
    async with deps.db.read() as tx:
        existing(await orders_db.ROWS.get(tx, order_id), "Order")
        return goods_of(await owned_db.of_order(tx, order_id), deps.clock.now())


async def with_goods(deps: Deps, tx: Transaction, details: OrderDetails) -> OrderGoods:
    goods = goods_of(await owned_db.of_order(tx, details.order.id), deps.clock.now())
    return OrderGoods(details, goods, is_disputed(await disputes_db.of_order(tx, details.order.id)))


async def hand_to_store(deps: Deps, order_id: int) -> list[tuple[Good, str | None]]:
    """Each with its value: what the store reads is recorded."""
    async with deps.db.read() as tx:
        order = await with_goods(deps, tx, existing(await order_details_db.get(tx, order_id), "Order"))
    goods = [(good, value_of(deps, order, good)) for good in order.goods]
    handed = {good.item_id for good, value in goods if value is not None}
    if any(item.id in handed and item.handed_at is None for item in order.details.items):
        async with deps.db.write(single=True) as tx:
            await owned_db.mark_handed(tx, handed, deps.clock.now())
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


def value_of(deps: Deps, order: OrderGoods, good: Good) -> str | None:
    """The key, or the URL of the file; None unless it is delivered, and the buyer may see it."""
    if not order.is_shown:
        return None
    return good.url if good.sealed_key is None else deps.vault.open(good.sealed_key, KEY_PURPOSE)
