"""Overload: excess requests are rejected early, and probes are always answered."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from time import monotonic
from typing import Any

import pytest

from lootkeep.api.http.admission import Admission, AdmissionTicket
from tests.api.server.overload import OVERLOADED, listening
from tests.api.server.serving import BRONZE, PATIENCE_SECONDS, TIERS
from tests.world import World

NEVER = 3600.0
HASTY = partial(Admission, burst_seconds=0.0, overload_seconds=0.0, slow_seconds=NEVER)
PATIENT = partial(Admission, burst_seconds=NEVER, slow_seconds=NEVER)


class BlockingApp:
    """An application that starts requests and answers them when the test permits."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.has_begun = asyncio.Event()
        self.may_end = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] != "/healthz":
            self.begun.append(scope["path"])
            self.has_begun.set()
            await self.may_end.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})


async def test_a_request_that_waits_too_long_for_a_slot_is_rejected_and_the_running_one_is_not() -> None:
    app = BlockingApp()
    async with listening(app, HASTY(1)) as client:
        first = asyncio.create_task(client.get("/first"))
        await app.has_begun.wait()
        refused = await client.post("/second", json={"a": 1})
        head = await client.head("/third")
        app.may_end.set()
        assert ((await first).status_code, app.begun) == (200, ["/first"])
    assert (refused.status_code, refused.json()) == (503, OVERLOADED)
    assert (refused.headers["Retry-After"], refused.headers["Content-Type"]) == ("1", "application/json")
    assert (head.status_code, head.content) == (503, b"")


async def test_a_connection_whose_request_was_refused_serves_the_next_one() -> None:
    app = BlockingApp()
    async with listening(app, HASTY(1)) as client:
        reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
        first = asyncio.create_task(client.get("/first"))
        await app.has_begun.wait()
        writer.write(b"GET /second HTTP/1.1\r\nHost: store\r\n\r\n")
        rejection = await reader.readuntil(b"}")
        app.may_end.set()
        await first
        writer.write(b"GET /third HTTP/1.1\r\nHost: store\r\n\r\n")
        answer = await reader.readuntil(b"\r\n\r\n")
        writer.close()
    assert (rejection[:13], answer[:13]) == (b"HTTP/1.1 503 ", b"HTTP/1.1 200 ")


async def test_probes_are_answered_while_every_slot_is_taken() -> None:
    app = BlockingApp()
    async with listening(app, PATIENT(1)) as client:
        first = asyncio.create_task(client.get("/first"))
        await app.has_begun.wait()
        assert (await client.get("/healthz")).status_code == 200
        app.may_end.set()
        await first


async def test_a_request_of_a_disconnected_client_is_never_started() -> None:
    app = BlockingApp()
    async with listening(app, PATIENT(1)) as client:
        first = asyncio.create_task(client.get("/first"))
        await app.has_begun.wait()
        _, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
        writer.write(b"GET /gone HTTP/1.1\r\nHost: store\r\n\r\n")
        writer.close()
        await writer.wait_closed()
        # What came later was answered, so the server has seen the client go.
        await client.get("/healthz")
        last = asyncio.create_task(client.get("/last"))
        await client.get("/healthz")
        app.may_end.set()
        await asyncio.gather(first, last)
    assert app.begun == ["/first", "/last"]


async def test_a_request_that_waits_for_slow_work_does_not_block_others() -> None:
    app = BlockingApp()
    async with listening(app, Admission(1, slow_seconds=0.0, burst_seconds=NEVER)) as client:
        answers = [asyncio.create_task(client.get(f"/{number}")) for number in range(3)]
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(app.begun) < 3:
                app.has_begun.clear()
                await app.has_begun.wait()
        app.may_end.set()
        assert {answer.status_code for answer in await asyncio.gather(*answers)} == {200}


def waited(admission: Admission, seconds: float) -> AdmissionTicket:
    ticket = AdmissionTicket(admission)
    ticket.since = monotonic() - seconds
    return ticket


@pytest.mark.parametrize(
    ("waits", "admitted"),
    [
        ((30.0, 20.0, 0.0), [False, False, True]),
        # All have come within a burst: there is time for them.
        ((8.0, 7.0, 0.0), [True, True, True]),
        # The queue has stood for longer than any burst: only who came lately is still served.
        ((12.0, 7.0, 0.0), [False, False, True]),
    ],
)
async def test_the_longest_waiting_requests_are_rejected_first(waits: tuple[float, ...], admitted: list[bool]) -> None:
    admission = Admission(1, burst_seconds=10.0, overload_seconds=5.0, slow_seconds=NEVER)
    turns: list[bool] = []
    running = AdmissionTicket(admission)
    assert admission.try_enter(running)
    tickets = [waited(admission, seconds) for seconds in waits]
    for ticket in tickets:
        admission.queue(ticket, turns.append)
    for ticket in (running, *tickets):
        ticket.leave()
    assert turns == admitted


async def test_requests_leave_half_of_their_slots_empty_while_deliveries_wait_for_the_worker() -> None:
    is_behind = True
    admission = Admission(16, is_worker_behind=lambda: is_behind)
    with_deliveries = [admission.try_enter(AdmissionTicket(admission)) for _ in range(10)]
    is_behind = False
    without = [admission.try_enter(AdmissionTicket(admission)) for _ in range(10)]
    assert (with_deliveries.count(True), without.count(True)) == (8, 8)


async def test_a_body_that_comes_slowly_holds_no_slot(world: World) -> None:
    admission = PATIENT(1)
    body = json.dumps(BRONZE).encode()
    head = f"POST {TIERS} HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer {world.token}\r\nExpect: 100-continue\r\n"
    headers = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    async with listening(world.app, admission) as client:
        reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
        writer.write((head + headers).encode())
        # It is under way: the server asks for the body.
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
        other_answer = await client.get(TIERS, headers={"Authorization": f"Bearer {world.token}"})
        writer.write(body)
        created = await reader.read()
        writer.close()
    assert (other_answer.status_code, created[:13]) == (200, b"HTTP/1.1 201 ")


async def test_under_overload_exactly_the_acknowledged_writes_are_stored(world: World) -> None:
    admission = HASTY(2)
    headers = {"Authorization": f"Bearer {world.token}"}
    names = [f"Tier {number}" for number in range(60)]
    async with listening(world.app, admission) as client:
        answers = await asyncio.gather(
            *(client.post(TIERS, json=BRONZE | {"name": name}, headers=headers) for name in names)
        )
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) == {201, 503}
    assert {answer.headers.get("Retry-After") for answer in answers if answer.status_code == 503} == {"1"}
    acknowledged = {name for name, status in zip(names, statuses, strict=True) if status == 201}
    assert {tier["name"] for tier in (await world.get("/referrals/tiers")).json()["data"]} == acknowledged
