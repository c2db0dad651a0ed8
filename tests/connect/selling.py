"""Calls of a store that runs in another process, and a sale in it."""

from __future__ import annotations

from typing import Any

import httpx

from tests.cli.terminal import SECONDS, Serving


def call(server: Serving, path: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {server.token}"}
    answer = httpx.post(server.url + path, json=body, headers=headers, timeout=SECONDS)
    assert answer.is_success, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def sell(server: Serving, player: dict[str, str]) -> None:
    """The first product, to the first customer."""
    call(server, "/api/store/v1/customers", {"email": "mira@example.com", "name": "Mira Okafor"})
    order = {"customer_id": 1, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9"}
    call(server, "/api/store/v1/orders", order | {"player": player})
    call(server, "/api/store/v1/orders/1/pay", {})
