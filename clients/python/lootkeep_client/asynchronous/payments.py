"""The methods of `payments`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import AsyncCore
from lootkeep_client.pages import AsyncPages, Rows
from lootkeep_client.parameters import payments as takes


class PaymentsSources:
    """`client.payments.sources`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def list(self) -> Rows[types.PaymentSource]:
        """List payment sources."""
        return await self._core.many(types.PaymentSource, "GET", "/api/external/v1/payment-sources")

    async def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreatePaymentSource]
    ) -> types.PaymentSource:
        """Create a payment source."""
        return await self._core.one(
            types.PaymentSource, "POST", "/api/external/v1/payment-sources", body=body, key=idempotency_key
        )

    async def get(self, payment_source_id: int) -> types.PaymentSource:
        """Read a payment source."""
        return await self._core.one(
            types.PaymentSource, "GET", "/api/external/v1/payment-sources/{id}", payment_source_id
        )

    async def update(self, payment_source_id: int, **body: Unpack[takes.UpdatePaymentSource]) -> types.PaymentSource:
        """Update a payment source."""
        return await self._core.one(
            types.PaymentSource, "PUT", "/api/external/v1/payment-sources/{id}", payment_source_id, body=body
        )

    async def delete(self, payment_source_id: int) -> str:
        """Delete a payment source."""
        return await self._core.message("DELETE", "/api/external/v1/payment-sources/{id}", payment_source_id)


class PaymentsEvents:
    """`client.payments.events`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListPaymentEvents]) -> AsyncPages[types.PaymentEvent]:
        """List payment events."""
        return self._core.pages(types.PaymentEvent, "GET", "/api/external/v1/payment-events", query=query)

    async def get(self, payment_event_id: int) -> types.PaymentEvent:
        """Read a payment event."""
        return await self._core.one(types.PaymentEvent, "GET", "/api/external/v1/payment-events/{id}", payment_event_id)

    async def match(
        self, payment_event_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.MatchPaymentEvent]
    ) -> types.PaymentEvent:
        """Apply a payment event to an order."""
        return await self._core.one(
            types.PaymentEvent,
            "POST",
            "/api/external/v1/payment-events/{id}/match",
            payment_event_id,
            body=body,
            key=idempotency_key,
        )


class Payments:
    """`client.payments`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core
        self.events = PaymentsEvents(core)
        self.sources = PaymentsSources(core)
