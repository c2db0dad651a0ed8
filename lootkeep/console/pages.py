"""The page table: every page and every change of the console, in the order of the navigation."""

from __future__ import annotations

from lootkeep.console import account, campaigns, fraud, fraud_settings, orders, overview, search, signing_in
from lootkeep.console.page import Page

PAGES: tuple[Page, ...] = (
    *overview.PAGES,
    *orders.PAGES,
    *campaigns.PAGES,
    *fraud.PAGES,
    *fraud_settings.PAGES,
    *search.PAGES,
    *account.PAGES,
    *signing_in.PAGES,
)
