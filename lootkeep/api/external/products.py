"""The catalogue over HTTP, as the back office reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lootkeep.api.external import keys
from lootkeep.api.http.fields import Money, QueryBoolean, field
from lootkeep.api.http.pages import ListQuery, answer_page, in_order
from lootkeep.api.http.routes import Call, Group, Reply, Route, paged, single
from lootkeep.domain.products import BillingType, DeliveryType, ProductStatus
from lootkeep.kernel.errors import existing
from lootkeep.storage.products import lists as product_lists_db, rows as products_db
from lootkeep.views import products as products_views

_Text = Annotated[str, Field(min_length=1, max_length=255)]


class ProductQuery(ListQuery):
    """Filters and order of the list."""

    status: Annotated[ProductStatus | None, field("Only products in this state.")] = None
    delivery_type: Annotated[DeliveryType | None, field("Only products with this delivery type.")] = None
    billing_type: Annotated[BillingType | None, field("Only products with this billing type.")] = None
    category: Annotated[_Text | None, field("Only products in this category.")] = None
    tag: Annotated[_Text | None, field("Only products with this tag.")] = None
    in_stock: Annotated[
        QueryBoolean | None, field("Whether the product is in stock; unlimited counts as in stock.")
    ] = None
    min_price: Annotated[Money | None, field("At least this price.")] = None
    max_price: Annotated[Money | None, field("At most this price.")] = None
    sort: Annotated[
        Literal["id", "name", "price", "stock", "sales_count", "created_at", "updated_at"],
        field("The sort field; an unlimited stock counts as the largest."),
    ] = "created_at"


async def list_products(call: Call[None, ProductQuery]) -> Reply:
    query = call.query
    in_order("price", query.min_price, query.max_price)
    return await answer_page(
        call,
        product_lists_db.LISTING,
        products_views.product,
        in_stock=1 if query.in_stock else None,
        out_of_stock=0 if query.in_stock is False else None,
    )


async def get_product(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        product = existing(await products_db.ROWS.get(tx, call.id), "Product")
    return Reply(products_views.product(product))


GROUP = Group(
    name="Products",
    description="What the store sells.",
    routes=(
        Route(
            "GET",
            "/products",
            list_products,
            "products:read",
            "List products",
            paged(products_views.ProductView),
            description="Newest first by default. `search` covers name and sku.",
        ),
        Route(
            "GET",
            "/products/{id}",
            get_product,
            "products:read",
            "Read a product",
            single(products_views.ProductView),
            description="A deleted product returns 404.",
        ),
        *keys.ROUTES,
    ),
)
