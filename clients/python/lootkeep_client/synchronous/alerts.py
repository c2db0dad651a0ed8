"""The methods of `alerts`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Rows
from lootkeep_client.parameters import alerts as takes


class Alerts:
    """`client.alerts`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self) -> Rows[types.Alert]:
        """List alerts."""
        return self._core.many(types.Alert, "GET", "/api/external/v1/alerts")

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateAlert]) -> types.Alert:
        """Create an alert."""
        return self._core.one(types.Alert, "POST", "/api/external/v1/alerts", body=body, key=idempotency_key)

    def get(self, alert_id: int) -> types.Alert:
        """Read an alert."""
        return self._core.one(types.Alert, "GET", "/api/external/v1/alerts/{id}", alert_id)

    def update(self, alert_id: int, **body: Unpack[takes.UpdateAlert]) -> types.Alert:
        """Update an alert."""
        return self._core.one(types.Alert, "PUT", "/api/external/v1/alerts/{id}", alert_id, body=body)

    def delete(self, alert_id: int) -> str:
        """Delete an alert."""
        return self._core.message("DELETE", "/api/external/v1/alerts/{id}", alert_id)

    def test(self, alert_id: int, *, idempotency_key: str | None = None) -> types.Alert:
        """Send a test alert."""
        return self._core.one(types.Alert, "POST", "/api/external/v1/alerts/{id}/test", alert_id, key=idempotency_key)
