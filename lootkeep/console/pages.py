"""The page table: every page and every change of the console, in the order of the navigation."""

from __future__ import annotations

from lootkeep.console import (
    account,
    alerts,
    analytics,
    audit,
    campaigns,
    customer_changes,
    customers,
    events,
    fraud,
    fraud_named_lists,
    fraud_policy_lists,
    fraud_rules,
    fraud_settings,
    gift_cards,
    health,
    orders,
    overview,
    products,
    referrals,
    search,
    settings,
    signing_in,
    tickets,
    tokens,
    users,
    webhooks,
)
from lootkeep.console.page import Page

_AREAS = (
    *(overview, orders, customers, customer_changes, products, gift_cards),
    *(referrals, campaigns),
    *(fraud, fraud_rules, fraud_named_lists, fraud_policy_lists, fraud_settings),
    *(tickets, webhooks, events, alerts, tokens),
    *(analytics, users, audit, settings, health),
    *(search, account, signing_in),
)
PAGES: tuple[Page, ...] = tuple(page for area in _AREAS for page in area.PAGES)
