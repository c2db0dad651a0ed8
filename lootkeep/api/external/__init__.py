"""The External API: one file per group of the specification."""

from lootkeep.api.external import analytics, customers, orders, products, referrals, webhooks
from lootkeep.api.http.routes import Group

GROUPS: tuple[Group, ...] = (
    referrals.GROUP,
    webhooks.GROUP,
    products.GROUP,
    orders.GROUP,
    customers.GROUP,
    analytics.GROUP,
)
