"""The demo's own fraud protection: a list, a rule in shadow mode, and an alert."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.services import (
    alerts as alerts_service,
    fraud_lists as fraud_lists_service,
    fraud_rules as fraud_rules_service,
)

_OWNER = 1


async def set_up(deps: Deps) -> None:
    free_mail = await fraud_lists_service.create(deps, "free_mail", "domain", "Mailboxes that cost nothing.")
    await fraud_lists_service.add_entries(deps, free_mail.id, ["gmail.com", "outlook.com"], None, None, _OWNER)
    expression = "total > 100 and account_age < 1h and email_domain in @free_mail"
    await fraud_rules_service.create(
        deps, {"name": "Large first order", "expression": expression, "action": "verify"}, _OWNER
    )
    await alerts_service.create(
        deps,
        {
            "name": "Late deliveries",
            "channel": "email",
            "target": "staff@pixelforge.example",
            "triggers": ["backlog"],
            "amount": None,
            "minutes": 30,
            "limit_per_hour": 5,
            "muted_until": None,
        },
    )
