"""Customers and how they are found."""

from __future__ import annotations

from typing import Literal

import msgspec

from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths

CustomerStatus = Literal["active", "blocked"]
MailboxStatus = Literal["ok", "bounced", "complained", "unsubscribed"]


class Customer(msgspec.Struct, frozen=True):
    """Someone who buys; the totals are maintained by the operations that change them."""

    id: int
    email: str
    name: str
    username: str | None
    external_id: str | None
    country: str | None
    status: CustomerStatus
    accepts_marketing: bool
    email_status: MailboxStatus
    referral_code: str
    referred_by_id: int | None
    orders_count: int
    total_spent: Hundredths
    first_order_at: Instant | None
    last_order_at: Instant | None
    tags: str
    note: str | None
    created_at: Instant
    updated_at: Instant


def search_text(*parts: str | None) -> str:
    """What a search looks through: the parts, case folded, one per line."""
    return "\n".join(folded(part) for part in parts if part)


def folded(text: str) -> str:
    """A text as it is searched for: case folded, on one line, so that no term reaches over two parts."""
    return text.casefold().replace("\n", " ")


def plain_code(code: str) -> str:
    """Codes are compared without case and blanks."""
    return "".join(code.split()).upper()
