"""Accounts that are linked by shared values, starting from one of them."""

from __future__ import annotations

from typing import Literal

import msgspec

from lootkeep.domain.customers import CustomerStatus
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.kernel.wording import plural

LinkKind = Literal["device", "address", "mailbox", "instrument", "player", "referral"]

MAX_DEPTH = 2
MAX_ACCOUNTS = 200
# A value that more accounts share (a café, a mail provider) is listed but not followed.
MAX_HUB = 20


class LinkedAccount(msgspec.Struct, frozen=True):
    """An account, its distance from the first one, and its outcome."""

    id: int
    name: str
    status: CustomerStatus
    orders_count: int
    total_spent: Hundredths
    is_fraud: bool
    is_disputed: bool
    depth: int

    @property
    def is_bad(self) -> bool:
        return self.is_fraud or self.status == "blocked"

    @property
    def fate(self) -> tuple[str, str]:
        """Its outcome, as a text and a tone."""
        if self.is_bad:
            return "confirmed fraud" if self.is_fraud else "blocked", "bad"
        if self.orders_count:
            return plural(self.orders_count, "paid order"), "ok"
        return "no paid order", "quiet"


class AccountLink(msgspec.Struct, frozen=True):
    """An account was seen with a value, from the first to the last time."""

    kind: LinkKind
    # For a referral, the id of the referrer.
    value: str
    customer_id: int
    first_seen_at: Instant
    last_seen_at: Instant


class Hub(msgspec.Struct, frozen=True):
    """A value that too many accounts share to link two of them."""

    kind: LinkKind
    value: str


class LinkedAccounts(msgspec.Struct, frozen=True):
    accounts: list[LinkedAccount]
    edges: list[AccountLink]
    hubs: list[Hub]
    # False if there are more accounts than are listed.
    is_complete: bool
