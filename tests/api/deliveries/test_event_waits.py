"""The event feed waits for news: without a slot, for as long as its client and the server are there."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any

import pytest

from lootkeep.api.external.event_feed import MAX_WAITING
from lootkeep.api.http.admission import TICKET, Admission, AdmissionTicket
from lootkeep.api.http.exchange import Exchange
from lootkeep.api.http.waiting import wait
from lootkeep.kernel.clock import SECOND
from tests.worker.delivering import record
from tests.world import World

NOTHING = {"events": [], "next_cursor": 0, "has_more": False}


@pytest.fixture
def served(world: World) -> World:
    """As wiring does it: commits of this process wake those who wait."""
    world.db.on_change(world.deps.changes.wake)
    return world


async def read(world: World, query: str = "?wait=30", **options: Any) -> Any:
    return (await world.get(f"/events{query}", **options)).json()["data"]


async def begin(world: World, *queries: str, **options: Any) -> list[asyncio.Task[Any]]:
    """Calls that wait: they have looked once, and found nothing."""
    waiting = sum(world.deps.feed_readers.values()) + len(queries)
    calls = [asyncio.create_task(read(world, query, **options)) for query in queries]
    while sum(world.deps.feed_readers.values()) < waiting:
        await asyncio.sleep(0)
    return calls


async def test_a_call_that_waits_gets_the_next_event(served: World) -> None:
    (call,) = await begin(served, "?wait=30")
    await record(served)
    assert [event["event_type"] for event in (await call)["events"]] == ["product.created"]


async def test_all_who_wait_get_it_each_from_their_own_cursor(served: World) -> None:
    await record(served)
    assert len((await read(served))["events"]) == 1
    calls = await begin(served, "?wait=30&after=1", "?wait=30&after=1")
    await record(served)
    assert [[event["id"] for event in (await call)["events"]] for call in calls] == [[2], [2]]


async def test_nothing_is_answered_when_the_time_is_over(served: World) -> None:
    (call,) = await begin(served, "?wait=25")
    served.clock.advance(25 * SECOND)
    served.deps.changes.wake()
    assert await call == NOTHING
    assert not served.deps.feed_readers


async def test_a_notification_without_an_event_does_not_end_the_wait(served: World) -> None:
    (call,) = await begin(served, "?wait=30")
    served.deps.changes.wake({"events"})
    await record(served)
    assert len((await call)["events"]) == 1


async def test_a_token_has_a_limited_number_of_waits(served: World) -> None:
    calls = await begin(served, *["?wait=30"] * MAX_WAITING)
    answer = await served.get("/events?wait=30")
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    other = await served.new_token("events:read")
    (another,) = await begin(served, "?wait=30", token=other)
    await record(served)
    assert len((await another)["events"]) == 1
    assert [len((await call)["events"]) for call in calls] == [1] * MAX_WAITING


@pytest.mark.parametrize(("scope", "status"), [("events:read", 200), ("webhooks:read", 200), ("orders:read", 403)])
async def test_the_feed_has_its_own_scope_and_the_one_of_webhooks_is_enough(
    world: World, scope: str, status: int
) -> None:
    token = await world.new_token(scope)
    answer = await world.get("/events", token=token)
    assert answer.status_code == status
    assert (await world.get("/webhooks", token=token)).status_code == (200 if scope == "webhooks:read" else 403)


@pytest.mark.parametrize("wait", ["31", "-1", "soon"])
async def test_a_wait_is_up_to_half_a_minute(shared_world: World, wait: str) -> None:
    assert (await shared_world.get(f"/events?wait={wait}")).status_code == 422


class Wire:
    """A request as the server hands it to the application, with a client that may leave."""

    def __init__(self, world: World, admission: Admission) -> None:
        self.ticket = AdmissionTicket(admission, is_complete=True)
        self.messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.messages.put_nowait({"type": "http.request", "body": b"", "more_body": False})
        self.sent: list[Any] = []
        headers = [(b"authorization", f"Bearer {world.token}".encode())]
        scope = {"type": "http", "method": "GET", "path": "/api/external/v1/events", "query_string": b"wait=30"}
        self.scope = scope | {"headers": headers, "client": ("127.0.0.1", 1), TICKET: self.ticket}
        self.world = world

    async def call(self) -> None:
        await self.ticket.enter()

        async def send(message: Any) -> None:
            self.sent.append(message)

        await self.world.app(self.scope, self.messages.get, send)
        self.ticket.leave()


async def waiting_wire(world: World, admission: Admission) -> tuple[Wire, asyncio.Task[None]]:
    wire = Wire(world, admission)
    call = asyncio.create_task(wire.call())
    while wire.ticket.is_admitted or not world.deps.feed_readers:
        await asyncio.sleep(0)
    return wire, call


async def test_a_wait_holds_no_slot(served: World) -> None:
    admission = Admission(1)
    _, first = await waiting_wire(served, admission)
    wire, second = await waiting_wire(served, admission)
    await record(served)
    await asyncio.gather(first, second)
    assert (wire.sent[0]["status"], b"product.created" in wire.sent[1]["body"]) == (200, True)


async def test_a_look_that_finds_nothing_does_not_end_the_wait(served: World) -> None:
    wire, call = await waiting_wire(served, Admission(1))
    for _ in range(2):
        served.deps.changes.wake({"events"})
        while wire.ticket.is_admitted or not served.deps.feed_readers:
            await asyncio.sleep(0)
    await record(served)
    await call
    assert b"product.created" in wire.sent[1]["body"]


async def test_a_wait_ends_when_its_client_leaves(served: World) -> None:
    wire, call = await waiting_wire(served, Admission(1))
    wire.messages.put_nowait({"type": "http.disconnect"})
    await call
    assert not served.deps.feed_readers


async def test_a_wait_ends_with_an_empty_answer_when_the_server_stops(served: World) -> None:
    wire, call = await waiting_wire(served, Admission(1))
    wire.ticket.stop()
    await call
    assert (wire.sent[0]["status"], b'"events":[]' in wire.sent[1]["body"]) == (200, True)


async def test_a_wait_is_counted_as_one_request_under_its_whole_path(served: World) -> None:
    _, call = await waiting_wire(served, Admission(1))
    await record(served)
    await call
    token = {"Authorization": f"Bearer {served.token}"}
    text = (await served.http.get("/metrics", headers=token)).text
    assert 'lootkeep_requests_total{method="GET",path="/api/external/v1/events",status="200"} 1.0' in text


async def test_the_time_of_a_wait_is_known_so_that_it_does_not_count_as_time_to_answer(served: World) -> None:
    wire = Wire(served, Admission(1))
    exchange = Exchange(wire.scope, wire.messages.get, lambda: "1")
    times = []

    async def news() -> None:
        times.append(perf_counter())
        while perf_counter() < times[0] + 0.01:
            await asyncio.sleep(0)
        times.append(perf_counter())

    await wire.ticket.enter()
    started = perf_counter()
    assert await wait(exchange, news())
    ended, (began, over) = perf_counter(), times
    assert 0.01 <= over - began <= exchange.waited_seconds <= ended - started
