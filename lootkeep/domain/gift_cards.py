"""Gift cards: their states, what each state allows, and the format of codes."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec.structs import asdict, replace

from lootkeep.domain.codes import fractions, require_whole
from lootkeep.domain.gift_card_codes import SealedCode
from lootkeep.kernel.clock import HOUR, SECOND, Instant, iso
from lootkeep.kernel.errors import AppError, Conflict, InvalidFields, RateLimited, invalid
from lootkeep.kernel.money import Hundredths, text
from lootkeep.kernel.search import search_text

GiftCardStatus = Literal["scheduled", "active", "redeemed", "expired", "revoked"]
Usability = GiftCardStatus | Literal["disputed"]
EntryType = Literal["issue", "redeem", "refund", "revoke"]

MAX_BALANCE = Hundredths(10_000_00)
# Enough to correct a mistyped e-mail address, and too few to flood a mailbox.
MAX_SENDS_PER_HOUR = 5
# The maximum number of cards that one line of an order may issue: each is written and e-mailed separately.
MAX_BOUGHT_AT_ONCE = 100

# The maximum length of the sender's message, and of a reason.
MAX_MESSAGE_LENGTH = 1000
MAX_NOTE_LENGTH = 2000
MAX_REFERENCE_LENGTH = 100

# Why a card was revoked.
ORDER_REFUNDED = "order refunded"
PAYMENT_LOST = "fraud or a lost dispute"

_UNUSABLE_BECAUSE: dict[Usability, str] = {
    "scheduled": "is not valid yet",
    "redeemed": "has no balance left",
    "expired": "has expired",
    "revoked": "was revoked",
    "disputed": "was bought with a payment that is disputed",
}


class GiftCardTerms(msgspec.Struct, frozen=True):
    """The terms of a card, fixed at creation."""

    initial_balance: Hundredths
    currency: str
    recipient_email: str | None
    recipient_name: str | None
    sender_name: str | None
    message: str | None
    customer_id: int | None
    # The order in which it was bought.
    order_id: int | None
    starts_at: Instant | None
    expires_at: Instant | None
    note: str | None


class GiftCard(GiftCardTerms, frozen=True):
    """A card and its use."""

    id: int
    sealed_code: str
    last_four: str
    balance: Hundredths
    # The status when it was last written or settled: lists and totals use it. Responses compute the status.
    stored_status: GiftCardStatus
    sent_at: Instant | None
    send_count: int
    # How many e-mails were sent in the hour that started with the first of them.
    sends_since: Instant | None
    recent_sends: int
    last_used_at: Instant | None
    revoked_at: Instant | None
    revoke_reason: str | None
    created_at: Instant
    updated_at: Instant

    @property
    def recipient(self) -> str | None:
        """The recipient of the card, as far as known."""
        return self.recipient_name or self.recipient_email

    @property
    def next_status_change_at(self) -> Instant | None:
        """When the status next changes by time alone, after the stored one."""
        if self.stored_status == "scheduled":
            return self.starts_at
        return self.expires_at if self.stored_status == "active" else None

    @property
    def search_text(self) -> str:
        return search_text(self.recipient_name, self.last_four, self.recipient_email)


class LedgerEntry(msgspec.Struct, frozen=True):
    """One change of a balance; the amounts of a card add up to its balance."""

    id: int
    gift_card_id: int
    type: EntryType
    amount: Hundredths
    balance_after: Hundredths
    order_id: int | None
    reference: str | None
    created_at: Instant


class RevokedValue(msgspec.Struct, frozen=True):
    """An amount removed from a card for good."""

    currency: str
    amount: Hundredths


def status(card: GiftCard, now: Instant) -> GiftCardStatus:
    """A card without balance stays `redeemed`, even after expiry."""
    if card.revoked_at is not None:
        return "revoked"
    if card.balance == 0:
        return "redeemed"
    if card.expires_at is not None and card.expires_at <= now:
        return "expired"
    if card.starts_at is not None and card.starts_at > now:
        return "scheduled"
    return "active"


def usability(card: GiftCard, now: Instant, *, is_disputed: bool) -> Usability:
    """Like a key, it is worth nothing while the payment that bought it is disputed."""
    state = status(card, now)
    return "disputed" if is_disputed and state == "active" else state


def issued(terms: GiftCardTerms, code: SealedCode, created_at: Instant, now: Instant) -> GiftCard:
    """A new card; its id is assigned when it is stored."""
    unused: dict[str, Any] = dict.fromkeys(("sent_at", "sends_since", "last_used_at", "revoked_at", "revoke_reason"))
    card = GiftCard(
        **asdict(terms),
        id=0,
        sealed_code=code.sealed_code,
        last_four=code.last_four,
        balance=terms.initial_balance,
        stored_status="active",
        send_count=0,
        recent_sends=0,
        **unused,
        created_at=created_at,
        updated_at=now,
    )
    return replace(card, stored_status=status(card, now))


def checked(terms: GiftCardTerms, now: Instant) -> GiftCardTerms:
    """The terms, or all reasons why they are invalid."""
    refused = fractions(terms.currency, initial_balance=terms.initial_balance)
    if terms.initial_balance > MAX_BALANCE:
        refused["initial_balance"] = [f"The initial balance field must not be greater than {text(MAX_BALANCE)}."]
    if error := _check_expiry(terms.starts_at, terms.expires_at, now):
        refused["expires_at"] = [error]
    if refused:
        raise InvalidFields(refused)
    return terms


def checked_past(terms: GiftCardTerms, left: Hundredths) -> GiftCardTerms:
    """The terms of a card issued elsewhere, which may have expired, and its remaining balance."""
    require_whole(terms.currency, initial_balance=terms.initial_balance, balance=left)
    if terms.initial_balance > MAX_BALANCE:
        raise invalid("initial_balance", f"The initial balance field must not be greater than {text(MAX_BALANCE)}.")
    if not 0 <= left <= terms.initial_balance:
        raise invalid("balance", f"The balance field must be 0 to {text(terms.initial_balance)}, the initial balance.")
    if terms.starts_at is not None and terms.expires_at is not None and terms.expires_at <= terms.starts_at:
        raise invalid("expires_at", "The expires at field must be after the time when the card becomes valid.")
    return terms


def changed(card: GiftCard, changes: dict[str, Any], now: Instant) -> GiftCard:
    """The card after a change by staff. Revoking is final: only the note can be changed then."""
    if card.revoked_at is not None and changes.keys() - {"note"}:
        raise _rejection("revoked", "changed, except for its note")
    if changes.get("expires_at") is not None and (error := _check_expiry(card.starts_at, changes["expires_at"], now)):
        raise invalid("expires_at", error)
    after = replace(card, **changes)
    return card if after == card else replace(after, updated_at=now)


def require_redeemable(card: GiftCard, amount: Hundredths, now: Instant, *, is_disputed: bool) -> None:
    state = usability(card, now, is_disputed=is_disputed)
    if state not in ("active", "redeemed"):
        raise _rejection(state, "redeemed")
    if amount > card.balance:
        raise invalid("amount", f"The amount field must not be greater than {text(card.balance)}, the card's balance.")
    if amount != card.balance:
        require_whole(card.currency, amount=amount)


class UnknownCard(InvalidFields):
    """A code that no card has; a caller that sends many of them is guessing."""

    def __init__(self) -> None:
        super().__init__({"gift_card_code": ["The gift card code field is not a gift card of this store."]})


def check_tender(card: GiftCard | None, currency: str, now: Instant, *, is_disputed: bool) -> AppError | None:
    """Why an order cannot be paid with the card."""
    if card is None:
        return UnknownCard()
    state = usability(card, now, is_disputed=is_disputed)
    if state != "active":
        return _not_tender(f"is a gift card that {_UNUSABLE_BECAUSE[state]}")
    if card.currency != currency:
        return _not_tender(f"is a gift card in {card.currency}, not {currency}")
    return None


def redeemed(card: GiftCard, amount: Hundredths, now: Instant) -> GiftCard:
    return replace(card, balance=Hundredths(card.balance - amount), last_used_at=now, updated_at=now)


def with_balance(card: GiftCard, balance: int, now: Instant) -> GiftCard:
    return replace(card, balance=Hundredths(balance), updated_at=now)


def revoked(card: GiftCard, reason: str | None, now: Instant) -> GiftCard:
    return replace(card, balance=Hundredths(0), revoked_at=now, revoke_reason=reason, updated_at=now)


def sent(card: GiftCard, now: Instant) -> GiftCard:
    """The card after one more e-mail; raises if there were too many within an hour."""
    if card.sends_since is None or now >= card.sends_since + HOUR:
        card = replace(card, sends_since=now, recent_sends=0)
    if card.recent_sends >= MAX_SENDS_PER_HOUR:
        assert card.sends_since is not None
        seconds = max(1, -((now - card.sends_since - HOUR) // SECOND))
        raise RateLimited(
            "gift_card_sent_too_often",
            f"A gift card can be sent {MAX_SENDS_PER_HOUR} times an hour. Please try again in {seconds} seconds.",
            seconds,
        )
    return replace(
        card, sent_at=now, send_count=card.send_count + 1, recent_sends=card.recent_sends + 1, updated_at=now
    )


def require_sendable(card: GiftCard, now: Instant) -> None:
    state = status(card, now)
    if state != "active":
        raise _rejection(state, "sent")


def masked(card: GiftCard) -> str:
    return f"****-****-****-{card.last_four}"


def _check_expiry(starts_at: Instant | None, expires_at: Instant | None, now: Instant) -> str | None:
    if expires_at is None:
        return None
    if expires_at <= now:
        return "The expires at field must be in the future."
    if starts_at is not None and expires_at <= starts_at:
        return f"The expires at field must be after {iso(starts_at)}, when the card becomes valid."
    return None


def _rejection(state: Usability, operation: str) -> Conflict:
    return Conflict(f"gift_card_{state}", f"This gift card {_UNUSABLE_BECAUSE[state]} and cannot be {operation}.")


def _not_tender(predicate: str) -> AppError:
    return invalid("gift_card_code", f"The gift card code field {predicate}.")
