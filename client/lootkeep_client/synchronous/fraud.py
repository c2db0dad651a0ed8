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


class FraudQueue:
    """`client.fraud.queue`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListReviewQueue]) -> Pages:
        """List the review queue."""
        return self._core.pages("GET", "/api/external/v1/fraud/queue", query=query)

    def today(self) -> Data:
        """List the riskiest allowed orders of the day."""
        return self._core.one("GET", "/api/external/v1/fraud/queue/today")


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

    def linked(self, check_id: int) -> Data:
        """List the accounts linked to the buyer of a check."""
        return self._core.one("GET", "/api/external/v1/fraud/checks/{id}/linked", check_id)

    def assign(self, check_id: int, **body: Unpack[takes.AssignCheck]) -> Data:
        """Assign a fraud check."""
        return self._core.one("PUT", "/api/external/v1/fraud/checks/{id}/assignment", check_id, body=body)


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
        self.queue = FraudQueue(core)
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

    def review_ring(self, *, idempotency_key: str | None = None, **body: Unpack[takes.ReviewRing]) -> Rows:
        """Review several fraud checks at once."""
        return self._core.many("POST", "/api/external/v1/fraud/reviews", body=body, key=idempotency_key)
