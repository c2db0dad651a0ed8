"""Roles of the console: which scopes someone has, and the limits on what they refund and see."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from lootkeep.domain.access import GROUPS, SCOPES
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Unprocessable
from lootkeep.kernel.money import Hundredths

_Read = Literal[
    "referrals:read",
    "fraud:read",
    "webhooks:read",
    "products:read",
    "orders:read",
    "customers:read",
    "analytics:read",
    "gift-cards:read",
    "coupons:read",
    "creators:read",
    "support-tickets:read",
    "email-campaigns:read",
    "alerts:read",
    "servers:read",
    "payments:read",
]
_Write = Literal[
    "referrals:write",
    "fraud:write",
    "webhooks:write",
    "products:write",
    "orders:write",
    "customers:write",
    "analytics:write",
    "gift-cards:write",
    "coupons:write",
    "creators:write",
    "support-tickets:write",
    "email-campaigns:write",
    "alerts:write",
    "servers:write",
    "payments:write",
]
_Console = Literal[
    "health:read", "customers:erase", "settings:read", "settings:write", "audit:read", "team:read", "team:write"
]
# What a page of the console needs: a scope of tokens, or one that only the console has. Everyone who is signed in has
# `account`, only owners have `owner`.
Scope = Literal[_Read, _Write, _Console, "account", "owner"]

Preset = Literal["owner", "staff", "read_only"]
PRESET_NAMES: dict[str, str] = {"owner": "Owner", "staff": "Staff", "read_only": "Read-only"}
PRESET_TEXTS = {
    "owner": "Everything, with roles, tokens and settings",
    "staff": "Everything but roles, tokens, settings and the team",
    "read_only": "Looks, and changes nothing",
}

_CONSOLE_SCOPES = {
    "settings:read": "Read the settings of the service.",
    "settings:write": "Change the settings of the service, of fraud detection and of the referral program.",
    "team:read": "See who can sign in, with their roles.",
    "team:write": "Invite people and give them roles that can do no more than one's own.",
    "health:read": "See whether the service is well.",
    "customers:erase": "Erase customers for good.",
    "audit:read": "Read who changed what.",
}
# What a role is made of, with what it lets someone do; the console has no pages of the Store API.
ROLE_SCOPES = {
    f"{group}:{access}": SCOPES[f"{group}:{access}"]
    for group in GROUPS
    if group != "store"
    for access in ("read", "write")
} | _CONSOLE_SCOPES


class Permissions(msgspec.Struct, frozen=True):
    """What someone may do in the console. Whether they may is decided here and nowhere else."""

    scopes: frozenset[str]
    # The largest single refund, in the store's currency; None is any.
    refund_limit: Hundredths | None = None
    masks_emails: bool = False
    hides_revenue: bool = False

    def may(self, scope: str) -> bool:
        return scope == "account" or scope in self.scopes

    def check_refund(self, amount: Hundredths, currency: str, store_currency: str) -> None:
        if self.refund_limit is None:
            return
        if currency != store_currency:
            raise Unprocessable("refund_limit", "Your role has a refund limit in the currency of the store only.")
        if amount > self.refund_limit:
            limit = f"{money.text(self.refund_limit)} {currency}"
            raise Unprocessable(
                "refund_limit", f"Your role refunds at most {limit} at once. Ask someone who may refund more."
            )

    def covers(self, other: Permissions) -> bool:
        """Whether the other has nothing that this one has not."""
        is_limited = self.refund_limit is None or (
            other.refund_limit is not None and other.refund_limit <= self.refund_limit
        )
        sees_no_more = other.masks_emails >= self.masks_emails and other.hides_revenue >= self.hides_revenue
        return other.scopes <= self.scopes and is_limited and sees_no_more


_READING = frozenset(scope for scope in SCOPES if scope in ROLE_SCOPES and scope.endswith(":read"))
_WORKING = frozenset(scope for scope in SCOPES if scope in ROLE_SCOPES) | {"health:read"}
# Roles that always exist; each includes those after it.
PRESETS: dict[str, Permissions] = {
    "owner": Permissions(_WORKING | frozenset(_CONSOLE_SCOPES) | {"owner"}),
    "staff": Permissions(_WORKING),
    "read_only": Permissions(_READING),
}


class Role(msgspec.Struct, frozen=True):
    """A role that an owner made."""

    id: int
    name: str
    # Separated by blanks.
    scopes: str
    created_at: Instant
    updated_at: Instant
    refund_limit: Hundredths | None = None
    masks_emails: bool = False
    hides_revenue: bool = False

    @property
    def permissions(self) -> Permissions:
        return permissions(self.scopes, self.refund_limit, self.masks_emails, self.hides_revenue)


@lru_cache(maxsize=256)
def permissions(scopes: str, refund_limit: Hundredths | None, masks_emails: bool, hides_revenue: bool) -> Permissions:
    """Of a role as it is stored."""
    return Permissions(frozenset(scopes.split()), refund_limit, masks_emails, hides_revenue)
