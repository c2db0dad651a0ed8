"""Gift cards as webhooks carry them: never the code, nor who it is for."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from lootkeep.domain.gift_cards import GiftCard, LedgerEntry, masked
from lootkeep.kernel.clock import optional_utc
from lootkeep.kernel.money import Hundredths, text
from lootkeep.views.fields import Moment, field


class GiftCardData(msgspec.Struct, frozen=True):
    gift_card_id: Annotated[int, field("Identifies the gift card.", 12)]
    masked_code: Annotated[str, field("The masked code, which shows only its end.", "****-****-****-7K2P")]
    balance: Annotated[str, field("The balance after the event.", "25.00")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    order_id: Annotated[int | None, field("The order that bought it, or that it paid for.", None)]
    customer_id: Annotated[int | None, field("The customer it belongs to.", None)]
    expires_at: Annotated[Moment | None, field("When it expires; null means never.", "2027-11-15T10:30:00Z")]


class GiftCardRedeemedData(GiftCardData, frozen=True):
    amount: Annotated[str, field("The amount that was redeemed.", "5.00")]
    reference: Annotated[str | None, field("The reference of the caller.", "till-7-0042")]


def created(card: GiftCard) -> GiftCardData:
    return GiftCardData(**_common(card, card.balance, card.order_id))


def redeemed(card: GiftCard, entry: LedgerEntry) -> GiftCardRedeemedData:
    common = _common(card, entry.balance_after, entry.order_id)
    return GiftCardRedeemedData(**common, amount=text(Hundredths(-entry.amount)), reference=entry.reference)


def _common(card: GiftCard, balance: Hundredths, order_id: int | None) -> dict[str, Any]:
    return {
        "gift_card_id": card.id,
        "masked_code": masked(card),
        "balance": text(balance),
        "currency": card.currency,
        "order_id": order_id,
        "customer_id": card.customer_id,
        "expires_at": optional_utc(card.expires_at),
    }
