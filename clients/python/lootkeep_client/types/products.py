"""What `products` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from lootkeep_client.types.words import (
    BillingInterval,
    BillingType,
    CommandCause,
    DeliveryType,
    KeyStatus,
    ProductStatus,
)


class KeysAdded(TypedDict):
    added: int
    already_known: int
    stock: int


class ProductKey(TypedDict):
    id: int
    masked_key: str
    status: KeyStatus
    batch: str | None
    order_id: int | None
    item_id: int | None
    assigned_at: str | None
    revealed_at: str | None
    created_at: str


class KeyBatch(TypedDict):
    batch: str | None
    unit_cost: str | None
    added: int
    available: int
    assigned: int
    replaced: int
    revoked: int
    withdrawn: int
    created_at: str


class AssignedKey(TypedDict):
    key_id: int
    order_id: int


class KeysWithdrawn(TypedDict):
    withdrawn: int
    already_assigned: Sequence[AssignedKey]


class RevealedKey(TypedDict):
    id: int
    key: str


class ProductCommand(TypedDict):
    server_id: int
    on: CommandCause
    text: str
    needs_player_online: bool
    delay_minutes: int


class Product(TypedDict):
    id: int
    name: str
    slug: str
    sku: str | None
    description: str | None
    delivery_type: DeliveryType
    billing_type: BillingType
    billing_interval: BillingInterval | None
    billing_interval_count: int | None
    status: ProductStatus
    price: str
    compare_at_price: str | None
    currency: str
    stock: int | None
    stock_status: Literal["in_stock", "low_stock", "out_of_stock", "unlimited"]
    max_per_order: int | None
    category: str | None
    tags: Sequence[str]
    image_url: str | None
    file_url: str | None
    valid_days: int | None
    keys_available: int | None
    commands: Sequence[ProductCommand]
    sales_count: int
    metadata: Mapping[str, str | float | bool | None]
    created_at: str
    updated_at: str
