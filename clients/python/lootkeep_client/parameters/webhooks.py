"""What the methods of `webhooks` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Required, TypedDict

from lootkeep_client import types


class CreateWebhook(TypedDict, total=False):
    """Create a webhook."""

    url: Required[str]
    events: Required[Sequence[types.EventSubscription]]
    headers: Mapping[str, str | None]
    filter: str | None


class UpdateWebhook(TypedDict, total=False):
    """Update a webhook."""

    url: str
    events: Sequence[types.EventSubscription]
    headers: Mapping[str, str | None]
    filter: str | None
    is_active: bool


class ListDeliveries(TypedDict, total=False):
    """List a webhook's deliveries."""

    page: int
    per_page: int
    status: types.DeliveryStatus
    event_type: types.EventType
    from_: str
    sort: Literal["created_at"]
    order: types.SortDirection
    to: str


class ReplayEvents(TypedDict, total=False):
    """Send recorded events again."""

    since: Required[str]
    event_types: Sequence[types.EventSubscription] | None
