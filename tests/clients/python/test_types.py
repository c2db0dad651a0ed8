"""What a type checker knows of the client's answers; `mypy` checks `assert_type`, the tests run the rest."""

from __future__ import annotations

import logging
import subprocess
import sys
from typing import assert_type

import httpx
import pytest

from lootkeep_client import AsyncClient, Client, Pages, ServerError, types, verify_webhook
from lootkeep_client.server import Server
from tests.builders import new_customer, new_order, new_product
from tests.clients.python.conftest import BASE, RecordedWaits
from tests.rules.tree import ROOT
from tests.world import World


def read_order(client: Client) -> str:
    order = client.orders.get(1)
    assert_type(order, types.Order)
    assert_type(order["items"][0]["fulfilled_quantity"], int)
    assert_type(client.orders.list(), Pages[types.Order])
    return order["customer"]["email"]


async def read_page(client: AsyncClient) -> int:
    page = await client.products.list().page()
    assert_type(page.items[0], types.Product)
    return page.total


def email_of(body: bytes, headers: dict[str, str]) -> str:
    delivery = verify_webhook(body, headers, "whsec_secret")
    if delivery["event_type"] == "order.paid":
        assert_type(delivery["data"]["total"], str)
        return delivery["data"]["customer_email"]
    return ""


async def test_an_order_has_exactly_the_fields_of_its_type(world: World, client: AsyncClient) -> None:
    customer = (await new_customer(world))["customer"]
    product = await new_product(world)
    placed = await new_order(world, customer["id"], (product["id"], 1))
    order = await client.orders.get(placed["id"])
    assert order.keys() == types.Order.__required_keys__
    assert order["customer"].keys() == types.OrderCustomer.__required_keys__
    assert order["items"][0].keys() == types.OrderItem.__required_keys__


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "store.example", "ftp://store.example", "http://"])
def test_a_url_without_its_scheme_is_rejected_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="starts with http:// or https://"):
        Client(url, "lk_token")


def test_url_and_token_are_read_from_the_environment() -> None:
    program = "import lootkeep_client; print(repr(lootkeep_client.Client()))"
    environment = {
        "LOOTKEEP_URL": "https://store.example",
        "LOOTKEEP_TOKEN": "lk_secret",
        "PYTHONPATH": str(ROOT / "clients/python"),
    }
    completed = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert completed.stdout == "Client('https://store.example')\n"


@pytest.mark.parametrize(("missing", "name"), [("url", "LOOTKEEP_URL"), ("token", "LOOTKEEP_TOKEN")])
def test_a_missing_url_or_token_is_reported(missing: str, name: str) -> None:
    arguments = {"url": "https://store.example", "token": "lk_token"} | {missing: ""}
    with pytest.raises(ValueError, match=f"set {name}"):
        Server.given(arguments["url"], arguments["token"])


async def test_waiting_is_logged_without_the_token(
    world: World, waits: RecordedWaits, caplog: pytest.LogCaptureFixture
) -> None:
    busy = httpx.MockTransport(lambda request: httpx.Response(503))
    with caplog.at_level(logging.INFO, "lootkeep_client"), pytest.raises(ServerError):
        await AsyncClient(BASE, "lk_secret", transport=busy, sleep=waits.later).orders.get(1)
    assert len(waits) == len(caplog.messages) == 4
    assert caplog.messages[0].startswith("GET /api/external/v1/orders/1: attempt 1 failed, trying again in 0.")
    assert "lk_secret" not in caplog.text
