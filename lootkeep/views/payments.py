"""Payment sources, and events of payment providers, in public."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lootkeep.domain.emails import StoreIdentity
from lootkeep.domain.payments.events import PaymentEvent, PaymentEventReason, PaymentEventStatus
from lootkeep.domain.payments.reports import Operation
from lootkeep.domain.payments.sources import PaymentSource, Provider
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of


class PaymentSourceView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the source.", 1)]
    provider: Annotated[Provider, field("The payment provider.", "stripe")]
    name: Annotated[str, field("The name, for staff.", "Main account")]
    url: Annotated[
        str,
        field(
            "To enter at the provider; only a path if the store has no public URL.", "https://store.example/inbox/q3Zk"
        ),
    ]
    is_active: Annotated[bool, field("Whether its events are accepted.", True)]
    is_test: Annotated[bool, field("Whether events of the provider's test mode are applied.", False)]
    last_event_at: Annotated[Moment | None, field("When the last event came, to the minute.", None)]
    created_at: Time
    updated_at: Time


class PaymentEventView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the event.", 7)]
    source_id: Annotated[int, field("The source.", 1)]
    provider_event_id: Annotated[str, field("The provider's id of the event.", "evt_1QzP7c")]
    type: Annotated[str, field("The provider's type of the event.", "charge.succeeded")]
    operation: Annotated[Operation | None, field("What it does to an order; null if nothing.", "paid")]
    status: Annotated[PaymentEventStatus, field("What became of it.", "applied")]
    reason: Annotated[PaymentEventReason | None, field("Why, where there is more to say.", None)]
    order_id: Annotated[int | None, field("The order it was applied to, or compared with.", 123)]
    amount: Annotated[str | None, field("The amount that the provider reports.", "49.99")]
    currency: Annotated[str | None, field("ISO 4217.", "USD")]
    created_at: Time
    applied_at: Annotated[Moment | None, field("When it was applied.", "2026-11-15T10:30:00Z")]


_SOURCE = view_of(PaymentSourceView, PaymentSource, "url")
event = view_of(PaymentEventView, PaymentEvent)


def source(record: PaymentSource, store: StoreIdentity) -> PaymentSourceView:
    return _SOURCE(record, url=url(record, store))


def url(record: PaymentSource, store: StoreIdentity) -> str:
    return f"{store.public_url.rstrip('/')}{record.path}" if store.has_public_url else record.path
