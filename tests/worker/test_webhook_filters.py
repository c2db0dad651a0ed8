"""Webhooks with a filter or headers of their own: what is sent, and what is never shown."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.services import webhooks as webhooks_service
from lootkeep.storage.schema import webhooks
from lootkeep.views.order_events import ItemData, OrderData
from lootkeep.worker.deliveries import DeliveryWorker, step_replays
from tests.api.hooks import make, rejection
from tests.receiver import Receiver
from tests.recount import rows
from tests.worker.delivering import log, work
from tests.world import World

KEY = "k-77-very-secret"


def order(total: str, *products: int) -> OrderData:
    items = [ItemData(product_id, f"Product {product_id}", 1, "20.00") for product_id in products]
    return OrderData(7, "ORD-000007", "jun@j.example", "Jun", total, "USD", "paid", items)


async def record(world: World) -> None:
    for data in (order("20.00", 3), order("60.00", 3, 9), order("80.00", 3), order("49.99", 9)):
        await webhooks_service.trigger(world.deps, "order.paid", data)


async def hook(world: World, receiver: Receiver, **fields: Any) -> dict[str, Any]:
    return await make(world, url=receiver.url, events=["order.paid", "customer.created"], **fields)


def totals(receiver: Receiver) -> list[str]:
    return sorted(request.json["data"]["total"] for request in receiver.received)


@pytest.mark.parametrize(
    ("expression", "sent"),
    [
        ("amount >= 50", ["60.00", "80.00"]),
        ("product in (9, 12)", ["49.99", "60.00"]),
        ("amount > 50 and product == 9", ["60.00"]),
        ('currency == "EUR"', []),
        ('product_name == "product 9" and not amount > 50', ["49.99"]),
    ],
)
async def test_only_events_that_fit_are_sent(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, expression: str, sent: list[str]
) -> None:
    webhook = await hook(insecure_world, receiver, filter=expression)
    assert webhook["filter"] == expression
    await record(insecure_world)
    await work(worker)
    assert totals(receiver) == sent


async def test_an_event_without_the_value_does_not_fit(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    await hook(insecure_world, receiver, filter="amount >= 0")
    await insecure_world.post("/api/store/v1/customers", {"email": "jun@j.example", "name": "Jun"})
    await work(worker)
    assert receiver.received == []


async def test_a_replay_applies_the_filter_and_ends_with_the_right_total(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    await record(insecure_world)
    await work(worker)
    webhook = await hook(insecure_world, receiver, filter="amount >= 50")
    path = f"/webhooks/{webhook['id']}/replay"
    started = (await insecure_world.post(path, {"since": "2026-11-15T00:00:00Z"})).json()["data"]
    await step_replays(insecure_world.deps)
    await work(worker)
    ended = (await insecure_world.get(path)).json()["data"]
    assert totals(receiver) == ["60.00", "80.00"]
    assert (started["total"], ended["total"], ended["done"]) == (4, 2, 2)


async def test_a_test_ignores_the_filter(insecure_world: World, receiver: Receiver) -> None:
    webhook = await hook(insecure_world, receiver, filter="amount > 1000")
    answer = await insecure_world.post(f"/webhooks/{webhook['id']}/test")
    assert answer.json()["data"]["delivered"]


async def test_a_sample_event_counts_the_webhooks_that_get_it(insecure_world: World, receiver: Receiver) -> None:
    await hook(insecure_world, receiver, filter="amount > 50")
    await hook(insecure_world, receiver)
    counts = [
        await webhooks_service.trigger(insecure_world.deps, "order.paid", order(total, 3)) for total in ("60", "5")
    ]
    assert counts == [2, 1]


async def test_a_filter_is_removed_with_null_and_applies_to_what_is_sent_out_later(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await hook(insecure_world, receiver, filter="amount > 1000")
    await record(insecure_world)
    await work(worker)
    changed = await insecure_world.put(f"/webhooks/{webhook['id']}", {"filter": None})
    assert changed.json()["data"]["filter"] is None
    await webhooks_service.trigger(insecure_world.deps, "order.paid", order("1.00", 3))
    await work(worker)
    assert totals(receiver) == ["1.00"]


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("amout > 5", "has an unknown name at character 1; the nearest is amount"),
        ("amount >", "needs an amount such as 99.50 at its end"),
        ("product in @vip", "cannot be looked up in a list at character 1"),
    ],
)
async def test_a_filter_is_checked_like_a_rule(insecure_world: World, expression: str, sentence: str) -> None:
    answer = await insecure_world.post(
        "/webhooks", {"url": "https://a.example/", "events": ["*"], "filter": expression}
    )
    assert (answer.status_code, answer.json()) == (422, rejection("filter", f"The filter field {sentence}."))


async def test_headers_are_sent_with_every_request_and_their_values_are_never_shown(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await hook(insecure_world, receiver, headers={"X-Api-Key": KEY, "Authorization": "Basic abc"})
    path = f"/webhooks/{webhook['id']}"
    await record(insecure_world)
    await work(worker)
    await insecure_world.post(f"{path}/test")
    assert {(request.headers["X-Api-Key"], request.headers["Authorization"]) for request in receiver.received} == {
        (KEY, "Basic abc")
    }
    assert webhook["header_names"] == ["X-Api-Key", "Authorization"]
    delivery = (await log(insecure_world, webhook))[0]["id"]
    answers = [
        await insecure_world.get(it)
        for it in (path, "/webhooks", f"{path}/deliveries", f"/webhooks/deliveries/{delivery}")
    ]
    assert not [answer.text for answer in answers if KEY in answer.text]
    assert KEY not in str(await rows(insecure_world.db, webhooks))


async def test_a_header_without_a_value_keeps_the_one_it_has(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    webhook = await hook(insecure_world, receiver, headers={"X-Api-Key": KEY, "X-Old": "1"})
    path = f"/webhooks/{webhook['id']}"
    await insecure_world.put(path, {"headers": {"x-api-key": None, "X-New": "2"}})
    await insecure_world.post(f"{path}/test")
    (request,) = receiver.received
    assert (request.headers["x-api-key"], request.headers["X-New"]) == (KEY, "2")
    assert "X-Old" not in request.headers
    emptied = await insecure_world.put(path, {"headers": {}})
    assert emptied.json()["data"]["header_names"] == []


@pytest.mark.parametrize("url", ["https://a.example:8443/hook", "http://a.example/hook", "https://b.example/hook"])
async def test_headers_are_not_sent_to_another_server_unless_their_values_come_with_it(
    insecure_world: World, url: str
) -> None:
    sent = {"url": "https://a.example/hook", "events": ["*"], "headers": {"X-Api-Key": KEY, "X-Shop": "7"}}
    path = f"/webhooks/{(await insecure_world.post('/webhooks', sent)).json()['data']['id']}"
    kept: list[dict[str, Any]] = [
        {},
        {"headers": {"X-Api-Key": None}},
        {"headers": {"X-Api-Key": "new", "X-Shop": None}},
    ]
    for fields in kept:
        refused = await insecure_world.put(path, {"url": url} | fields)
        sentence = "needs all values again, or {} for none: the url leads to another server."
        assert (refused.status_code, refused.json()) == (422, rejection("headers", f"The headers field {sentence}"))
    same = await insecure_world.put(path, {"url": "https://a.example/other", "headers": {"X-Api-Key": None}})
    assert same.json()["data"]["header_names"] == ["X-Api-Key"]
    for headers in ({"X-Api-Key": "new"}, {}):
        moved = await insecure_world.put(path, {"url": url, "headers": headers})
        assert (moved.status_code, moved.json()["data"]["header_names"]) == (200, [*headers])


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        ({"X-New": None}, "needs a value for each new name"),
        ({"Host": "a"}, "must not have a header that the service or the connection sets"),
        ({"transfer-encoding": "chunked"}, "must not have a header that the service or the connection sets"),
        ({"X-Webhook-Signature": "a"}, "must not have a header that the service or the connection sets"),
        ({"Webhook-Id": "a"}, "must not have a header that the service or the connection sets"),
        ({"X Key": "a"}, "must have names of letters, digits and dashes, such as X-Api-Key"),
        ({"X-Key": "a\r\nX-Evil: 1"}, "must have values of 1 to 1,024 printable ASCII characters"),
        ({"X-Key": ""}, "must have values of 1 to 1,024 printable ASCII characters"),
        ({"X-Key": "a", "x-key": "b"}, "must not have the same name twice"),
        ({f"X-{number}": "a" for number in range(11)}, "must not have more than 10 entries"),
    ],
)
async def test_headers_that_cannot_be_sent_are_rejected(
    insecure_world: World, headers: dict[str, Any], sentence: str
) -> None:
    body = {"url": "https://a.example/", "events": ["*"], "headers": headers}
    answer = await insecure_world.post("/webhooks", body)
    assert (answer.status_code, answer.json()) == (422, rejection("headers", f"The headers field {sentence}."))
