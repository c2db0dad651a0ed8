"""The page table: every page and every change of the console, area by area."""

from __future__ import annotations

from lootkeep.console import (
    access,
    alerts,
    campaigns,
    customers,
    evidence,
    figures,
    fraud,
    fraud_decisions,
    fraud_lists,
    fraud_settings,
    gift_cards,
    keys,
    order_goods,
    orders,
    products,
    referrals,
    search,
    signing_in,
    store,
    tickets,
    webhooks,
)
from lootkeep.console.page import Page

# In the order in which the navigation shows the pages of a group.
_SALES = (figures, orders, order_goods, evidence, customers, products, keys, gift_cards, referrals, campaigns)
_FRAUD = (fraud, fraud_decisions, fraud_lists, fraud_settings)
AREAS = (*_SALES, *_FRAUD, tickets, webhooks, alerts, access, store, search, signing_in)
PAGES: tuple[Page, ...] = tuple(page for area in AREAS for page in area.PAGES)
