"""The page table: every page and every change of the console, in the order of the navigation."""

from __future__ import annotations

from lootkeep.console import (
    account,
    alerts,
    analytics,
    audit,
    campaigns,
    customers,
    events,
    fraud,
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

PAGES: tuple[Page, ...] = (
    *overview.PAGES,
    *orders.PAGES,
    *customers.PAGES,
    *products.PAGES,
    *gift_cards.PAGES,
    *referrals.PAGES,
    *campaigns.PAGES,
    *fraud.PAGES,
    *fraud_settings.PAGES,
    *tickets.PAGES,
    *webhooks.PAGES,
    *events.PAGES,
    *alerts.PAGES,
    *tokens.PAGES,
    *analytics.PAGES,
    *users.PAGES,
    *audit.PAGES,
    *settings.PAGES,
    *health.PAGES,
    *search.PAGES,
    *account.PAGES,
    *signing_in.PAGES,
)
