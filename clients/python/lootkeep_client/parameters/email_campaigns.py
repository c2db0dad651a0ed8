"""What the methods of `email_campaigns` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Literal, Required, TypedDict

from lootkeep_client import types


class ListCampaigns(TypedDict, total=False):
    """List campaigns."""

    page: int
    per_page: int
    status: types.CampaignStatus
    search: str
    from_: str
    to: str
    sort: Literal["id", "created_at", "name"]
    order: types.SortDirection


class CreateCampaign(TypedDict, total=False):
    """Create a campaign."""

    name: Required[str]
    subject: Required[str]
    preview_text: str | None
    from_name: str | None
    reply_to: str | None
    body_html: str | None
    body_text: str | None
    body_markdown: str | None
    audience: types.AudienceBody


class UpdateCampaign(TypedDict, total=False):
    """Update a campaign."""

    name: str
    subject: str
    preview_text: str | None
    from_name: str | None
    reply_to: str | None
    body_html: str | None
    body_text: str | None
    body_markdown: str | None
    audience: types.AudienceBody


class PreviewEmail(TypedDict, total=False):
    """Preview a campaign's e-mail."""

    customer_id: int


class SendTestEmail(TypedDict, total=False):
    """Send a test e-mail."""

    email: Required[str]


class SendCampaign(TypedDict, total=False):
    """Send or schedule a campaign."""

    scheduled_at: str | None


class DuplicateCampaign(TypedDict, total=False):
    """Duplicate a campaign."""

    name: str | None
