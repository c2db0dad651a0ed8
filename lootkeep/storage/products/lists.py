"""Lists of products that are not deleted."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, bindparam, literal_column, select

from lootkeep.domain.products import Product
from lootkeep.storage.engine.dialect import Bytewise
from lootkeep.storage.filters import at_least, at_most, contains, contains_short, equals_each, subquery, within
from lootkeep.storage.lists import Counted, Listing, Sort
from lootkeep.storage.schema import product_tags, products
from lootkeep.storage.schema.products import STOCK

_TAGGED = select(product_tags.c.product_id).where(product_tags.c.tag == bindparam("wanted_tag"))
# As in the index: unlimited is more than any number.
_STOCK: Any = literal_column(STOCK.text, BigInteger)

LISTING = Listing(
    products,
    Product,
    {
        "search": contains(products.c.search_text),
        "tag": subquery(products.c.id, _TAGGED),
        **equals_each(products, "category", "delivery_type", "status", "billing_type"),
        "min_price": at_least(products.c.price, "min_price"),
        "max_price": at_most(products.c.price, "max_price"),
        "out_of_stock": at_most(_STOCK, "out_of_stock"),
        "in_stock": at_least(_STOCK, "in_stock"),
        "search_short": contains_short(products.c.search_text),
        **within(products.c.created_at),
    },
    {
        "created_at": Sort(products.c.created_at),
        "id": Sort(products.c.id),
        "name": Sort(Bytewise(products.c.name)),
        "price": Sort(products.c.price),
        "stock": Sort(_STOCK),
        "sales_count": Sort(products.c.sales_count),
        "updated_at": Sort(products.c.updated_at),
    },
    Counted(lambda _: ["products.all"]),
    always=(products.c.deleted_at.is_(None),),
)
