"""What `email_campaigns` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from lootkeep_client.types.words import AudienceType, CampaignStatus


class FiltersBody(TypedDict):
    countries: NotRequired[Sequence[str] | None]
    min_total_spent: NotRequired[str | float | None]
    min_orders: NotRequired[int | None]
    last_order_before: NotRequired[str | None]
    last_order_after: NotRequired[str | None]
    registered_from: NotRequired[str | None]
    registered_to: NotRequired[str | None]
    product_ids: NotRequired[Sequence[int] | None]
    tags: NotRequired[Sequence[str] | None]
    is_referrer: NotRequired[bool | None]


class AudienceBody(TypedDict):
    type: AudienceType
    customer_ids: NotRequired[Sequence[int]]
    filters: NotRequired[FiltersBody]


class Filters(TypedDict):
    countries: Sequence[str] | None
    min_total_spent: str | None
    min_orders: int | None
    last_order_before: str | None
    last_order_after: str | None
    registered_from: str | None
    registered_to: str | None
    product_ids: Sequence[int] | None
    tags: Sequence[str] | None
    is_referrer: bool | None


class Audience(TypedDict):
    type: AudienceType
    customer_ids: Sequence[int]
    filters: Filters


class CampaignList(TypedDict):
    id: int
    name: str
    subject: str
    preview_text: str | None
    from_name: str | None
    reply_to: str | None
    audience: Audience
    status: CampaignStatus
    scheduled_at: str | None
    recipients_count: int
    sent_count: int
    failed_count: int
    skipped_count: int
    outbox_count: int
    error: str | None
    started_at: str | None
    completed_at: str | None
    duplicated_from_id: int | None
    created_at: str
    updated_at: str


class Campaign(TypedDict):
    id: int
    name: str
    subject: str
    preview_text: str | None
    from_name: str | None
    reply_to: str | None
    audience: Audience
    status: CampaignStatus
    scheduled_at: str | None
    recipients_count: int
    sent_count: int
    failed_count: int
    skipped_count: int
    outbox_count: int
    error: str | None
    started_at: str | None
    completed_at: str | None
    duplicated_from_id: int | None
    created_at: str
    updated_at: str
    body_html: str | None
    body_text: str | None
    body_markdown: str | None


class CampaignStats(TypedDict):
    recipients: int
    pending: int
    sent: int
    failed: int
    skipped: int
    outbox: int
    perhaps_twice: int
    opened: int
    clicked: int
    unsubscribed: int
    referral_clicks: int
    progress: float
    failure_rate: float
    open_rate: float
    click_rate: float
    unsubscribe_rate: float


class Excluded(TypedDict):
    not_opted_in: int
    unsubscribed: int
    bounced: int
    blocked: int


class Sample(TypedDict):
    id: int
    name: str
    email: str


class RecipientsPreview(TypedDict):
    total: int
    excluded: Excluded
    sample: Sequence[Sample]


class Reader(TypedDict):
    id: int | None
    name: str
    email: str


class EmailPreview(TypedDict):
    reader: Reader
    from_name: str | None
    reply_to: str | None
    subject: str
    html: str
    text: str


class TestEmail(TypedDict):
    sent_to: str
    subject: str
