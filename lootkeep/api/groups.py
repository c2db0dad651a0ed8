"""The groups of the APIs, in the order of the reference; the first request to a path of a group imports its module."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from lootkeep.api.http.routes import Group, Route

# By module, with the first words of its paths.
_EXTERNAL = {
    "referrals": ["referrals"],
    "fraud": ["fraud", "customers"],
    "webhooks": ["webhooks", "events"],
    "products": ["products"],
    "orders": ["orders"],
    "customers": ["customers"],
    "analytics": ["analytics"],
    "gift_cards": ["gift-cards"],
    "coupons": ["coupons"],
    "creators": ["creators"],
    "tickets": ["support-tickets"],
    "email_campaigns": ["email-campaigns"],
    "alerts": ["alerts"],
    "servers": ["servers", "commands"],
    "payments": ["payment-sources", "payment-events"],
}
_STORE = {
    "customers": ["customers"],
    "products": ["products"],
    "orders": ["orders"],
    "coupons": ["coupons"],
    "subscriptions": ["subscriptions"],
    "gift_cards": ["gift-cards"],
    "tickets": ["support-tickets"],
}
_GAME = {"commands": ["commands"]}
_APIS = {"external": _EXTERNAL, "store": _STORE, "game": _GAME}
_MODULES = {
    f"/api/{api}/v1/{word}": [f"{api}.{module}" for module, others in groups.items() if word in others]
    for api, groups in _APIS.items()
    for words in groups.values()
    for word in words
}


def every() -> tuple[Group, ...]:
    """The route table: every endpoint of every API."""
    return tuple(_group(f"{api}.{module}") for api, modules in _APIS.items() for module in modules)


def routes_below(area: str) -> list[Route]:
    """Those of an area such as `/api/store/v1/orders`."""
    return [route for module in _MODULES.get(area, ()) for route in _group(module).routes_below(area)]


@cache
def _group(module: str) -> Group:
    group: Group = import_module(f"lootkeep.api.{module}").GROUP
    return group
