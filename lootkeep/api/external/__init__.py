"""The External API: one file per group of the specification."""

from lootkeep.api.external import (
    alerts,
    analytics,
    coupons,
    creators,
    customers,
    email_campaigns,
    fraud,
    gift_cards,
    orders,
    payments,
    products,
    referrals,
    servers,
    tickets,
    webhooks,
)
from lootkeep.api.http.routes import Group

GROUPS: tuple[Group, ...] = (
    referrals.GROUP,
    fraud.GROUP,
    webhooks.GROUP,
    products.GROUP,
    orders.GROUP,
    customers.GROUP,
    analytics.GROUP,
    gift_cards.GROUP,
    coupons.GROUP,
    creators.GROUP,
    tickets.GROUP,
    email_campaigns.GROUP,
    alerts.GROUP,
    servers.GROUP,
    payments.GROUP,
)
