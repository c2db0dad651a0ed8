"""The methods of `webhooks`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Pages, Rows
from lootkeep_client.parameters import webhooks as takes


class WebhooksReplays:
    """`client.webhooks.replays`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def create(
        self, webhook_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.ReplayEvents]
    ) -> types.Replay:
        """Send recorded events again."""
        return self._core.one(
            types.Replay, "POST", "/api/external/v1/webhooks/{id}/replay", webhook_id, body=body, key=idempotency_key
        )

    def get(self, webhook_id: int) -> types.Replay:
        """Read a replay's progress."""
        return self._core.one(types.Replay, "GET", "/api/external/v1/webhooks/{id}/replay", webhook_id)


class WebhooksDeliveries:
    """`client.webhooks.deliveries`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, webhook_id: int, **query: Unpack[takes.ListDeliveries]) -> Pages[types.Delivery]:
        """List a webhook's deliveries."""
        return self._core.pages(
            types.Delivery, "GET", "/api/external/v1/webhooks/{id}/deliveries", webhook_id, query=query
        )

    def get(self, delivery_id: str) -> types.DeliveryDetail:
        """Read a delivery with its attempts."""
        return self._core.one(
            types.DeliveryDetail, "GET", "/api/external/v1/webhooks/deliveries/{delivery_id}", delivery_id
        )

    def redeliver(self, delivery_id: str, *, idempotency_key: str | None = None) -> types.Delivery:
        """Send a delivery again."""
        return self._core.one(
            types.Delivery,
            "POST",
            "/api/external/v1/webhooks/deliveries/{delivery_id}/redeliver",
            delivery_id,
            key=idempotency_key,
        )


class Webhooks:
    """`client.webhooks`."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.deliveries = WebhooksDeliveries(core)
        self.replays = WebhooksReplays(core)

    def list(self) -> Rows[types.Webhook]:
        """List webhooks."""
        return self._core.many(types.Webhook, "GET", "/api/external/v1/webhooks")

    def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateWebhook]
    ) -> types.WebhookWithSecret:
        """Create a webhook."""
        return self._core.one(
            types.WebhookWithSecret, "POST", "/api/external/v1/webhooks", body=body, key=idempotency_key
        )

    def get(self, webhook_id: int) -> types.Webhook:
        """Read a webhook."""
        return self._core.one(types.Webhook, "GET", "/api/external/v1/webhooks/{id}", webhook_id)

    def update(self, webhook_id: int, **body: Unpack[takes.UpdateWebhook]) -> types.Webhook:
        """Update a webhook."""
        return self._core.one(types.Webhook, "PUT", "/api/external/v1/webhooks/{id}", webhook_id, body=body)

    def delete(self, webhook_id: int) -> str:
        """Delete a webhook."""
        return self._core.message("DELETE", "/api/external/v1/webhooks/{id}", webhook_id)

    def test(self, webhook_id: int, *, idempotency_key: str | None = None) -> types.TestResult:
        """Send a test delivery."""
        return self._core.one(
            types.TestResult, "POST", "/api/external/v1/webhooks/{id}/test", webhook_id, key=idempotency_key
        )

    def event_types(self) -> Rows[str]:
        """List event types."""
        return self._core.many(str, "GET", "/api/external/v1/webhooks/event-types")

    def rotate_secret(self, webhook_id: int, *, idempotency_key: str | None = None) -> types.WebhookWithSecret:
        """Rotate a webhook's secret."""
        return self._core.one(
            types.WebhookWithSecret,
            "POST",
            "/api/external/v1/webhooks/{id}/rotate-secret",
            webhook_id,
            key=idempotency_key,
        )
