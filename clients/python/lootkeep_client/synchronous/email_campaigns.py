"""The methods of `email_campaigns`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Pages
from lootkeep_client.parameters import email_campaigns as takes


class EmailCampaigns:
    """`client.email_campaigns`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListCampaigns]) -> Pages[types.CampaignList]:
        """List campaigns."""
        return self._core.pages(types.CampaignList, "GET", "/api/external/v1/email-campaigns", query=query)

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateCampaign]) -> types.Campaign:
        """Create a campaign."""
        return self._core.one(
            types.Campaign, "POST", "/api/external/v1/email-campaigns", body=body, key=idempotency_key
        )

    def get(self, email_campaign_id: int) -> types.Campaign:
        """Read a campaign."""
        return self._core.one(types.Campaign, "GET", "/api/external/v1/email-campaigns/{id}", email_campaign_id)

    def update(self, email_campaign_id: int, **body: Unpack[takes.UpdateCampaign]) -> types.Campaign:
        """Update a campaign."""
        return self._core.one(
            types.Campaign, "PUT", "/api/external/v1/email-campaigns/{id}", email_campaign_id, body=body
        )

    def delete(self, email_campaign_id: int) -> str:
        """Delete a campaign."""
        return self._core.message("DELETE", "/api/external/v1/email-campaigns/{id}", email_campaign_id)

    def stats(self, email_campaign_id: int) -> types.CampaignStats:
        """Read campaign statistics."""
        return self._core.one(
            types.CampaignStats, "GET", "/api/external/v1/email-campaigns/{id}/stats", email_campaign_id
        )

    def preview_recipients(self, email_campaign_id: int) -> types.RecipientsPreview:
        """Preview a campaign's recipients."""
        return self._core.one(
            types.RecipientsPreview,
            "GET",
            "/api/external/v1/email-campaigns/{id}/preview-recipients",
            email_campaign_id,
        )

    def preview(self, email_campaign_id: int, **query: Unpack[takes.PreviewEmail]) -> types.EmailPreview:
        """Preview a campaign's e-mail."""
        return self._core.one(
            types.EmailPreview, "GET", "/api/external/v1/email-campaigns/{id}/preview", email_campaign_id, query=query
        )

    def test(
        self, email_campaign_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.SendTestEmail]
    ) -> types.TestEmail:
        """Send a test e-mail."""
        return self._core.one(
            types.TestEmail,
            "POST",
            "/api/external/v1/email-campaigns/{id}/test",
            email_campaign_id,
            body=body,
            key=idempotency_key,
        )

    def send(
        self, email_campaign_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.SendCampaign]
    ) -> types.Campaign:
        """Send or schedule a campaign."""
        return self._core.one(
            types.Campaign,
            "POST",
            "/api/external/v1/email-campaigns/{id}/send",
            email_campaign_id,
            body=body,
            key=idempotency_key,
        )

    def cancel(self, email_campaign_id: int, *, idempotency_key: str | None = None) -> types.Campaign:
        """Cancel a campaign."""
        return self._core.one(
            types.Campaign,
            "POST",
            "/api/external/v1/email-campaigns/{id}/cancel",
            email_campaign_id,
            key=idempotency_key,
        )

    def duplicate(
        self, email_campaign_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.DuplicateCampaign]
    ) -> types.Campaign:
        """Duplicate a campaign."""
        return self._core.one(
            types.Campaign,
            "POST",
            "/api/external/v1/email-campaigns/{id}/duplicate",
            email_campaign_id,
            body=body,
            key=idempotency_key,
        )
