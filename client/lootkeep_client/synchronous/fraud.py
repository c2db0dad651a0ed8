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
        self.settings = FraudSettings(core)
        self.whitelist = FraudWhitelist(core)

    def dashboard(self) -> Data:
        """Read the fraud dashboard."""
        return self._core.one("GET", "/api/external/v1/fraud/dashboard")

    def signals(self) -> Rows:
        """Read the accuracy of each signal."""
        return self._core.many("GET", "/api/external/v1/fraud/signals")

    def backtest(self, *, idempotency_key: str | None = None, **body: Unpack[takes.BacktestSettings]) -> Data:
        """Backtest settings on past orders."""
        return self._core.one("POST", "/api/external/v1/fraud/backtest", body=body, key=idempotency_key)

    def explain(self, **query: Unpack[takes.ExplainBuyer]) -> Data:
        """Explain what counts against a buyer now."""
        return self._core.one("GET", "/api/external/v1/fraud/explain", query=query)
