"""The methods of `referrals`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Pages, Rows
from lootkeep_client.parameters import referrals as takes


class ReferralsTiers:
    """`client.referrals.tiers`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self) -> Rows[types.Tier]:
        """List reward tiers."""
        return self._core.many(types.Tier, "GET", "/api/external/v1/referrals/tiers")

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateTier]) -> types.Tier:
        """Create a reward tier."""
        return self._core.one(types.Tier, "POST", "/api/external/v1/referrals/tiers", body=body, key=idempotency_key)

    def update(self, tier_id: int, **body: Unpack[takes.UpdateTier]) -> types.Tier:
        """Update a reward tier."""
        return self._core.one(types.Tier, "PUT", "/api/external/v1/referrals/tiers/{id}", tier_id, body=body)

    def delete(self, tier_id: int) -> str:
        """Delete a reward tier."""
        return self._core.message("DELETE", "/api/external/v1/referrals/tiers/{id}", tier_id)

    def toggle(self, tier_id: int, *, idempotency_key: str | None = None) -> types.ToggledTier:
        """Activate or deactivate a reward tier."""
        return self._core.one(
            types.ToggledTier, "POST", "/api/external/v1/referrals/tiers/{id}/toggle", tier_id, key=idempotency_key
        )


class ReferralsSettings:
    """`client.referrals.settings`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def get(self) -> types.ReferralSettings:
        """Read the program's settings."""
        return self._core.one(types.ReferralSettings, "GET", "/api/external/v1/referrals/settings")

    def update(self, **body: Unpack[takes.UpdateReferralSettings]) -> types.ReferralSettings:
        """Update the program's settings."""
        return self._core.one(types.ReferralSettings, "PUT", "/api/external/v1/referrals/settings", body=body)


class ReferralsRefused:
    """`client.referrals.refused`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListRefusedReferrals]) -> Pages[types.RefusedReferral]:
        """List refused referrals."""
        return self._core.pages(types.RefusedReferral, "GET", "/api/external/v1/referrals/refused", query=query)


class ReferralsClaims:
    """`client.referrals.claims`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListClaims]) -> Pages[types.Claim]:
        """List reward claims."""
        return self._core.pages(types.Claim, "GET", "/api/external/v1/referrals/claims", query=query)


class Referrals:
    """`client.referrals`."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.claims = ReferralsClaims(core)
        self.refused = ReferralsRefused(core)
        self.settings = ReferralsSettings(core)
        self.tiers = ReferralsTiers(core)

    def list(self, **query: Unpack[takes.ListReferrals]) -> Pages[types.Referral]:
        """List referrals."""
        return self._core.pages(types.Referral, "GET", "/api/external/v1/referrals", query=query)

    def statistics(self) -> types.Statistics:
        """Read referral statistics."""
        return self._core.one(types.Statistics, "GET", "/api/external/v1/referrals/statistics")

    def leaderboard(self, **query: Unpack[takes.ListLeaderboard]) -> Rows[types.Leaderboard]:
        """Rank customers by counted referrals."""
        return self._core.many(types.Leaderboard, "GET", "/api/external/v1/referrals/leaderboard", query=query)

    def top_referrers(self, **query: Unpack[takes.ListTopReferrers]) -> Rows[types.TopReferrer]:
        """Rank customers by successful referrals."""
        return self._core.many(types.TopReferrer, "GET", "/api/external/v1/referrals/top-referrers", query=query)

    def validate(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.ValidateReferralCode]
    ) -> types.CodeValidation:
        """Check a referral code."""
        return self._core.one(
            types.CodeValidation, "POST", "/api/external/v1/referrals/validate", body=body, key=idempotency_key
        )
