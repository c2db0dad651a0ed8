"""Products in public: as the API answers them, and as their events carry them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import msgspec

from lootkeep.domain.product_commands import commands_of
from lootkeep.domain.products import (
    BillingInterval,
    BillingType,
    DeliveryType,
    Product,
    ProductStatus,
    StockStatus,
    stock_status,
)
from lootkeep.kernel.clock import Instant, utc
from lootkeep.views import commands as commands_views
from lootkeep.views.commands import ProductCommandView
from lootkeep.views.fields import Metadata, Time, field
from lootkeep.views.mapping import view_of


class ProductView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the product.", 12)]
    name: Annotated[str, field("What customers see.", "Dragon Sword")]
    slug: Annotated[
        str, field("Unique; generated from the name at creation, does not change with the name.", "dragon-sword")
    ]
    sku: Annotated[str | None, field("The stock keeping unit, unique.", "SWORD-01")]
    description: Annotated[str | None, field("The description.", "A sword for dragon slayers.")]
    delivery_type: Annotated[DeliveryType, field("How it is delivered.", "keys")]
    billing_type: Annotated[BillingType, field("Paid once or every period.", "one_time")]
    billing_interval: Annotated[BillingInterval | None, field("Unit of the period; null if paid once.", None)]
    billing_interval_count: Annotated[int | None, field("Units in a period; null if paid once.", None)]
    status: Annotated[ProductStatus, field("Only active products can be bought.", "active")]
    price: Annotated[str, field("The unit price.", "19.99")]
    compare_at_price: Annotated[str | None, field("A higher price, shown struck through.", "24.99")]
    currency: Annotated[str, field("Currency of the prices.", "USD")]
    stock: Annotated[int | None, field("The stock; null means unlimited.", 40)]
    stock_status: Annotated[StockStatus, field("The stock level; low is 1 to 5.", "in_stock")]
    max_per_order: Annotated[int | None, field("The maximum quantity per order; null means no limit.", 3)]
    category: Annotated[str | None, field("The category.", "Weapons")]
    tags: Annotated[list[str], field("Tags to find it by.", ["rare", "melee"])]
    image_url: Annotated[str | None, field("The URL of its image.", "https://cdn.example.com/sword.png")]
    file_url: Annotated[str | None, field("Extension: what a `file` product hands over.", None)]
    valid_days: Annotated[int | None, field("Extension: for how long it is valid; null means forever.", None)]
    keys_available: Annotated[
        int | None, field("Extension: keys that are not sold, with those reserved; null for other delivery types.", 42)
    ]
    commands: Annotated[list[ProductCommandView], field("Extension: what it runs on game servers.", [])]
    sales_count: Annotated[int, field("The number of units sold.", 128)]
    metadata: Metadata
    created_at: Time
    updated_at: Time


class ProductEvent(msgspec.Struct, frozen=True):
    """The data of `product.created`, and the common fields of the other product events."""

    product_id: Annotated[int, field("Identifies the product.", 12)]
    product_name: Annotated[str, field("What customers see.", "Dragon Sword")]
    slug: Annotated[str, field("Unique; generated from the name at creation.", "dragon-sword")]
    sku: Annotated[str | None, field("The stock keeping unit, unique.", "SWORD-01")]
    price: Annotated[str, field("The unit price.", "19.99")]
    currency: Annotated[str, field("Currency of the price.", "USD")]
    status: Annotated[ProductStatus, field("Only active products can be bought.", "active")]
    stock: Annotated[int | None, field("The stock; null means unlimited.", 40)]


class ProductUpdated(ProductEvent, frozen=True):
    changes: Annotated[list[str], field("The names of the fields that changed.", ["price", "stock"])]


class ProductDeleted(ProductEvent, frozen=True):
    deleted_at: Time


class KeysLowData(msgspec.Struct, frozen=True):
    """The data of `keys.low`."""

    product_id: Annotated[int, field("Identifies the product.", 12)]
    product_name: Annotated[str, field("What customers see.", "Dragon Sword")]
    stock: Annotated[int, field("How many keys can still be sold.", 5)]


_PRODUCT = view_of(ProductView, Product, "stock_status", "commands")
_IDENTITY = {"product_id": "id", "product_name": "name"}
_UPDATED = view_of(ProductUpdated, Product, "changes", **_IDENTITY)
_DELETED = view_of(ProductDeleted, Product, "deleted_at", **_IDENTITY)

created: Callable[[Product], ProductEvent] = view_of(ProductEvent, Product, **_IDENTITY)


def product(record: Product) -> ProductView:
    commands = [commands_views.product_command(command) for command in commands_of(record.commands)]
    return _PRODUCT(record, stock_status=stock_status(record.stock), commands=commands)


def keys_low(record: Product, stock: int) -> KeysLowData:
    return KeysLowData(record.id, record.name, stock)


def updated(record: Product, changes: list[str]) -> ProductUpdated:
    return _UPDATED(record, changes=changes)


def deleted(record: Product, now: Instant) -> ProductDeleted:
    return _DELETED(record, deleted_at=utc(now))
