"""The public JSON of gift cards: never the whole code, except in the response that creates a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, get_args

import msgspec

from lootkeep.domain.analytics import zone
from lootkeep.domain.emails import NewEmail, StoreIdentity
from lootkeep.domain.gift_cards import EntryType, GiftCard, GiftCardStatus, LedgerEntry, masked, status, usability
from lootkeep.kernel.clock import Instant, in_zone, utc
from lootkeep.kernel.money import Hundredths, text
from lootkeep.views.emails import last_day, render
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of
from lootkeep.views.money import in_words

_MASKED = "****-****-****-7K2P"
_HUNDRED_PERCENT = 100_00


class GiftCardView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the gift card.", 12)]
    masked_code: Annotated[str, field("The masked code, which shows only its end.", _MASKED)]
    initial_balance: Annotated[str, field("The initial balance.", "25.00")]
    balance: Annotated[str, field("The current balance.", "25.00")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    status: Annotated[GiftCardStatus, field("The current status of the card.", "active")]
    recipient_email: Annotated[str | None, field("The recipient.", "jun@example.com")]
    recipient_name: Annotated[str | None, field("The recipient's name.", "Jun Park")]
    sender_name: Annotated[str | None, field("The sender.", "Mina")]
    message: Annotated[str | None, field("The message of the sender.", "Happy birthday!")]
    customer_id: Annotated[int | None, field("The customer it belongs to.", None)]
    order_id: Annotated[int | None, field("The order it was bought in.", None)]
    starts_at: Annotated[Moment | None, field("When it becomes valid; null means immediately.", None)]
    expires_at: Annotated[Moment | None, field("When it expires; null means never.", "2027-11-15T10:30:00Z")]
    note: Annotated[str | None, field("A note for the staff.", None)]
    sent_at: Annotated[Moment | None, field("When it was last e-mailed.", None)]
    send_count: Annotated[int, field("How often it was e-mailed.", 0)]
    last_used_at: Annotated[Moment | None, field("When it was last redeemed.", None)]
    revoked_at: Annotated[Moment | None, field("When it was revoked.", None)]
    revoke_reason: Annotated[str | None, field("Why it was revoked.", None)]
    created_at: Time
    updated_at: Time


class GiftCardTransactionView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the transaction.", 31)]
    type: Annotated[EntryType, field("What happened.", "redeem")]
    amount: Annotated[str, field("Signed; the amounts of a card add up to its balance.", "-5.00")]
    balance_after: Annotated[str, field("The balance after the transaction.", "20.00")]
    order_id: Annotated[int | None, field("The order it belongs to.", 123)]
    reference: Annotated[str | None, field("The reference of the caller.", "till-7-0042")]
    created_at: Time


class GiftCardDetailView(GiftCardView, frozen=True):
    transactions: Annotated[list[GiftCardTransactionView], msgspec.Meta(description="Every change of the balance.")]


class GiftCardWithCodeView(GiftCardView, frozen=True):
    code: Annotated[str, field("The full code; shown only now.", "7KQ2-M9XW-4TRB-7K2P")]


class GiftCardValidationView(msgspec.Struct, frozen=True):
    valid: Annotated[bool, field("Whether it can be redeemed now.", True)]
    reason: Annotated[
        str | None,
        field("Why not: `not_found`, `scheduled`, `expired`, `revoked`, `redeemed` or `disputed`.", None),
    ]
    gift_card: GiftCardView | None
    applicable_amount: Annotated[
        str, field("How much of the amount it can pay; without an amount, its balance.", "5.00")
    ]


class RedeemedGiftCardView(msgspec.Struct, frozen=True):
    gift_card_id: Annotated[int, field("The gift card.", 12)]
    masked_code: Annotated[str, field("The masked code, which shows only its end.", _MASKED)]
    amount: Annotated[str, field("The redeemed amount.", "5.00")]
    balance: Annotated[str, field("The remaining balance.", "20.00")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    transaction: GiftCardTransactionView


class SentGiftCardView(msgspec.Struct, frozen=True):
    sent_to: Annotated[str, field("The e-mail address it was sent to.", "jun@example.com")]
    sent_at: Time
    send_count: Annotated[int, field("How often it was e-mailed in total.", 2)]


class GiftCardCountsView(msgspec.Struct, frozen=True):
    scheduled: Annotated[int, field("Cards that are not valid yet.", 3)]
    active: Annotated[int, field("Cards that can be redeemed.", 120)]
    redeemed: Annotated[int, field("Cards with no balance left.", 70)]
    expired: Annotated[int, field("Expired cards with a balance.", 5)]
    revoked: Annotated[int, field("Revoked cards.", 2)]


class GiftCardCurrencyView(msgspec.Struct, frozen=True):
    currency: Annotated[str, field("ISO 4217.", "USD")]
    total: Annotated[int, field("Gift cards in this currency.", 200)]
    by_status: GiftCardCountsView
    total_issued_value: Annotated[str, field("The sum of initial balances.", "5000.00")]
    outstanding_balance: Annotated[str, field("What can still be redeemed, now or later.", "3000.00")]
    total_redeemed_value: Annotated[str, field("The redeemed amount, minus refunds to cards.", "1850.00")]
    expired_value: Annotated[str, field("The balance of expired cards.", "100.00")]
    revoked_value: Annotated[str, field("The amount removed from cards that were revoked or refunded.", "50.00")]
    redemption_rate: Annotated[float, field("The redeemed share of the issued amount, in percent.", 37.0)]


class GiftCardStatisticsView(msgspec.Struct, frozen=True):
    total: Annotated[int, field("All gift cards.", 200)]
    by_status: GiftCardCountsView
    currencies: list[GiftCardCurrencyView]


_STATE = ("masked_code", "status")
_GIFT_CARD = view_of(GiftCardView, GiftCard, *_STATE)
_DETAIL = view_of(GiftCardDetailView, GiftCard, *_STATE, "transactions")
_WITH_CODE = view_of(GiftCardWithCodeView, GiftCard, *_STATE, "code")
_transaction = view_of(GiftCardTransactionView, LedgerEntry)


def gift_card(record: GiftCard, now: Instant) -> GiftCardView:
    return _GIFT_CARD(record, masked_code=masked(record), status=status(record, now))


def gift_card_detail(record: GiftCard, entries: Sequence[LedgerEntry], now: Instant) -> GiftCardDetailView:
    transactions = [_transaction(entry) for entry in entries]
    return _DETAIL(record, masked_code=masked(record), status=status(record, now), transactions=transactions)


def gift_card_with_code(record: GiftCard, code: str, now: Instant) -> GiftCardWithCodeView:
    return _WITH_CODE(record, masked_code=masked(record), status=status(record, now), code=code)


def validation(
    record: GiftCard | None, amount: Hundredths | None, now: Instant, *, is_disputed: bool
) -> GiftCardValidationView:
    if record is None:
        return GiftCardValidationView(valid=False, reason="not_found", gift_card=None, applicable_amount="0.00")
    state = usability(record, now, is_disputed=is_disputed)
    is_valid = state == "active"
    applicable = min(record.balance, record.balance if amount is None else amount) if is_valid else Hundredths(0)
    return GiftCardValidationView(is_valid, None if is_valid else state, gift_card(record, now), text(applicable))


def redeemed(record: GiftCard, entry: LedgerEntry) -> RedeemedGiftCardView:
    """Computed from the entry alone, so every call returns the same."""
    return RedeemedGiftCardView(
        gift_card_id=record.id,
        masked_code=masked(record),
        amount=text(Hundredths(-entry.amount)),
        balance=text(entry.balance_after),
        currency=record.currency,
        transaction=_transaction(entry),
    )


def sent(record: GiftCard, recipient: str) -> SentGiftCardView:
    assert record.sent_at is not None
    return SentGiftCardView(recipient, utc(record.sent_at), record.send_count)


def statistics(counts: Mapping[str, int], values: Mapping[str, int]) -> GiftCardStatisticsView:
    """From counts and values named `USD.active`."""
    currencies = sorted({name.partition(".")[0] for name in counts})
    each = [_of_currency(currency, counts, values) for currency in currencies]
    by_status = {state: sum(getattr(card.by_status, state) for card in each) for state in get_args(GiftCardStatus)}
    return GiftCardStatisticsView(sum(by_status.values()), GiftCardCountsView(**by_status), each)


def email(store: StoreIdentity, timezone: str, record: GiftCard, recipient: str, code: str) -> NewEmail:
    """The only e-mail with the whole code."""
    return render(
        "gift_card",
        store,
        recipient,
        record.recipient_name or "" if recipient == record.recipient_email else "",
        name=record.recipient_name,
        sender_name=record.sender_name,
        amount=in_words(record.balance, record.currency),
        code=code,
        message=record.message,
        expires_on=None if record.expires_at is None else _until(record.expires_at, timezone),
    )


def _until(end: Instant, timezone: str) -> str:
    """In the store's zone; of an end at midnight, the day that ends."""
    local = in_zone(end, zone(timezone))
    return f"{local:%-d %B %Y, %H:%M %Z}" if local.hour or local.minute else last_day(end, timezone)


def _of_currency(currency: str, counts: Mapping[str, int], values: Mapping[str, int]) -> GiftCardCurrencyView:
    by_status = {state: counts.get(f"{currency}.{state}", 0) for state in get_args(GiftCardStatus)}
    names = ("issued", "redeemed", "revoked", "expired", "active", "scheduled")
    value = {name: Hundredths(values.get(f"{currency}.{name}", 0)) for name in names}
    rate = round(value["redeemed"] * _HUNDRED_PERCENT / value["issued"]) / 100 if value["issued"] else 0.0
    return GiftCardCurrencyView(
        currency=currency,
        total=sum(by_status.values()),
        by_status=GiftCardCountsView(**by_status),
        total_issued_value=text(value["issued"]),
        outstanding_balance=text(Hundredths(value["active"] + value["scheduled"])),
        total_redeemed_value=text(value["redeemed"]),
        expired_value=text(value["expired"]),
        revoked_value=text(value["revoked"]),
        redemption_rate=rate,
    )
