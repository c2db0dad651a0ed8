"""The schema: every table, with the invariants the database itself keeps."""

from lootkeep.storage.tables import search as _search  # noqa: F401  adds the full-text indexes
from lootkeep.storage.tables.access import idempotency_keys, settings, tokens, users
from lootkeep.storage.tables.analytics import buyers, sales_rollups
from lootkeep.storage.tables.columns import metadata
from lootkeep.storage.tables.customers import customers, sightings
from lootkeep.storage.tables.events import counters, events
from lootkeep.storage.tables.orders import order_items, orders, refunds, subscriptions
from lootkeep.storage.tables.products import product_tags, products
from lootkeep.storage.tables.referrals import (
    coupons,
    referral_tiers,
    referrals,
    referrers,
    refused_referrals,
    reward_claims,
)
from lootkeep.storage.tables.webhooks import attempts, deliveries, replays, webhooks

__all__ = [
    "attempts",
    "buyers",
    "counters",
    "coupons",
    "customers",
    "deliveries",
    "events",
    "idempotency_keys",
    "metadata",
    "order_items",
    "orders",
    "product_tags",
    "products",
    "referral_tiers",
    "referrals",
    "referrers",
    "refunds",
    "refused_referrals",
    "replays",
    "reward_claims",
    "sales_rollups",
    "settings",
    "sightings",
    "subscriptions",
    "tokens",
    "users",
    "webhooks",
]
