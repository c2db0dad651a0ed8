"""The Store API, which the store's own checkout calls; one file per group."""

from lootkeep.api.http.routes import Group
from lootkeep.api.store import coupons, customers, gift_cards, orders, products, subscriptions, tickets

GROUPS: tuple[Group, ...] = (
    customers.GROUP,
    products.GROUP,
    orders.GROUP,
    coupons.GROUP,
    subscriptions.GROUP,
    gift_cards.GROUP,
    tickets.GROUP,
)
