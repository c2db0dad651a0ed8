"""The methods of `webhooks`; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client.cores import AsyncCore
from lootkeep_client.pages import AsyncPages, Data, Rows
from lootkeep_client.parameters import webhooks as takes


class WebhooksReplays:
    """`client.webhooks.replays`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def create(
        self, webhook_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.ReplayEvents]
    ) -> Data:
        """Send recorded events again."""
        return await self._core.one(
            "POST", "/api/external/v1/webhooks/{id}/replay", webhook_id, body=body, key=idempotency_key
        )

    async def get(self, webhook_id: int) -> Data:
        """Read a replay's progress."""
        return await self._core.one("GET", "/api/external/v1/webhooks/{id}/replay", webhook_id)


class WebhooksDeliveries:
    """`client.webhooks.deliveries`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    def list(self, webhook_id: int, **query: Unpack[takes.ListDeliveries]) -> AsyncPages:
        """List a webhook's deliveries."""
        return self._core.pages("GET", "/api/external/v1/webhooks/{id}/deliveries", webhook_id, query=query)

    async def get(self, delivery_id: str) -> Data:
        """Read a delivery with its attempts."""
        return await self._core.one("GET", "/api/external/v1/webhooks/deliveries/{delivery_id}", delivery_id)

    async def redeliver(self, delivery_id: str, *, idempotency_key: str | None = None) -> Data:
        """Send a delivery again."""
        return await self._core.one(
            "POST", "/api/external/v1/webhooks/deliveries/{delivery_id}/redeliver", delivery_id, key=idempotency_key
        )


class Webhooks:
    """`client.webhooks`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core
        self.deliveries = WebhooksDeliveries(core)
        self.replays = WebhooksReplays(core)

    async def list(self) -> Rows:
        """List webhooks."""
        return await self._core.many("GET", "/api/external/v1/webhooks")

    async def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateWebhook]) -> Data:
        """Create a webhook."""
        return await self._core.one("POST", "/api/external/v1/webhooks", body=body, key=idempotency_key)

    async def get(self, webhook_id: int) -> Data:
        """Read a webhook."""
        return await self._core.one("GET", "/api/external/v1/webhooks/{id}", webhook_id)

    async def update(self, webhook_id: int, **body: Unpack[takes.UpdateWebhook]) -> Data:
        """Update a webhook."""
        return await self._core.one("PUT", "/api/external/v1/webhooks/{id}", webhook_id, body=body)

    async def delete(self, webhook_id: int) -> str:
        """Delete a webhook."""
        return await self._core.message("DELETE", "/api/external/v1/webhooks/{id}", webhook_id)

    async def test(self, webhook_id: int, *, idempotency_key: str | None = None) -> Data:
        """Send a test delivery."""
        return await self._core.one("POST", "/api/external/v1/webhooks/{id}/test", webhook_id, key=idempotency_key)

    async def event_types(self) -> Rows:
        """List event types."""
        return await self._core.many("GET", "/api/external/v1/webhooks/event-types")

    async def rotate_secret(self, webhook_id: int, *, idempotency_key: str | None = None) -> Data:
        """Rotate a webhook's secret."""
        return await self._core.one(
            "POST", "/api/external/v1/webhooks/{id}/rotate-secret", webhook_id, key=idempotency_key
        )
