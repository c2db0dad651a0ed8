"""The methods of `gift_cards`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Pages
from lootkeep_client.parameters import gift_cards as takes


class GiftCards:
    """`client.gift_cards`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListGiftCards]) -> Pages[types.GiftCard]:
        """List gift cards."""
        return self._core.pages(types.GiftCard, "GET", "/api/external/v1/gift-cards", query=query)

    def statistics(self) -> types.GiftCardStatistics:
        """Read gift card statistics."""
        return self._core.one(types.GiftCardStatistics, "GET", "/api/external/v1/gift-cards/statistics")

    def get(self, gift_card_id: int) -> types.GiftCardDetail:
        """Read a gift card with its transactions."""
        return self._core.one(types.GiftCardDetail, "GET", "/api/external/v1/gift-cards/{id}", gift_card_id)

    def validate(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.ValidateGiftCard]
    ) -> types.GiftCardValidation:
        """Check a gift card's code and balance."""
        return self._core.one(
            types.GiftCardValidation, "POST", "/api/external/v1/gift-cards/validate", body=body, key=idempotency_key
        )

    def redeem(
        self, gift_card_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.RedeemGiftCard]
    ) -> types.RedeemedGiftCard:
        """Redeem an amount."""
        return self._core.one(
            types.RedeemedGiftCard,
            "POST",
            "/api/external/v1/gift-cards/{id}/redeem",
            gift_card_id,
            body=body,
            key=idempotency_key,
        )

    def revoke(
        self, gift_card_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.RevokeGiftCard]
    ) -> types.GiftCard:
        """Revoke a gift card."""
        return self._core.one(
            types.GiftCard,
            "POST",
            "/api/external/v1/gift-cards/{id}/revoke",
            gift_card_id,
            body=body,
            key=idempotency_key,
        )

    def resend_email(
        self, gift_card_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.ResendGiftCard]
    ) -> types.SentGiftCard:
        """Resend a gift card by e-mail."""
        return self._core.one(
            types.SentGiftCard,
            "POST",
            "/api/external/v1/gift-cards/{id}/resend-email",
            gift_card_id,
            body=body,
            key=idempotency_key,
        )

    def update(self, gift_card_id: int, **body: Unpack[takes.UpdateGiftCard]) -> types.GiftCard:
        """Update a gift card."""
        return self._core.one(types.GiftCard, "PUT", "/api/external/v1/gift-cards/{id}", gift_card_id, body=body)
