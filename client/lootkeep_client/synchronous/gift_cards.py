"""The methods of `gift_cards`; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client.cores import Core
from lootkeep_client.pages import Data, Pages
from lootkeep_client.parameters import gift_cards as takes


class GiftCards:
    """`client.gift_cards`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListGiftCards]) -> Pages:
        """List gift cards."""
        return self._core.pages("GET", "/api/external/v1/gift-cards", query=query)

    def statistics(self) -> Data:
        """Read gift card statistics."""
        return self._core.one("GET", "/api/external/v1/gift-cards/statistics")

    def get(self, gift_card_id: int) -> Data:
        """Read a gift card with its transactions."""
        return self._core.one("GET", "/api/external/v1/gift-cards/{id}", gift_card_id)

    def validate(self, *, idempotency_key: str | None = None, **body: Unpack[takes.ValidateGiftCard]) -> Data:
        """Check a gift card's code and balance."""
        return self._core.one("POST", "/api/external/v1/gift-cards/validate", body=body, key=idempotency_key)

    def redeem(
        self, gift_card_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.RedeemGiftCard]
    ) -> Data:
        """Redeem an amount."""
        return self._core.one(
            "POST", "/api/external/v1/gift-cards/{id}/redeem", gift_card_id, body=body, key=idempotency_key
        )

    def revoke(
        self, gift_card_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.RevokeGiftCard]
    ) -> Data:
        """Revoke a gift card."""
        return self._core.one(
            "POST", "/api/external/v1/gift-cards/{id}/revoke", gift_card_id, body=body, key=idempotency_key
        )

    def resend_email(
        self, gift_card_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.ResendGiftCard]
    ) -> Data:
        """Resend a gift card by e-mail."""
        return self._core.one(
            "POST", "/api/external/v1/gift-cards/{id}/resend-email", gift_card_id, body=body, key=idempotency_key
        )

    def update(self, gift_card_id: int, **body: Unpack[takes.UpdateGiftCard]) -> Data:
        """Update a gift card."""
        return self._core.one("PUT", "/api/external/v1/gift-cards/{id}", gift_card_id, body=body)
