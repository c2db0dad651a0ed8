"""Customers and how they are found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from lootkeep.domain.identity import mailbox
from lootkeep.domain.players import Identity, identities_of, replaced_identities
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, Unprocessable, invalid
from lootkeep.kernel.money import Hundredths
from lootkeep.kernel.search import search_text

CustomerStatus = Literal["active", "blocked"]
MailboxStatus = Literal["ok", "bounced", "complained", "unsubscribed"]

ERASED_NAME = "Erased customer"
ERASED_REASON = "Personal data was erased."
# The replacement of a text that only the customer and the staff could have read.
ERASED_TEXT = "Erased."

MAX_TAGS = 50
MAX_TAG_LENGTH = 50
MAX_NOTE_LENGTH = 2000


class Customer(msgspec.Struct, frozen=True):
    """A customer; the operations that change the totals maintain them."""

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
    status_reason: str | None = None
    consent_given_at: Instant | None = None
    consent_withdrawn_at: Instant | None = None
    erased_at: Instant | None = None
    # JSON: the players that the customer is.
    identities: str = "[]"
    # JSON: what was sent to these, or paid from them, is still the customer's.
    former_emails: str = "[]"

    @property
    def search_text(self) -> str:
        players = [text for player in self.players for text in (player.name, player.id)]
        return search_text(self.name, *players, self.email)

    @property
    def players(self) -> list[Identity]:
        return identities_of(self.identities)

    @property
    def earlier_emails(self) -> list[str]:
        return msgspec.json.decode(self.former_emails, type=list[str])

    @property
    def mailbox(self) -> str:
        return mailbox(self.email)


def changed(before: Customer, changes: Mapping[str, Any], now: Instant) -> Customer:
    """The customer with these fields changed; the same record if nothing differs."""
    if before.erased_at is not None:
        raise Conflict("customer_erased", "The personal data of this customer was erased. Nothing can be changed.")
    values = dict(changes)
    if values.get("status", before.status) != before.status:
        # A reason applies only to the change it was given for.
        values.setdefault("status_reason", None)
    if values.get("email"):
        values["email"] = values["email"].lower()
        if values["email"] != before.email and before.email_status == "bounced":
            # That was the former address.
            values.setdefault("email_status", "ok")
    if "identities" in values:
        values["identities"] = replaced_identities(before.identities, values["identities"])
    after = replace(before, **values)
    if after.status == "blocked" and not after.status_reason:
        raise invalid("status_reason", "The status reason field is required for a customer who is blocked.")
    if after == before:
        return before
    if after.email != before.email:
        former = [email for email in (*before.earlier_emails, before.email) if email != after.email]
        after = replace(after, former_emails=msgspec.json.encode(former).decode())
    if after.accepts_marketing != before.accepts_marketing:
        time = "consent_given_at" if after.accepts_marketing else "consent_withdrawn_at"
        after = replace(after, **{time: now})
    return replace(after, updated_at=now)


def known_customer(customer: Customer | None) -> Customer:
    """The customer whose id a request names."""
    if customer is None:
        raise invalid("customer_id", "The customer id field is not a customer of this store.")
    return customer


def accepted_customer(customer: Customer | None) -> Customer:
    """The same, if something new is to be stored about them."""
    customer = known_customer(customer)
    require_not_erased(customer)
    return customer


def require_not_erased(customer: Customer) -> None:
    """Nothing new is stored about someone whose data was erased."""
    if customer.erased_at is not None:
        sentence = "The personal data of this customer was erased: nothing more is accepted for them."
        raise Unprocessable("customer_erased", sentence)


def pseudonym(customer_id: int) -> str:
    """The e-mail of an erased customer: unique, and in a domain that can never exist."""
    return f"erased-{customer_id}@erased.invalid"


def plain_code(code: str) -> str:
    """Codes are compared without case and spaces."""
    return "".join(code.split()).upper()
