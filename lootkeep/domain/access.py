"""Access to the service: users, their tokens, and the scopes of a token."""

from __future__ import annotations

import hashlib

import msgspec

from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import invalid

TOKEN_PREFIX = "lk_"  # noqa: S105  what a token starts with, so that leaked ones are recognised by scanners
# No other token starts with it, so the prefix decides which store to use.
TEST_TOKEN_PREFIX = "lktest_"  # noqa: S105  the same
# Enough of a token to recognise it in a list, too little to use it.
_HINT_CHARACTERS = 4

OWNER_EMAIL = "owner@localhost"
OWNER_NAME = "Owner"

GROUPS = {
    "referrals": "the referral program",
    "fraud": "fraud checks, settings and lists",
    "webhooks": "webhooks and their deliveries",
    "products": "products",
    "orders": "orders",
    "customers": "customers",
    "analytics": "revenue and sales figures",
    "gift-cards": "gift cards",
    "coupons": "coupons",
    "creators": "creators and what they earn",
    "support-tickets": "support tickets",
    "email-campaigns": "e-mail campaigns",
    "alerts": "alerts to the staff",
    "servers": "game servers and their commands",
    "payments": "payment sources and what providers reported",
    "store": "the store's own data through the Store API",
}

SCOPES = {
    **{f"{group}:read": f"Read {what}." for group, what in GROUPS.items()},
    **{f"{group}:write": f"Change {what}." for group, what in GROUPS.items()},
    "store:import": "Use past times when writing through the Store API, to import a shop's history.",
    "events:read": "Read the event feed, with the data of all events.",
    "metrics:read": "Read the service's own metrics.",
}

# Only the token of a game server has it, and no other scope: it takes the commands of its own queue.
SERVER_SCOPE = "commands:run"


class User(msgspec.Struct, frozen=True):
    """Someone who works in the store; tokens act in a user's name."""

    id: int
    email: str
    name: str
    is_owner: bool
    created_at: Instant


class Token(msgspec.Struct, frozen=True):
    """An access token as it is stored: never the token itself, only its digest."""

    id: int
    user_id: int
    name: str
    hint: str
    scopes: str
    rate_limit: int | None
    created_at: Instant
    expires_at: Instant | None
    revoked_at: Instant | None
    last_used_at: Instant | None

    def is_valid(self, now: Instant) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def may(self, scope: str) -> bool:
        return f" {scope} " in f" {self.scopes} "


def removed_email(user_id: int) -> str:
    """Of a user who was removed: unique, and in a domain that can never exist."""
    return f"removed-{user_id}@removed.invalid"


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def hint(token: str) -> str:
    return token[: token.index("_") + 1 + _HINT_CHARACTERS]


def check_name(name: str) -> None:
    if not name.strip():
        raise invalid("name", "The name field must not be blank.")
    if not name.isprintable():
        raise invalid("name", "The name field must contain only printable characters.")


def checked_email(text: str) -> str:
    email = text.strip().lower()
    name, at, host = email.rpartition("@")
    if not (name and at and host) or not email.isprintable() or " " in email:
        raise invalid("email", "The email field must be a valid e-mail address.")
    return email
