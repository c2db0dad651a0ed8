"""The schema: every table, with the invariants the database itself keeps."""

from lootkeep.storage.tables import search as _search  # noqa: F401  adds the full-text indexes
from lootkeep.storage.tables.access import idempotency_keys, settings, tokens, users
from lootkeep.storage.tables.campaigns import campaign_recipients, email_campaigns
from lootkeep.storage.tables.columns import metadata
from lootkeep.storage.tables.customers import customers, sightings
from lootkeep.storage.tables.events import counters, events
from lootkeep.storage.tables.mails import mails
from lootkeep.storage.tables.orders import order_items, orders, refunds, subscriptions
from lootkeep.storage.tables.products import products
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
    "campaign_recipients",
    "counters",
    "coupons",
    "customers",
    "deliveries",
    "email_campaigns",
    "events",
    "idempotency_keys",
    "mails",
    "metadata",
    "order_items",
    "orders",
    "products",
    "referral_tiers",
    "referrals",
    "referrers",
    "refunds",
    "refused_referrals",
    "replays",
    "reward_claims",
    "settings",
    "sightings",
    "subscriptions",
    "tokens",
    "users",
    "webhooks",
]
