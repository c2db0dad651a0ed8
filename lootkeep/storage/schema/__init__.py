"""The schema: every table, with the constraints that the database enforces."""

from lootkeep.storage.schema import search as _search  # adds the full-text indexes
from lootkeep.storage.schema.access import idempotency_keys, settings, tokens, users
from lootkeep.storage.schema.accounts import (
    account_links,
    accounts,
    audit_log,
    failed_attempts,
    passkeys,
    recovery_codes,
    roles,
    saved_views,
    sessions,
)
from lootkeep.storage.schema.alerts import alert_notices, alerts
from lootkeep.storage.schema.analytics import sales_rollups
from lootkeep.storage.schema.bulk import bulk_acts, bulk_rows
from lootkeep.storage.schema.campaigns import campaign_recipients, email_campaigns
from lootkeep.storage.schema.columns import metadata
from lootkeep.storage.schema.coupons import coupons
from lootkeep.storage.schema.creators import creator_entries, creators
from lootkeep.storage.schema.customers import customer_identities, customer_tags, customers, sightings
from lootkeep.storage.schema.events import counters, events
from lootkeep.storage.schema.fraud import (
    fraud_checks,
    fraud_list_entries,
    fraud_lists,
    fraud_policies,
    fraud_reviews,
    labels,
    large_amounts,
)
from lootkeep.storage.schema.gift_cards import gift_card_entries, gift_cards
from lootkeep.storage.schema.goods import goods_looks, key_batches, product_keys
from lootkeep.storage.schema.mails import mails
from lootkeep.storage.schema.orders import (
    disputes,
    evidence,
    order_items,
    orders,
    payment_attempts,
    refunds,
    subscriptions,
)
from lootkeep.storage.schema.payments import payment_event_names, payment_events, payment_sources
from lootkeep.storage.schema.products import product_tags, products
from lootkeep.storage.schema.referrals import referral_tiers, referrals, referrers, refused_referrals, reward_claims
from lootkeep.storage.schema.servers import commands, servers
from lootkeep.storage.schema.support_tickets import canned_replies, support_tickets, ticket_figures, ticket_messages
from lootkeep.storage.schema.webhooks import attempts, deliveries, replays, webhook_versions, webhooks
