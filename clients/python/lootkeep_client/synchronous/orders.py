"""The methods of `orders`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Pages, Rows
from lootkeep_client.parameters import orders as takes


class Orders:
    """`client.orders`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListOrders]) -> Pages[types.Order]:
        """List orders."""
        return self._core.pages(types.Order, "GET", "/api/external/v1/orders", query=query)

    def get(self, order_id: int) -> types.Order:
        """Read an order."""
        return self._core.one(types.Order, "GET", "/api/external/v1/orders/{id}", order_id)

    def fulfill(
        self, order_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.FulfillOrder]
    ) -> types.Order:
        """Mark an order as fulfilled."""
        return self._core.one(
            types.Order, "POST", "/api/external/v1/orders/{id}/fulfill", order_id, body=body, key=idempotency_key
        )

    def goods(self, order_id: int) -> Rows[types.OrderGood]:
        """List what an order handed over."""
        return self._core.many(types.OrderGood, "GET", "/api/external/v1/orders/{id}/goods", order_id)

    def replace_key(
        self, order_id: int, item_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.ReplaceKey]
    ) -> types.ReplacedKey:
        """Replace a key of an order."""
        return self._core.one(
            types.ReplacedKey,
            "POST",
            "/api/external/v1/orders/{id}/items/{item_id}/replace-key",
            order_id,
            item_id,
            body=body,
            key=idempotency_key,
        )

    def evidence(self, order_id: int, **query: Unpack[takes.ReadEvidence]) -> types.Evidence:
        """Read the evidence of an order."""
        return self._core.one(types.Evidence, "GET", "/api/external/v1/orders/{id}/evidence", order_id, query=query)
