"""What `payments` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import TypedDict

from lootkeep_client.types.words import PaymentEventReason, PaymentEventStatus, PaymentOperation, PaymentProvider


class PaymentSource(TypedDict):
    id: int
    provider: PaymentProvider
    name: str
    url: str
    is_active: bool
    is_test: bool
    last_event_at: str | None
    created_at: str
    updated_at: str


class PaymentEvent(TypedDict):
    id: int
    source_id: int
    provider_event_id: str
    type: str
    operation: PaymentOperation | None
    status: PaymentEventStatus
    reason: PaymentEventReason | None
    order_id: int | None
    amount: str | None
    currency: str | None
    created_at: str
    applied_at: str | None
