"""An ordinary order, and others that differ from it in what a test is about."""

from __future__ import annotations

from typing import Any

from lootkeep.domain.fraud.facts import EmailFacts, History, NetworkFacts, OrderFacts
from lootkeep.kernel.clock import DAY, Instant

NOW = Instant(1_763_200_000_000_000)
BROWSER = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36"

NETWORK = NetworkFacts(country="DE", city="Berlin", asn_number=64500, asn_name="Example Home")

_PARTS: dict[str, Any] = {"network": NETWORK, "mail": EmailFacts(), "history": History()}


def order(**changes: Any) -> OrderFacts:
    """Ada, a customer for a year, buys from home in Germany. Changes name any fact, also those within its parts."""
    values: dict[str, Any] = {
        "at": NOW,
        "email": "ada@a.example",
        "ip_address": "203.0.113.9",
        "customer_created_at": Instant(NOW - 365 * DAY),
        "billing_country": "DE",
        "user_agent": BROWSER,
        "has_device": True,
    }
    for part, usual in _PARTS.items():
        own = {name: changes.pop(name) for name in usual.__struct_fields__ if name in changes}
        values[part] = type(usual)(**{name: getattr(usual, name) for name in usual.__struct_fields__} | own)
    return OrderFacts(**values | changes)
