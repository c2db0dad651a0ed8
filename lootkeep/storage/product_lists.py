"""Products as they are listed: those that are not deleted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import BigInteger, bindparam, literal_column, select

from lootkeep.domain.products import Product
from lootkeep.kernel.paging import Order, Page
from lootkeep.storage import kept_lists
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import Bytewise, Contains, ContainsShort
from lootkeep.storage.lists import Filter, Listing, Sort, at_least, at_most, equals, less_than
from lootkeep.storage.tables import product_tags, products
from lootkeep.storage.tables.products import STOCK

# Those that are not deleted, counted per day while writing.
COUNTER = "products.all"

_TAGGED = select(product_tags.c.product_id).where(product_tags.c.tag == bindparam("wanted_tag"))
# As the index has it: unlimited is more than any number.
_STOCK: Any = literal_column(STOCK.text, BigInteger)


def _contains(contains: type[Contains], name: str) -> Filter:
    term = bindparam(f"wanted_{name}", type_=products.c.search_text.type)
    return Filter(lambda _: contains(products.c.search_text, term))


LISTING = Listing(
    products,
    Product,
    {
        "search": _contains(Contains, "search"),
        "tag": Filter(lambda _: products.c.id.in_(_TAGGED)),
        "category": equals(products.c.category, "category"),
        "delivery_type": equals(products.c.delivery_type, "delivery_type"),
        "status": equals(products.c.status, "status"),
        "billing_type": equals(products.c.billing_type, "billing_type"),
        "min_price": at_least(products.c.price, "min_price"),
        "max_price": at_most(products.c.price, "max_price"),
        "out_of_stock": at_most(_STOCK, "out_of_stock"),
        "in_stock": at_least(_STOCK, "in_stock"),
        "search_short": _contains(ContainsShort, "search_short"),
        "from": at_least(products.c.created_at, "from"),
        "to": less_than(products.c.created_at, "to"),
    },
    {
        "id": Sort(products.c.id),
        "name": Sort(Bytewise(products.c.name)),
        "price": Sort(products.c.price),
        "stock": Sort(_STOCK),
        "sales_count": Sort(products.c.sales_count),
        "created_at": Sort(products.c.created_at),
        "updated_at": Sort(products.c.updated_at),
    },
    (products.c.deleted_at.is_(None),),
)


async def page(
    tx: Transaction, asked: Page, wanted: Mapping[str, Any], sort: str, order: Order
) -> tuple[list[Product], int]:
    """A page of the list, and how many there are in all."""
    if wanted.keys() <= {"from", "to"}:
        return await kept_lists.page(tx, LISTING, (COUNTER,), asked, wanted, sort, order)
    total = await LISTING.total(tx, wanted)
    return await LISTING.page(tx, asked, wanted, sort, order, total), total
