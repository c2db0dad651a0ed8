"""The methods of `fraud`; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client.cores import Core
from lootkeep_client.pages import Data, Pages, Rows
from lootkeep_client.parameters import fraud as takes


class FraudWhitelist:
    """`client.fraud.whitelist`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def add_ip(self, *, idempotency_key: str | None = None, **body: Unpack[takes.WhitelistIp]) -> Data:
        """Trust an IP address."""
        return self._core.one("POST", "/api/external/v1/fraud/whitelist/ip", body=body, key=idempotency_key)

    def remove_ip(self, **body: Unpack[takes.UnwhitelistIp]) -> Data:
        """Stop trusting an IP address."""
        return self._core.one("DELETE", "/api/external/v1/fraud/whitelist/ip", body=body)

    def add_email(self, *, idempotency_key: str | None = None, **body: Unpack[takes.WhitelistEmail]) -> Data:
        """Trust an e-mail."""
        return self._core.one("POST", "/api/external/v1/fraud/whitelist/email", body=body, key=idempotency_key)

    def remove_email(self, **body: Unpack[takes.UnwhitelistEmail]) -> Data:
        """Stop trusting an e-mail."""
        return self._core.one("DELETE", "/api/external/v1/fraud/whitelist/email", body=body)


class FraudSettings:
    """`client.fraud.settings`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def get(self) -> Data:
        """Read the settings of fraud detection."""
        return self._core.one("GET", "/api/external/v1/fraud/settings")

    def update(self, **body: Unpack[takes.UpdateFraudSettings]) -> Data:
        """Update the settings of fraud detection."""
        return self._core.one("PUT", "/api/external/v1/fraud/settings", body=body)


class FraudRules:
    """`client.fraud.rules`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self) -> Rows:
        """List the store's own rules."""
        return self._core.many("GET", "/api/external/v1/fraud/rules")

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateFraudRule]) -> Data:
        """Create a rule."""
        return self._core.one("POST", "/api/external/v1/fraud/rules", body=body, key=idempotency_key)

    def update(self, rule_id: int, **body: Unpack[takes.UpdateFraudRule]) -> Data:
        """Update a rule."""
        return self._core.one("PUT", "/api/external/v1/fraud/rules/{id}", rule_id, body=body)

    def delete(self, rule_id: int) -> str:
        """Delete a rule."""
        return self._core.message("DELETE", "/api/external/v1/fraud/rules/{id}", rule_id)


class FraudLists:
    """`client.fraud.lists`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self) -> Rows:
        """List the store's own lists."""
        return self._core.many("GET", "/api/external/v1/fraud/lists")

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateFraudList]) -> Data:
        """Create a list."""
        return self._core.one("POST", "/api/external/v1/fraud/lists", body=body, key=idempotency_key)

    def delete(self, list_id: int) -> str:
        """Delete a list."""
        return self._core.message("DELETE", "/api/external/v1/fraud/lists/{id}", list_id)

    def entries(self, list_id: int, **query: Unpack[takes.ListFraudListEntries]) -> Pages:
        """List the entries of a list."""
        return self._core.pages("GET", "/api/external/v1/fraud/lists/{id}/entries", list_id, query=query)

    def add_entries(
        self, list_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.AddFraudListEntries]
    ) -> str:
        """Add entries to a list."""
        return self._core.message(
            "POST", "/api/external/v1/fraud/lists/{id}/entries", list_id, body=body, key=idempotency_key
        )

    def remove_entry(self, list_id: int, **body: Unpack[takes.RemoveFraudListEntry]) -> str:
        """Remove an entry from a list."""
        return self._core.message("DELETE", "/api/external/v1/fraud/lists/{id}/entries", list_id, body=body)


class FraudChecks:
    """`client.fraud.checks`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListFraudChecks]) -> Pages:
        """List fraud checks."""
        return self._core.pages("GET", "/api/external/v1/fraud/checks", query=query)

    def get(self, check_id: int) -> Data:
        """Read a fraud check."""
        return self._core.one("GET", "/api/external/v1/fraud/checks/{id}", check_id)

    def review(
        self, check_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.ReviewFraudCheck]
    ) -> Data:
        """Review a fraud check."""
        return self._core.one(
            "POST", "/api/external/v1/fraud/checks/{id}/review", check_id, body=body, key=idempotency_key
        )

    def reviews(self, check_id: int) -> Rows:
        """List the reviews of a fraud check."""
        return self._core.many("GET", "/api/external/v1/fraud/checks/{id}/reviews", check_id)


class FraudBlockedCountries:
    """`client.fraud.blocked_countries`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def add(self, *, idempotency_key: str | None = None, **body: Unpack[takes.BlockCountry]) -> Data:
        """Block a country."""
        return self._core.one("POST", "/api/external/v1/fraud/blocked-countries", body=body, key=idempotency_key)

    def remove(self, **body: Unpack[takes.UnblockCountry]) -> Data:
        """Stop blocking a country."""
        return self._core.one("DELETE", "/api/external/v1/fraud/blocked-countries", body=body)


class Fraud:
    """`client.fraud`."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.blocked_countries = FraudBlockedCountries(core)
        self.checks = FraudChecks(core)
        self.lists = FraudLists(core)
        self.rules = FraudRules(core)
        self.settings = FraudSettings(core)
        self.whitelist = FraudWhitelist(core)

    def dashboard(self) -> Data:
        """Read the fraud dashboard."""
        return self._core.one("GET", "/api/external/v1/fraud/dashboard")

    def signals(self) -> Rows:
        """Read the accuracy of each signal."""
        return self._core.many("GET", "/api/external/v1/fraud/signals")

    def backtest(self, *, idempotency_key: str | None = None, **body: Unpack[takes.BacktestSettings]) -> Data:
        """Backtest settings or a rule on past orders."""
        return self._core.one("POST", "/api/external/v1/fraud/backtest", body=body, key=idempotency_key)

    def explain(self, **query: Unpack[takes.ExplainBuyer]) -> Data:
        """Explain what counts against a buyer now."""
        return self._core.one("GET", "/api/external/v1/fraud/explain", query=query)
