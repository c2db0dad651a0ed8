"""Products: their slugs and skus, which are unique, and their stock, which is never oversold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import BigInteger, bindparam, case, delete, literal_column, or_, select, update

from lootkeep.domain.orders import OPEN
from lootkeep.domain.products import MAX_STOCK, Product
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import OnAnswer, Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of, insertion
from lootkeep.storage.schema import order_items as items, orders, product_keys, product_tags, products, subscriptions

_ALIVE = products.c.deleted_at.is_(None)
ROWS = Rows(products, Product, _ALIVE, derived=("search_text",), totals="products")

_THIS = products.c.id == bindparam("product_id")
# The sku may be reused; the slug may not, so an old link never leads elsewhere.
_REMOVE = Query(
    update(products).where(_THIS).values(sku=None, deleted_at=bindparam("now"), updated_at=bindparam("now"))
)
# Sales change it meanwhile: they do not change its key.
_GET_UNDELETABLE = Query(
    select(*columns_of(products, Product)).where(_THIS, _ALIVE).with_for_update(read=True, key_share=True), Product
)
_LOCK_STOCK = Query(select(products.c.id).where(_THIS).with_for_update(key_share=True))
_WITH_FILE = Query(select(products.c.id).where(_THIS, products.c.file_url.is_not(None)))
_WITH_SKU = Query(select(products.c.id).where(products.c.sku == bindparam("wanted_sku")))
_SLUGS_LIKE = Query(select(products.c.slug).where(products.c.slug.like(bindparam("pattern"))))

_QUANTITY = bindparam("quantity", type_=BigInteger)


def _sellable(available: Any = products.c.keys_available, reserved: Any = products.c.keys_reserved) -> Any:
    """The stock of a product with keys."""
    return case((available > reserved, available - reserved), else_=0)


_RESERVE = Query(
    update(products)
    .where(_THIS, _ALIVE, or_(products.c.stock.is_(None), products.c.stock >= _QUANTITY))
    .values(stock=products.c.stock - _QUANTITY, keys_reserved=products.c.keys_reserved + _QUANTITY)
    .returning(products.c.stock)
)
# A stock that was set meanwhile must not exceed the maximum.
_RELEASED = products.c.stock + _QUANTITY
_RELEASE = Query(
    update(products)
    .where(_THIS)
    .values(
        stock=case(
            (products.c.keys_available.is_not(None), _sellable(reserved=products.c.keys_reserved - _QUANTITY)),
            (_RELEASED > MAX_STOCK, MAX_STOCK),
            else_=_RELEASED,
        ),
        keys_reserved=products.c.keys_reserved - _QUANTITY,
    )
)
_ASSIGNED = bindparam("assigned", type_=BigInteger)
# A key that was reserved leaves the stock when it is sold: what can be sold stays the same.
_HANDED_OVER = {
    "keys_available": products.c.keys_available - _ASSIGNED,
    "keys_reserved": products.c.keys_reserved - _ASSIGNED,
}
# Not as a set: PostgreSQL would lock the products in another order.
_SOLD = Query(
    update(products).where(_THIS).values(sales_count=products.c.sales_count + _QUANTITY, **_HANDED_OVER), in_order=True
)
_HAND_OVER = Query(update(products).where(_THIS).values(_HANDED_OVER))
_CHANGE_KEYS = Query(
    update(products)
    .where(_THIS)
    .values(
        keys_available=products.c.keys_available + _QUANTITY,
        stock=_sellable(available=products.c.keys_available + _QUANTITY),
    )
    .returning(products.c.stock)
)
# Only a key that no order waits for.
_TAKE_UNRESERVED = Query(
    update(products)
    .where(_THIS, products.c.stock >= 1)
    .values(keys_available=products.c.keys_available - 1, stock=products.c.stock - 1)
    .returning(products.c.stock)
)
_UNDELIVERED = Query(
    select(items.c.id)
    .join(orders, orders.c.id == items.c.order_id)
    .where(
        items.c.product_id == bindparam("product_id"),
        items.c.fulfilled_quantity < items.c.quantity,
        orders.c.status.in_([literal_column(f"'{status}'") for status in OPEN]),
    )
    .limit(1)
)
_WITH_KEYS = Query(select(product_keys.c.id).where(product_keys.c.product_id == bindparam("product_id")).limit(1))
_SUBSCRIBED = Query(
    select(subscriptions.c.id)
    .where(subscriptions.c.product_id == bindparam("product_id"), subscriptions.c.status == "active")
    .limit(1)
)

_TAG = insertion(product_tags, "tag", "product_id", set_based=True)
_UNTAG = Query(delete(product_tags).where(product_tags.c.product_id == bindparam("product_id")))


class Reservation(NamedTuple):
    """What is left of a stock after some of it was taken; None if it is unlimited, and nothing was taken."""

    left: int | None

    @property
    def holds_stock(self) -> bool:
        return self.left is not None


async def add(tx: Transaction, product: Product) -> Product | None:
    """With its tags; None if another product has its slug or its sku."""
    stored = await ROWS.add_if_free(tx, product)
    if stored is not None:
        await _tag(tx, stored)
    return stored


async def save(tx: Transaction, before: Product, after: Product) -> Product:
    """With its tags."""
    await ROWS.save(tx, before, after)
    if after.tags != before.tags:
        await tx.run(_UNTAG, product_id=before.id)
        await _tag(tx, after)
    return after


async def get_undeletable(tx: Transaction, product_id: int) -> Product | None:
    """Until the transaction ends it is neither deleted nor edited, but sold."""
    return await tx.one(_GET_UNDELETABLE, product_id=product_id)


async def remove(tx: Transaction, product: Product, now: Instant) -> None:
    """Hides the product; orders keep its name."""
    await tx.run(_REMOVE, product_id=product.id, now=now)
    await tx.run(_UNTAG, product_id=product.id)
    tx.totals.count("products", product, None)


async def lock_stocks(tx: Transaction, product_ids: Iterable[int]) -> None:
    """As by taking some of each, in the order of their ids."""
    await tx.fetch_for_each(_LOCK_STOCK, [{"product_id": product_id} for product_id in sorted(product_ids)])


async def reserve_stock(tx: Transaction, product_id: int, quantity: int) -> Reservation | None:
    """None if there is too little, or the product does not exist any more.

    Holds the product until the transaction ends.
    """
    left = await tx.one(_RESERVE, product_id=product_id, quantity=quantity)
    return None if left is None else Reservation(left[0])


async def take_stock(tx: Transaction, product_id: int, quantity: int, error: Exception, on_answer: OnAnswer) -> None:
    """With the other writes of the transaction, which fails with the error if there is too little.

    The answer is what is left; None if the stock is unlimited, and nothing was taken.
    """
    await tx.require(_RESERVE, error, on_answer, product_id=product_id, quantity=quantity)


async def release_stock(tx: Transaction, product_id: int, quantity: int) -> None:
    await tx.run(_RELEASE, product_id=product_id, quantity=quantity)


async def add_sales(tx: Transaction, quantities: Mapping[int, int], assigned: Mapping[int, int]) -> None:
    """The number sold of each product, in the given order, and how many of its keys were assigned."""
    rows = [
        {"product_id": product_id, "quantity": quantity, "assigned": assigned.get(product_id, 0)}
        for product_id, quantity in quantities.items()
    ]
    await tx.execute_many(_SOLD, rows)


async def hand_over(tx: Transaction, product_id: int, assigned: int) -> None:
    """Keys that a paid line waited for."""
    await tx.run(_HAND_OVER, product_id=product_id, assigned=assigned)


async def change_keys(tx: Transaction, product_id: int, quantity: int) -> int:
    """More keys, or fewer: returns the stock."""
    ((stock,),) = await tx.all(_CHANGE_KEYS, product_id=product_id, quantity=quantity)
    return int(stock)


async def take_unreserved(tx: Transaction, product_id: int) -> int | None:
    """Takes a key from the stock; returns what is left, or None if every key is reserved."""
    row = await tx.one(_TAKE_UNRESERVED, product_id=product_id)
    return row[0] if row else None


async def with_file(tx: Transaction, product_ids: Iterable[int]) -> set[int]:
    """Those whose file has a URL, also deleted ones: what was ordered is handed over."""
    rows = await tx.fetch_for_each(_WITH_FILE, [{"product_id": product_id} for product_id in sorted(product_ids)])
    return {product_id for (product_id,) in rows}


async def has_keys(tx: Transaction, product_id: int) -> bool:
    return await tx.one(_WITH_KEYS, product_id=product_id) is not None


async def has_undelivered(tx: Transaction, product_id: int) -> bool:
    """Whether a line of an order still waits for its payment or its delivery."""
    return await tx.one(_UNDELIVERED, product_id=product_id) is not None


async def has_active_subscriptions(tx: Transaction, product_id: int) -> bool:
    return await tx.one(_SUBSCRIBED, product_id=product_id) is not None


async def _tag(tx: Transaction, product: Product) -> None:
    tags = msgspec.json.decode(product.tags, type=list[str])
    if tags:
        await tx.execute_many(_TAG, [{"tag": tag, "product_id": product.id} for tag in tags])


async def wait_for_skus(tx: Transaction, skus: Iterable[str | None]) -> None:
    """Waits for transactions that give one of these to a product; a change of one cannot leave it to the constraint."""
    names = [_sku_name(sku) for sku in skus if sku is not None]
    if names:
        await tx.wait_for(*names)


async def claim_sku(tx: Transaction, sku: str) -> bool:
    """False if a product has it, or is about to get it in a transaction that is still open."""
    return await tx.lock(_sku_name(sku)) and not await has_sku(tx, sku)


def _sku_name(sku: str) -> str:
    return f"product sku {sku}"


async def has_sku(tx: Transaction, sku: str) -> bool:
    return await tx.one(_WITH_SKU, wanted_sku=sku) is not None


async def slugs_like(tx: Transaction, start: str) -> set[str]:
    return {slug for (slug,) in await tx.all(_SLUGS_LIKE, pattern=start + "%")}
