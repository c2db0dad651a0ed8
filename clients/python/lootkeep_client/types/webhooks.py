"""What `webhooks` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from lootkeep_client.types.words import DeliveryStatus, EventType


class Replay(TypedDict):
    id: int
    webhook_id: int
    since: str
    event_types: Sequence[EventType]
    total: int
    done: int
    created_at: str
    finished_at: str | None


class Delivery(TypedDict):
    id: str
    webhook_id: int
    event_id: int
    event_type: EventType
    status: DeliveryStatus
    attempts_count: int
    response_code: int | None
    reason: str | None
    created_at: str
    next_attempt_at: str | None
    finished_at: str | None


class Sent(TypedDict):
    url: str | None
    headers: Mapping[str, str]
    body: str


class Attempt(TypedDict):
    number: int
    outcome: Literal["delivered", "failed", "interrupted", "open"]
    started_at: str
    finished_at: str | None
    response_code: int | None
    response_time_ms: int | None
    reason: str | None
    response_excerpt: str | None


class DeliveryDetail(TypedDict):
    delivery: Delivery
    sent: Sent
    attempts: Sequence[Attempt]


class Webhook(TypedDict):
    id: int
    url: str
    events: Sequence[EventType]
    is_active: bool
    header_names: Sequence[str]
    filter: str | None
    created_at: str


class WebhookWithSecret(TypedDict):
    id: int
    url: str
    events: Sequence[EventType]
    is_active: bool
    header_names: Sequence[str]
    filter: str | None
    secret: str
    created_at: str


class TestResult(TypedDict):
    delivered: bool
    response_code: int | None
    response_time_ms: int
