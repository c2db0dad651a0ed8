"""The methods of `fraud`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import AsyncCore
from lootkeep_client.pages import AsyncPages, Rows
from lootkeep_client.parameters import fraud as takes


class FraudWhitelist:
    """`client.fraud.whitelist`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def add_ip(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.WhitelistIp]
    ) -> types.WhitelistedIps:
        """Trust an IP address."""
        return await self._core.one(
            types.WhitelistedIps, "POST", "/api/external/v1/fraud/whitelist/ip", body=body, key=idempotency_key
        )

    async def remove_ip(self, **body: Unpack[takes.UnwhitelistIp]) -> types.WhitelistedIps:
        """Stop trusting an IP address."""
        return await self._core.one(types.WhitelistedIps, "DELETE", "/api/external/v1/fraud/whitelist/ip", body=body)

    async def add_email(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.WhitelistEmail]
    ) -> types.WhitelistedEmails:
        """Trust an e-mail address."""
        return await self._core.one(
            types.WhitelistedEmails, "POST", "/api/external/v1/fraud/whitelist/email", body=body, key=idempotency_key
        )

    async def remove_email(self, **body: Unpack[takes.UnwhitelistEmail]) -> types.WhitelistedEmails:
        """Stop trusting an e-mail address."""
        return await self._core.one(
            types.WhitelistedEmails, "DELETE", "/api/external/v1/fraud/whitelist/email", body=body
        )


class FraudSettings:
    """`client.fraud.settings`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def get(self) -> types.FraudSettingsAnswer:
        """Read the settings of fraud detection."""
        return await self._core.one(types.FraudSettingsAnswer, "GET", "/api/external/v1/fraud/settings")

    async def update(self, **body: Unpack[takes.UpdateFraudSettings]) -> types.FraudSettings:
        """Update the settings of fraud detection."""
        return await self._core.one(types.FraudSettings, "PUT", "/api/external/v1/fraud/settings", body=body)


class FraudQueue:
    """`client.fraud.queue`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListReviewQueue]) -> AsyncPages[types.QueuedCheck]:
        """List the review queue."""
        return self._core.pages(types.QueuedCheck, "GET", "/api/external/v1/fraud/queue", query=query)

    async def today(self) -> types.Riskiest:
        """List the riskiest allowed orders of the day."""
        return await self._core.one(types.Riskiest, "GET", "/api/external/v1/fraud/queue/today")


class FraudChecks:
    """`client.fraud.checks`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListFraudChecks]) -> AsyncPages[types.FraudCheck]:
        """List fraud checks."""
        return self._core.pages(types.FraudCheck, "GET", "/api/external/v1/fraud/checks", query=query)

    async def get(self, check_id: int) -> types.CheckAnswer:
        """Read a fraud check."""
        return await self._core.one(types.CheckAnswer, "GET", "/api/external/v1/fraud/checks/{id}", check_id)

    async def review(
        self, check_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.ReviewFraudCheck]
    ) -> types.ReviewedCheck:
        """Review a fraud check."""
        return await self._core.one(
            types.ReviewedCheck,
            "POST",
            "/api/external/v1/fraud/checks/{id}/review",
            check_id,
            body=body,
            key=idempotency_key,
        )

    async def reviews(self, check_id: int) -> Rows[types.CheckReview]:
        """List the reviews of a fraud check."""
        return await self._core.many(types.CheckReview, "GET", "/api/external/v1/fraud/checks/{id}/reviews", check_id)

    async def linked(self, check_id: int) -> types.LinkedAccounts:
        """List the accounts linked to the buyer of a check."""
        return await self._core.one(types.LinkedAccounts, "GET", "/api/external/v1/fraud/checks/{id}/linked", check_id)

    async def assign(self, check_id: int, **body: Unpack[takes.AssignCheck]) -> types.Assigned:
        """Assign a fraud check."""
        return await self._core.one(
            types.Assigned, "PUT", "/api/external/v1/fraud/checks/{id}/assignment", check_id, body=body
        )


class FraudBlockedCountries:
    """`client.fraud.blocked_countries`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def add(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.BlockCountry]
    ) -> types.BlockedCountries:
        """Block a country."""
        return await self._core.one(
            types.BlockedCountries, "POST", "/api/external/v1/fraud/blocked-countries", body=body, key=idempotency_key
        )

    async def remove(self, **body: Unpack[takes.UnblockCountry]) -> types.BlockedCountries:
        """Stop blocking a country."""
        return await self._core.one(
            types.BlockedCountries, "DELETE", "/api/external/v1/fraud/blocked-countries", body=body
        )


class Fraud:
    """`client.fraud`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core
        self.blocked_countries = FraudBlockedCountries(core)
        self.checks = FraudChecks(core)
        self.queue = FraudQueue(core)
        self.settings = FraudSettings(core)
        self.whitelist = FraudWhitelist(core)

    async def dashboard(self) -> types.FraudDashboard:
        """Read the fraud dashboard."""
        return await self._core.one(types.FraudDashboard, "GET", "/api/external/v1/fraud/dashboard")

    async def signals(self) -> Rows[types.SignalReport]:
        """Read the accuracy of each signal."""
        return await self._core.many(types.SignalReport, "GET", "/api/external/v1/fraud/signals")

    async def backtest(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.BacktestSettings]
    ) -> types.Backtest:
        """Backtest settings or a rule on past orders."""
        return await self._core.one(
            types.Backtest, "POST", "/api/external/v1/fraud/backtest", body=body, key=idempotency_key
        )

    async def explain(self, **query: Unpack[takes.ExplainBuyer]) -> types.Explanation:
        """Explain what counts against a buyer now."""
        return await self._core.one(types.Explanation, "GET", "/api/external/v1/fraud/explain", query=query)

    async def review_ring(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.ReviewRing]
    ) -> Rows[types.Reviewed]:
        """Review several fraud checks at once."""
        return await self._core.many(
            types.Reviewed, "POST", "/api/external/v1/fraud/reviews", body=body, key=idempotency_key
        )
