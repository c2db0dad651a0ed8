"""The methods of `alerts`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import AsyncCore
from lootkeep_client.pages import Rows
from lootkeep_client.parameters import alerts as takes


class Alerts:
    """`client.alerts`."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def list(self) -> Rows[types.Alert]:
        """List alerts."""
        return await self._core.many(types.Alert, "GET", "/api/external/v1/alerts")

    async def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateAlert]) -> types.Alert:
        """Create an alert."""
        return await self._core.one(types.Alert, "POST", "/api/external/v1/alerts", body=body, key=idempotency_key)

    async def get(self, alert_id: int) -> types.Alert:
        """Read an alert."""
        return await self._core.one(types.Alert, "GET", "/api/external/v1/alerts/{id}", alert_id)

    async def update(self, alert_id: int, **body: Unpack[takes.UpdateAlert]) -> types.Alert:
        """Update an alert."""
        return await self._core.one(types.Alert, "PUT", "/api/external/v1/alerts/{id}", alert_id, body=body)

    async def delete(self, alert_id: int) -> str:
        """Delete an alert."""
        return await self._core.message("DELETE", "/api/external/v1/alerts/{id}", alert_id)

    async def test(self, alert_id: int, *, idempotency_key: str | None = None) -> types.Alert:
        """Send a test alert."""
        return await self._core.one(
            types.Alert, "POST", "/api/external/v1/alerts/{id}/test", alert_id, key=idempotency_key
        )
