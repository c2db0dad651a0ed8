"""The page table: every page and every change of the console, area by area."""

from __future__ import annotations

from lootkeep.console import (
    access,
    alerts,
    audit,
    bulk,
    campaigns,
    coupons,
    creators,
    customers,
    evidence,
    figures,
    fraud,
    fraud_decisions,
    fraud_lists,
    fraud_settings,
    gift_cards,
    growth,
    keys,
    openid,
    order_goods,
    order_refunds,
    orders,
    palette,
    passkeys,
    payment_sources,
    payments,
    product_commands,
    products,
    proxy,
    referrals,
    search,
    servers,
    settings,
    signing_in,
    store,
    subscriptions,
    taxes,
    tickets,
    webhooks,
)
from lootkeep.console.page import Page

# In the order in which the navigation shows the pages of a group.
_PRODUCTS = (products, keys, product_commands)
_SALES = (
    figures,
    taxes,
    growth,
    orders,
    order_refunds,
    order_goods,
    evidence,
    customers,
    *_PRODUCTS,
    gift_cards,
    coupons,
    subscriptions,
    payments,
    payment_sources,
    referrals,
    creators,
    campaigns,
)
_FRAUD = (fraud, fraud_decisions, fraud_lists, fraud_settings)
AREAS = (
    *_SALES,
    *_FRAUD,
    tickets,
    servers,
    webhooks,
    alerts,
    access,
    settings,
    audit,
    store,
    bulk,
    search,
    signing_in,
    openid,
    passkeys,
    proxy,
)
_PAGES: tuple[Page, ...] = tuple(page for area in AREAS for page in area.PAGES)
PAGES: tuple[Page, ...] = (*_PAGES, palette.page(_PAGES))
