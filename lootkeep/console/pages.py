"""The page table: every page and every change of the console, in the order of the navigation."""

from __future__ import annotations

from lootkeep.console import (
    account,
    campaigns,
    customers,
    fraud,
    fraud_settings,
    gift_cards,
    orders,
    overview,
    products,
    referrals,
    search,
    signing_in,
    tickets,
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
    *search.PAGES,
    *account.PAGES,
    *signing_in.PAGES,
)
