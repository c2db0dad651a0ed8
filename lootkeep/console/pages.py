"""The page table: every page and every change of the console, area by area."""

from __future__ import annotations

from importlib import import_module

from lootkeep.console.page import Page

# Each is a file with its `PAGES`, in the order in which the navigation shows those of a group.
_AREAS = (
    *("figures", "orders", "customers", "products", "gift_cards"),
    *("referrals", "campaigns"),
    *("fraud", "fraud_lists", "fraud_settings"),
    *("tickets", "webhooks", "alerts", "access"),
    *("store", "search", "signing_in"),
)
PAGES: tuple[Page, ...] = tuple(page for area in _AREAS for page in import_module(f"lootkeep.console.{area}").PAGES)
