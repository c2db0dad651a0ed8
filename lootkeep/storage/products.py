"""Products: their slugs and skus, which are unique, and their stock, which is never oversold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from sqlalchemy import BigInteger, bindparam, case, delete, insert, or_, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.domain import products as products_rules
from lootkeep.domain.products import Product, ProductTerms
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import product_tags, products, subscriptions

_PRODUCT = [products.c[name] for name in Product.__struct_fields__]
_TERMS: dict[str, Any] = {name: bindparam(name) for name in ProductTerms.__struct_fields__}
_THIS = products.c.id == bindparam("product_id")
_ALIVE = products.c.deleted_at.is_(None)

_GET = Query(select(*_PRODUCT).where(_THIS, _ALIVE), Product)
_LOCK = Query(select(*_PRODUCT).where(_THIS, _ALIVE).with_for_update(), Product)
# ON CONFLICT reads the same in both dialects; SQLAlchemy spells it in the dialect modules only.
_ADD = Query(
    postgresql.insert(products)
    .values(
        **_TERMS,
        slug=bindparam("slug"),
        sales_count=0,
        search_text=bindparam("search_text"),
        created_at=bindparam("now"),
        updated_at=bindparam("now"),
    )
    .on_conflict_do_nothing()
    .returning(*_PRODUCT),
    Product,
)
_SET = Query(
    update(products)
    .where(_THIS)
    .values(**_TERMS, search_text=bindparam("search_text"), updated_at=bindparam("now"))
    .returning(*_PRODUCT),
    Product,
)
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
_RELEASE = Query(
    update(products)
    .where(_THIS)
    .values(stock=case((_RELEASED > products_rules.MAX_STOCK, products_rules.MAX_STOCK), else_=_RELEASED))
)
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

# Longer than any number at the end of a slug.
_MAX_SUFFIX = 12


async def get(tx: Transaction, product_id: int) -> Product | None:
    return await tx.one(_GET, product_id=product_id)


async def get_many(tx: Transaction, product_ids: Collection[int]) -> dict[int, Product]:
    """By id; unknown ids are missing."""
    rows = await tx.fetch_for_each(_GET, [{"product_id": product_id} for product_id in sorted(set(product_ids))])
    return {product.id: product for product in rows}


async def get_for_update(tx: Transaction, product_id: int) -> Product | None:
    """Locked against other writers until the transaction ends."""
    return await tx.one(_LOCK, product_id=product_id)


async def add(tx: Transaction, terms: ProductTerms, now: Instant) -> Product | None:
    """The product with the slug of its name, numbered if it is taken; None if another product has its sku."""
    if terms.sku is not None and not await _lock_sku(tx, terms.sku):
        return None
    base_slug = slug = products_rules.slug_of(terms.name)
    while True:
        product = await tx.one(_ADD, **_values(terms), slug=slug, now=now)
        if product is not None:
            await _tag(tx, product)
            return product
        if terms.sku is not None and await _has_sku(tx, terms.sku):
            return None
        # Another transaction may take the same free slug: the constraint decides, and we try again.
        slug = await _free_slug(tx, base_slug)


async def set_terms(tx: Transaction, before: Product, after: Product, now: Instant) -> Product:
    """Saves the new terms. The slug does not change, so links keep working."""
    (product,) = await tx.all(_SET, **_values(after), product_id=before.id, now=now)
    if after.tags != before.tags:
        await tx.run(_UNTAG, product_id=before.id)
        await _tag(tx, product)
    return product


async def remove(tx: Transaction, product_id: int, now: Instant) -> None:
    """Hides the product; orders keep its name."""
    await tx.run(_REMOVE, product_id=product_id, now=now)
    await tx.run(_UNTAG, product_id=product_id)


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
    return await _lock_sku(tx, sku) and not await _has_sku(tx, sku)


async def _lock_sku(tx: Transaction, sku: str) -> bool:
    """A change of a product cannot leave the constraint to decide, as a new product can."""
    return await tx.lock(f"product sku {sku}")


async def _has_sku(tx: Transaction, sku: str) -> bool:
    return await tx.one(_WITH_SKU, wanted_sku=sku) is not None


async def _free_slug(tx: Transaction, base: str) -> str:
    stem = base[: products_rules.MAX_SLUG - _MAX_SUFFIX]
    taken = {slug for (slug,) in await tx.all(_SLUGS_LIKE, pattern=stem + "%")}
    return next(slug for slug in products_rules.slugs_after(base) if slug not in taken)


def _values(terms: ProductTerms) -> dict[str, object]:
    values: dict[str, object] = {name: getattr(terms, name) for name in _TERMS}
    return values | {"search_text": products_rules.search_text(terms)}
