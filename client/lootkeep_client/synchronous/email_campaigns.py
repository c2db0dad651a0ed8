"""The methods of `email_campaigns`; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client.cores import Core
from lootkeep_client.pages import Data, Pages
from lootkeep_client.parameters import email_campaigns as takes


class EmailCampaigns:
    """`client.email_campaigns`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListCampaigns]) -> Pages:
        """List campaigns."""
        return self._core.pages("GET", "/api/external/v1/email-campaigns", query=query)

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateCampaign]) -> Data:
        """Create a campaign."""
        return self._core.one("POST", "/api/external/v1/email-campaigns", body=body, key=idempotency_key)

    def get(self, email_campaign_id: int) -> Data:
        """Read a campaign."""
        return self._core.one("GET", "/api/external/v1/email-campaigns/{id}", email_campaign_id)

    def update(self, email_campaign_id: int, **body: Unpack[takes.UpdateCampaign]) -> Data:
        """Update a campaign."""
        return self._core.one("PUT", "/api/external/v1/email-campaigns/{id}", email_campaign_id, body=body)

    def delete(self, email_campaign_id: int) -> str:
        """Delete a campaign."""
        return self._core.message("DELETE", "/api/external/v1/email-campaigns/{id}", email_campaign_id)

    def stats(self, email_campaign_id: int) -> Data:
        """Read campaign statistics."""
        return self._core.one("GET", "/api/external/v1/email-campaigns/{id}/stats", email_campaign_id)

    def preview_recipients(self, email_campaign_id: int) -> Data:
        """Preview a campaign's recipients."""
        return self._core.one("GET", "/api/external/v1/email-campaigns/{id}/preview-recipients", email_campaign_id)

    def preview(self, email_campaign_id: int, **query: Unpack[takes.PreviewEmail]) -> Data:
        """Preview a campaign's e-mail."""
        return self._core.one("GET", "/api/external/v1/email-campaigns/{id}/preview", email_campaign_id, query=query)

    def test(
        self, email_campaign_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.SendTestEmail]
    ) -> Data:
        """Send a test e-mail."""
        return self._core.one(
            "POST", "/api/external/v1/email-campaigns/{id}/test", email_campaign_id, body=body, key=idempotency_key
        )

    def send(
        self, email_campaign_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.SendCampaign]
    ) -> Data:
        """Send or schedule a campaign."""
        return self._core.one(
            "POST", "/api/external/v1/email-campaigns/{id}/send", email_campaign_id, body=body, key=idempotency_key
        )

    def cancel(self, email_campaign_id: int, *, idempotency_key: str | None = None) -> Data:
        """Cancel a campaign."""
        return self._core.one(
            "POST", "/api/external/v1/email-campaigns/{id}/cancel", email_campaign_id, key=idempotency_key
        )

    def duplicate(
        self, email_campaign_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.DuplicateCampaign]
    ) -> Data:
        """Duplicate a campaign."""
        return self._core.one(
            "POST", "/api/external/v1/email-campaigns/{id}/duplicate", email_campaign_id, body=body, key=idempotency_key
        )
