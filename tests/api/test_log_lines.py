"""What was done for a request is found in the log by its id: its own line, its errors, its orders and deliveries."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import httpx
import pytest

from lootkeep.api.http.metrics import Metrics
from lootkeep.engines.lines import Lines
from lootkeep.engines.wakeup import Wakeup
from lootkeep.wiring import serving
from lootkeep.wiring.observation import Observation
from lootkeep.worker.deliveries import DeliveryWorker
from lootkeep.worker.loop import Worker
from tests.builders import STORE, honest_buyer, new_customer, new_product
from tests.receiver import Receiver
from tests.worker.delivering import subscribe, work
from tests.world import World

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def lines() -> Lines:
    return Lines("info", "json")


@pytest.fixture
async def logged(insecure_world: World, lines: Lines) -> World:
    """A world whose requests are logged."""
    world = insecure_world
    api = serving.api(world.deps, world.settings, world.tokens, Worker(()), Metrics(), Observation(lines))
    await world.http.aclose()
    world.http = httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://store.test")
    return world


async def test_the_line_of_a_request_names_the_order_it_was_about(
    logged: World, lines: Lines, capsys: Captured
) -> None:
    customer, product = (await new_customer(logged))["customer"], await new_product(logged)
    order = await _place(logged, customer, product, "placing")
    await logged.post(f"{STORE}/orders/{order}/pay", {"transaction_id": "t1"}, headers={"X-Request-ID": "paying"})
    by_request = {line["request_id"]: line for line in _written(lines, capsys)}
    assert (by_request["placing"]["order"], by_request["paying"]["order"]) == (order, order)
    assert ["order" in line for line in by_request.values()].count(True) == 2


async def test_the_line_of_a_delivery_names_the_request_that_caused_it(
    logged: World, lines: Lines, capsys: Captured
) -> None:
    async with Receiver() as receiver:
        await subscribe(logged, receiver, "product.created")
        await logged.post(
            f"{STORE}/products", {"name": "VIP rank", "price": "20.00"}, headers={"X-Request-ID": "creating"}
        )
        await work(DeliveryWorker(logged.deps, Wakeup(), lines=lines))
    (line,) = [line for line in _written(lines, capsys) if line["event"] == "delivery"]
    assert line == line | {
        "request_id": "creating",
        "delivery": receiver.received[0].json["id"],
        "event_type": "product.created",
        "attempt": 1,
        "outcome": "delivered",
    }
    assert line["event_id"] > 0


async def test_a_failed_delivery_is_logged_at_any_sampling_rate(logged: World, capsys: Captured) -> None:
    lines = Lines("info", "json", 0)
    async with Receiver() as receiver:
        receiver.answers = [500]
        await subscribe(logged, receiver, "product.created")
        await new_product(logged)
        await work(DeliveryWorker(logged.deps, Wakeup(), lines=lines))
    (line,) = [line for line in _written(lines, capsys) if line["event"] == "delivery"]
    assert (line["outcome"], line["reason"]) == ("failed", "answered 500")


async def test_pages_accept_and_return_a_request_id_too(logged: World) -> None:
    answer = await logged.http.get("/healthz", headers={"X-Request-ID": "mine"})
    assert answer.headers.get_list("X-Request-ID") == ["mine"]


def test_every_line_names_its_request_or_delivery() -> None:
    """Those of libraries, too; in a process of its own, because a logger is set up once."""
    program = """
import logging, structlog
from lootkeep.engines import logs
from lootkeep.kernel.cause import CURRENT, Cause, note
logs.configure("info", "json")
structlog.get_logger().info("before")
CURRENT.set(Cause(request_id="r1"))
note(order=7)
structlog.get_logger().info("ours")
logging.getLogger("library").warning("theirs")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    rows = [json.loads(text) for text in done.stderr.splitlines()]
    named = [(row["event"], row.get("request_id"), row.get("order")) for row in rows]
    assert named == [("before", None, None), ("ours", "r1", 7), ("theirs", "r1", 7)]


async def _place(world: World, customer: dict[str, Any], product: dict[str, Any], request_id: str) -> int:
    body = {"customer_id": customer["id"], "items": [{"product_id": product["id"], "quantity": 1}]}
    answer = await world.post(
        f"{STORE}/orders", body | honest_buyer(customer["id"]), headers={"X-Request-ID": request_id}
    )
    order: int = answer.json()["data"]["order"]["id"]
    return order


def _written(lines: Lines, capture: Captured) -> list[dict[str, Any]]:
    lines.flush()
    return [json.loads(text) for text in capture.readouterr().err.splitlines()]
