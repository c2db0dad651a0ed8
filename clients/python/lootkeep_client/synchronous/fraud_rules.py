"""The methods of `fraud_rules`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Rows
from lootkeep_client.parameters import fraud_rules as takes


class FraudRules:
    """`client.fraud_rules`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self) -> Rows[types.FraudRule]:
        """List the store's own rules."""
        return self._core.many(types.FraudRule, "GET", "/api/external/v1/fraud/rules")

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateFraudRule]) -> types.FraudRule:
        """Create a rule."""
        return self._core.one(types.FraudRule, "POST", "/api/external/v1/fraud/rules", body=body, key=idempotency_key)

    def update(self, rule_id: int, **body: Unpack[takes.UpdateFraudRule]) -> types.FraudRule:
        """Update a rule."""
        return self._core.one(types.FraudRule, "PUT", "/api/external/v1/fraud/rules/{id}", rule_id, body=body)

    def delete(self, rule_id: int) -> str:
        """Delete a rule."""
        return self._core.message("DELETE", "/api/external/v1/fraud/rules/{id}", rule_id)
