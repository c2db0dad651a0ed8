"""The methods of `gift_cards`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import AsyncCore
from lootkeep_client.pages import AsyncPages
from lootkeep_client.parameters import gift_cards as takes


class GiftCards:
    """`client.gift_cards`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListGiftCards]) -> AsyncPages[types.GiftCard]:
        """List gift cards."""
        return self._core.pages(types.GiftCard, "GET", "/api/external/v1/gift-cards", query=query)

    async def statistics(self) -> types.GiftCardStatistics:
        """Read gift card statistics."""
        return await self._core.one(types.GiftCardStatistics, "GET", "/api/external/v1/gift-cards/statistics")

    async def get(self, gift_card_id: int) -> types.GiftCardDetail:
        """Read a gift card with its transactions."""
        return await self._core.one(types.GiftCardDetail, "GET", "/api/external/v1/gift-cards/{id}", gift_card_id)

    async def validate(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.ValidateGiftCard]
    ) -> types.GiftCardValidation:
        """Check a gift card's code and balance."""
        return await self._core.one(
            types.GiftCardValidation, "POST", "/api/external/v1/gift-cards/validate", body=body, key=idempotency_key
        )

    async def redeem(
        self, gift_card_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.RedeemGiftCard]
    ) -> types.RedeemedGiftCard:
        """Redeem an amount."""
        return await self._core.one(
            types.RedeemedGiftCard,
            "POST",
            "/api/external/v1/gift-cards/{id}/redeem",
            gift_card_id,
            body=body,
            key=idempotency_key,
        )

    async def revoke(
        self, gift_card_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.RevokeGiftCard]
    ) -> types.GiftCard:
        """Revoke a gift card."""
        return await self._core.one(
            types.GiftCard,
            "POST",
            "/api/external/v1/gift-cards/{id}/revoke",
            gift_card_id,
            body=body,
            key=idempotency_key,
        )

    async def resend_email(
        self, gift_card_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.ResendGiftCard]
    ) -> types.SentGiftCard:
        """Resend a gift card by e-mail."""
        return await self._core.one(
            types.SentGiftCard,
            "POST",
            "/api/external/v1/gift-cards/{id}/resend-email",
            gift_card_id,
            body=body,
            key=idempotency_key,
        )

    async def update(self, gift_card_id: int, **body: Unpack[takes.UpdateGiftCard]) -> types.GiftCard:
        """Update a gift card."""
        return await self._core.one(types.GiftCard, "PUT", "/api/external/v1/gift-cards/{id}", gift_card_id, body=body)
