"""Products in public: as the API answers them, and as their events carry them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from lootkeep.domain.products import (
    BillingInterval,
    BillingType,
    DeliveryType,
    Product,
    ProductStatus,
    StockStatus,
    stock_status,
)
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant, utc
from lootkeep.views.fields import Metadata, Time, field


class ProductView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the product.", 12)]
    name: Annotated[str, field("What customers see.", "Dragon Sword")]
    slug: Annotated[
        str, field("Unique, made from the name at creation; it stays when the name changes.", "dragon-sword")
    ]
    sku: Annotated[str | None, field("The store's own number, unique.", "SWORD-01")]
    description: Annotated[str | None, field("What it is, in words.", "A sword for dragon slayers.")]
    delivery_type: Annotated[DeliveryType, field("How it reaches the customer.", "keys")]
    billing_type: Annotated[BillingType, field("Paid once, or again every period.", "one_time")]
    billing_interval: Annotated[BillingInterval | None, field("Unit of the period; null when paid once.", None)]
    billing_interval_count: Annotated[int | None, field("Units in a period; null when paid once.", None)]
    status: Annotated[ProductStatus, field("Only active products can be bought.", "active")]
    price: Annotated[str, field("Price of one.", "19.99")]
    compare_at_price: Annotated[str | None, field("A higher price to be shown struck through.", "24.99")]
    currency: Annotated[str, field("Currency of the prices.", "USD")]
    stock: Annotated[int | None, field("How many are left; null is unlimited.", 40)]
    stock_status: Annotated[StockStatus, field("The stock in a word; low is 1 to 5.", "in_stock")]
    max_per_order: Annotated[int | None, field("How many one order may hold; null is any number.", 3)]
    category: Annotated[str | None, field("Where it is listed.", "Weapons")]
    tags: Annotated[list[str], field("Words to find it by.", ["rare", "melee"])]
    image_url: Annotated[str | None, field("Address of its picture.", "https://cdn.example.com/sword.png")]
    sales_count: Annotated[int, field("How many were sold.", 128)]
    metadata: Metadata
    created_at: Time
    updated_at: Time


class ProductEvent(msgspec.Struct, frozen=True):
    """The data of `product.created`, and the beginning of the others."""

    product_id: Annotated[int, field("Identifies the product.", 12)]
    product_name: Annotated[str, field("What customers see.", "Dragon Sword")]
    slug: Annotated[str, field("Unique, made from the name at creation.", "dragon-sword")]
    sku: Annotated[str | None, field("The store's own number, unique.", "SWORD-01")]
    price: Annotated[str, field("Price of one.", "19.99")]
    currency: Annotated[str, field("Currency of the price.", "USD")]
    status: Annotated[ProductStatus, field("Only active products can be bought.", "active")]
    stock: Annotated[int | None, field("How many are left; null is unlimited.", 40)]


class ProductUpdated(ProductEvent, frozen=True):
    changes: Annotated[list[str], field("The names of the fields that changed.", ["price", "stock"])]


class ProductDeleted(ProductEvent, frozen=True):
    deleted_at: Time


def product(record: Product) -> ProductView:
    return ProductView(
        id=record.id,
        name=record.name,
        slug=record.slug,
        sku=record.sku,
        description=record.description,
        delivery_type=record.delivery_type,
        billing_type=record.billing_type,
        billing_interval=record.billing_interval,
        billing_interval_count=record.billing_interval_count,
        status=record.status,
        price=money.text(record.price),
        compare_at_price=None if record.compare_at_price is None else money.text(record.compare_at_price),
        currency=record.currency,
        stock=record.stock,
        stock_status=stock_status(record.stock),
        max_per_order=record.max_per_order,
        category=record.category,
        tags=msgspec.json.decode(record.tags, type=list[str]),
        image_url=record.image_url,
        sales_count=record.sales_count,
        metadata=msgspec.Raw(record.metadata),
        created_at=utc(record.created_at),
        updated_at=utc(record.updated_at),
    )


def created(record: Product) -> ProductEvent:
    return ProductEvent(**_snapshot(record))


def updated(record: Product, changes: list[str]) -> ProductUpdated:
    return ProductUpdated(**_snapshot(record), changes=changes)


def deleted(record: Product, now: Instant) -> ProductDeleted:
    return ProductDeleted(**_snapshot(record), deleted_at=utc(now))


def _snapshot(record: Product) -> dict[str, Any]:
    return {
        "product_id": record.id,
        "product_name": record.name,
        "slug": record.slug,
        "sku": record.sku,
        "price": money.text(record.price),
        "currency": record.currency,
        "status": record.status,
        "stock": record.stock,
    }
