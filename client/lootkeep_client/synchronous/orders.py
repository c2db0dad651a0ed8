"""The methods of `orders`; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client.cores import Core
from lootkeep_client.pages import Data, Pages
from lootkeep_client.parameters import orders as takes


class Orders:
    """`client.orders`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListOrders]) -> Pages:
        """List orders."""
        return self._core.pages("GET", "/api/external/v1/orders", query=query)

    def get(self, order_id: int) -> Data:
        """Read an order."""
        return self._core.one("GET", "/api/external/v1/orders/{id}", order_id)

    def fulfill(self, order_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.FulfillOrder]) -> Data:
        """Mark an order as fulfilled."""
        return self._core.one("POST", "/api/external/v1/orders/{id}/fulfill", order_id, body=body, key=idempotency_key)
