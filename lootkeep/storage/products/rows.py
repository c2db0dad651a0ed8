"""Products: their slugs and skus, which are unique, and their stock, which is never oversold."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from sqlalchemy import BigInteger, bindparam, case, delete, insert, or_, select, update

from lootkeep.domain.products import MAX_STOCK, Product
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows
from lootkeep.storage.schema import product_tags, products, subscriptions

_ALIVE = products.c.deleted_at.is_(None)
ROWS = Rows(products, Product, _ALIVE, derived=("search_text",), totals="products")

_THIS = products.c.id == bindparam("product_id")
# The sku may be reused; the slug may not, so an old link never leads elsewhere.
_REMOVE = Query(
    update(products).where(_THIS).values(sku=None, deleted_at=bindparam("now"), updated_at=bindparam("now"))
)
_WITH_SKU = Query(select(products.c.id).where(products.c.sku == bindparam("wanted_sku")))
_SLUGS_LIKE = Query(select(products.c.slug).where(products.c.slug.like(bindparam("pattern"))))

_QUANTITY = bindparam("quantity", type_=BigInteger)
_RESERVE = Query(
    update(products)
    .where(_THIS, _ALIVE, or_(products.c.stock.is_(None), products.c.stock >= _QUANTITY))
    .values(stock=products.c.stock - _QUANTITY)
    .returning(products.c.stock)
)
# A stock that was set meanwhile must not exceed the maximum.
_RELEASED = products.c.stock + _QUANTITY
_RELEASE = Query(update(products).where(_THIS).values(stock=case((_RELEASED > MAX_STOCK, MAX_STOCK), else_=_RELEASED)))
# Not as a set: PostgreSQL would lock the products in another order.
_SOLD = Query(update(products).where(_THIS).values(sales_count=products.c.sales_count + _QUANTITY))
_SUBSCRIBED = Query(
    select(subscriptions.c.id)
    .where(subscriptions.c.product_id == bindparam("product_id"), subscriptions.c.status == "active")
    .limit(1)
)

_TAG = Query(
    insert(product_tags).values(tag=bindparam("word"), product_id=bindparam("product_id")).inline(), set_based=True
)
_UNTAG = Query(delete(product_tags).where(product_tags.c.product_id == bindparam("product_id")))


async def add(tx: Transaction, product: Product) -> Product | None:
    """With its tags; None if another product has its slug or its sku."""
    added = await ROWS.add_if_free(tx, product)
    if added is not None:
        await _tag(tx, added)
    return added


async def save(tx: Transaction, before: Product, after: Product) -> Product:
    """With its tags."""
    await ROWS.save(tx, before, after)
    if after.tags != before.tags:
        await tx.run(_UNTAG, product_id=before.id)
        await _tag(tx, after)
    return after


async def remove(tx: Transaction, product: Product, now: Instant) -> None:
    """Hides the product; orders keep its name."""
    await tx.run(_REMOVE, product_id=product.id, now=now)
    await tx.run(_UNTAG, product_id=product.id)
    tx.totals.count("products", product, None)


async def reserve_stock(tx: Transaction, product_id: int, quantity: int) -> bool | None:
    """Whether stock was taken, or None if there is too little, or the product does not exist any more.

    Holds the product until the transaction ends.
    """
    left = await tx.one(_RESERVE, product_id=product_id, quantity=quantity)
    return None if left is None else left[0] is not None


async def release_stock(tx: Transaction, product_id: int, quantity: int) -> None:
    await tx.run(_RELEASE, product_id=product_id, quantity=quantity)


async def add_sales(tx: Transaction, quantities: Mapping[int, int]) -> None:
    """The number sold of each product, in the given order."""
    rows = [{"product_id": product_id, "quantity": quantity} for product_id, quantity in quantities.items()]
    await tx.execute_many(_SOLD, rows)


async def has_active_subscriptions(tx: Transaction, product_id: int) -> bool:
    return await tx.one(_SUBSCRIBED, product_id=product_id) is not None


async def _tag(tx: Transaction, product: Product) -> None:
    words = msgspec.json.decode(product.tags, type=list[str])
    if words:
        await tx.execute_many(_TAG, [{"word": word, "product_id": product.id} for word in words])


async def claim_sku(tx: Transaction, sku: str) -> bool:
    """False if a product has it, or is about to get it in a transaction that is still open."""
    return await lock_sku(tx, sku) and not await has_sku(tx, sku)


async def lock_sku(tx: Transaction, sku: str) -> bool:
    """A change of a product cannot leave the constraint to decide, as a new product can."""
    return await tx.lock(f"product sku {sku}")


async def has_sku(tx: Transaction, sku: str) -> bool:
    return await tx.one(_WITH_SKU, wanted_sku=sku) is not None


async def slugs_like(tx: Transaction, start: str) -> set[str]:
    return {slug for (slug,) in await tx.all(_SLUGS_LIKE, pattern=start + "%")}
