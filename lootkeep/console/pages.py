"""The page table: every page and every change of the console, in the order of the navigation."""

from __future__ import annotations

from lootkeep.console import (
    account,
    analytics,
    audit,
    events,
    health,
    orders,
    overview,
    search,
    settings,
    signing_in,
    tokens,
    users,
    webhooks,
)
from lootkeep.console.page import Page

PAGES: tuple[Page, ...] = (
    *overview.PAGES,
    *orders.PAGES,
    *webhooks.PAGES,
    *events.PAGES,
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
