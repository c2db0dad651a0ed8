"""Webhooks in public: their configuration, deliveries with every attempt, replays and the event feed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import msgspec

from lootkeep.domain import deliveries as deliveries_rules, signing as signing_rules
from lootkeep.domain.deliveries import Attempt, AttemptOutcome, AttemptResult, Delivery, DeliveryStatus
from lootkeep.domain.events import RecordedEvent
from lootkeep.domain.webhooks import Replay, Webhook
from lootkeep.kernel.clock import iso, utc
from lootkeep.views.fields import EventType, Moment, Time, field
from lootkeep.views.mapping import view_of

_DELIVERY_ID = "wh_6f1c9a52-0d6e-4b6e-9a55-0c3f1d2b7a10"

OptionalTime = Annotated[Moment | None, field("The time, in UTC; null until then.", "2026-11-15T10:30:01Z")]


class _Webhook(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the webhook.", 4)]
    url: Annotated[str, field("Where deliveries are sent.", "https://shop.example/hooks/lootkeep")]
    events: Annotated[list[EventType], field("The event types it is subscribed to.", ["order.paid", "order.refunded"])]
    is_active: Annotated[bool, field("Nothing is sent while it is false.", True)]
    header_names: Annotated[list[str], field("Extension: the additional headers, without values.", ["X-Api-Key"])]
    filter: Annotated[str | None, field("Extension: only events that fit are sent.", "amount >= 50")]


class WebhookView(_Webhook, frozen=True):
    created_at: Time


class WebhookWithSecretView(_Webhook, frozen=True):
    secret: Annotated[
        str, field("Signs every delivery; shown only now.", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=")
    ]
    created_at: Time


class TestResultView(msgspec.Struct, frozen=True):
    delivered: Annotated[bool, field("Whether the receiver responded with 2xx.", True)]
    response_code: Annotated[int | None, field("The status of the response; null if there was none.", 200)]
    response_time_ms: Annotated[int, field("How long it took.", 84)]


class DeliveryView(msgspec.Struct, frozen=True):
    id: Annotated[str, field("Identifies the delivery.", _DELIVERY_ID)]
    webhook_id: Annotated[int, field("The webhook.", 4)]
    event_id: Annotated[int, field("The event.", 801)]
    event_type: Annotated[EventType, field("The event's type.", "order.paid")]
    status: Annotated[DeliveryStatus, field("The status of the delivery.", "delivered")]
    attempts_count: Annotated[int, field("Requests made so far.", 2)]
    response_code: Annotated[int | None, field("The status of the latest response.", 200)]
    reason: Annotated[str | None, field("Why the latest attempt failed, as a sentence.", None)]
    created_at: Time
    next_attempt_at: Annotated[Moment | None, field("When it is sent next; null if it has ended.", None)]
    finished_at: OptionalTime


class AttemptView(msgspec.Struct, frozen=True):
    number: Annotated[int, field("From 1.", 1)]
    outcome: Annotated[AttemptOutcome, field("The result.", "failed")]
    started_at: Time
    finished_at: OptionalTime
    response_code: Annotated[int | None, field("The status of the response.", 503)]
    response_time_ms: Annotated[int | None, field("How long it took.", 120)]
    reason: Annotated[str | None, field("Why it failed, as a sentence.", "answered 503")]
    response_excerpt: Annotated[str | None, field("The beginning of the response.", "upstream is down")]


class DeliveryDetailView(msgspec.Struct, frozen=True):
    delivery: DeliveryView
    sent: Annotated[SentView, field("What was sent to the receiver.", {})]
    attempts: list[AttemptView]


class EventTypeView(msgspec.Struct, frozen=True):
    name: Annotated[EventType, field("What to subscribe to.", "order.paid")]
    description: Annotated[str, field("When it is sent.", "Payment received successfully.")]
    example: Annotated[dict[str, Any], field("A complete example body.", {"event_type": "order.paid"})]


class SentView(msgspec.Struct, frozen=True):
    url: Annotated[str | None, field("The current URL of the webhook.", "https://shop.example/hooks/lootkeep")]
    headers: Annotated[
        dict[str, str],
        field(
            "The headers that are the same for each attempt, without signatures and times.",
            {"X-Webhook-Event": "order.paid"},
        ),
    ]
    body: Annotated[str, field("The exact text; the signature covers its bytes.", '{"id":"wh_6f1c9a52"}')]


class ReplayView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the replay.", 2)]
    webhook_id: Annotated[int, field("The webhook.", 4)]
    since: Time
    event_types: Annotated[list[EventType], field("The event types.", ["order.paid"])]
    total: Annotated[int, field("Events to send again.", 350)]
    done: Annotated[int, field("Events queued again so far.", 100)]
    created_at: Time
    finished_at: OptionalTime


class EventView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("The cursor of this event.", 801)]
    event_type: Annotated[EventType, field("The event's type.", "order.paid")]
    created_at: Time
    data: Annotated[
        msgspec.Raw,
        msgspec.Meta(
            description="The data of the deliveries.",
            examples=[{"order_id": 123, "order_number": "ORD-000123"}],
            extra_json_schema={"type": "object"},
        ),
    ]


class EventFeedView(msgspec.Struct, frozen=True):
    events: list[EventView]
    next_cursor: Annotated[int, field("Pass it as `after` in the next call.", 801)]
    has_more: Annotated[bool, field("Whether there are more events now.", False)]


_WITH_SECRET = view_of(WebhookWithSecretView, Webhook, "secret", events="event_types")

webhook: Callable[[Webhook], WebhookView] = view_of(WebhookView, Webhook, events="event_types")


def webhook_with_secret(record: Webhook, secret: str) -> WebhookWithSecretView:
    return _WITH_SECRET(record, secret=secret)


def test_result(result: AttemptResult) -> TestResultView:
    return TestResultView(result.is_delivered, result.response_code, result.latency_ms)


delivery: Callable[[Delivery], DeliveryView] = view_of(DeliveryView, Delivery, id="public_id")
_attempt = view_of(AttemptView, Attempt, response_time_ms="latency_ms", response_excerpt="excerpt")


def delivery_detail(
    record: Delivery, event: RecordedEvent, url: str | None, attempts: Sequence[Attempt], *, is_test: bool = False
) -> DeliveryDetailView:
    body = deliveries_rules.body(record.public_id, record.event_type, iso(event.created_at), event.data)
    sent = SentView(url, signing_rules.plain_headers(record.event_type, record.public_id, is_test=is_test), body)
    return DeliveryDetailView(delivery(record), sent, [_attempt(attempt) for attempt in attempts])


replay: Callable[[Replay], ReplayView] = view_of(ReplayView, Replay)


def feed(events: Sequence[RecordedEvent], after: int, size: int) -> EventFeedView:
    """One more event than requested was read, to know whether there are more."""
    page = events[:size]
    views_of_events = [EventView(e.id, e.type, utc(e.created_at), msgspec.Raw(e.data.encode())) for e in page]
    return EventFeedView(views_of_events, page[-1].id if page else after, len(events) > size)
