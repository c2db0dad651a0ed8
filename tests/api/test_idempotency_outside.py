"""Idempotency keys of operations outside the database: run once, and again only when the outcome is unknown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from sqlalchemy import func, literal, select

from lootkeep.kernel.clock import DAY, SECOND, Instant
from lootkeep.storage.engine.query import Query
from tests.api.hooks import make
from tests.receiver import Receiver, holding
from tests.world import World

# Longer than any operation may take; see the lease.
LEASE = 60 * SECOND
PATIENCE_SECONDS = 300
IN_USE = (409, "idempotency_key_in_use")

_NUMBERS = select(literal(1).label("n")).cte("numbers", recursive=True)
_COUNTED = _NUMBERS.union_all(select(_NUMBERS.c.n + 1).where(_NUMBERS.c.n < 1_000_000))
SLOW = Query(select(func.count()).select_from(_COUNTED))


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver() as receiver:
        yield receiver


@pytest.fixture
async def hook(insecure_world: World, receiver: Receiver) -> str:
    webhook = await make(insecure_world, url=receiver.url)
    return f"/webhooks/{webhook['id']}/test"


async def send(world: World, path: str, key: str = "a") -> httpx.Response:
    return await world.post(path, headers={"Idempotency-Key": key})


def is_replay(answer: httpx.Response) -> bool:
    return "Idempotent-Replayed" in answer.headers


def outcome(answer: httpx.Response) -> tuple[int, str | None]:
    return answer.status_code, answer.json().get("code")


@pytest.fixture
async def running(insecure_world: World, receiver: Receiver, hook: str) -> AsyncIterator[asyncio.Task[httpx.Response]]:
    """A test whose receiver has not answered yet; it answers when `receiver.gate` is set."""
    gate = asyncio.Event()
    receiver.behaviour = holding(gate)
    task = asyncio.create_task(send(insecure_world, hook))
    await receiver.wait_for(1)
    receiver.behaviour = None
    yield task
    gate.set()
    await asyncio.gather(task, return_exceptions=True)


async def test_thirty_two_concurrent_tests_with_one_key_send_one_request(
    insecure_world: World, receiver: Receiver, hook: str
) -> None:
    answers = await asyncio.gather(*(send(insecure_world, hook) for _ in range(32)))
    assert len(receiver.received) == 1
    assert {outcome(answer) for answer in answers} <= {(200, None), IN_USE}
    assert sum(answer.status_code == 200 and not is_replay(answer) for answer in answers) == 1
    again = await send(insecure_world, hook)
    assert (again.status_code, is_replay(again), len(receiver.received)) == (200, True, 1)


async def test_repeating_a_running_test_is_a_conflict_until_it_finishes(
    insecure_world: World, receiver: Receiver, hook: str, running: asyncio.Task[httpx.Response]
) -> None:
    meanwhile = await send(insecure_world, hook)
    other_answer = await send(insecure_world, hook, "b")
    assert (outcome(meanwhile), outcome(other_answer)) == (IN_USE, (200, None))
    assert len(receiver.received) == 2


async def test_other_calls_are_answered_while_a_test_with_a_key_runs(
    insecure_world: World, running: asyncio.Task[httpx.Response]
) -> None:
    written = await make(insecure_world, url="http://127.0.0.1:9/")
    assert (written["is_active"], running.done()) == (True, False)


@pytest.mark.parametrize(("passed", "status"), [(LEASE - 1, 409), (LEASE, 200)])
async def test_a_test_of_a_dead_process_can_be_resent_after_its_lease_expires(
    insecure_world: World,
    receiver: Receiver,
    hook: str,
    running: asyncio.Task[httpx.Response],
    passed: int,
    status: int,
) -> None:
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    insecure_world.clock.advance(passed)
    assert (await send(insecure_world, hook)).status_code == status


async def test_a_clock_that_was_set_back_does_not_make_a_lease_longer(
    insecure_world: World, receiver: Receiver, hook: str, running: asyncio.Task[httpx.Response]
) -> None:
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    insecure_world.clock.set_to(Instant(insecure_world.clock.now() - DAY))
    assert (await send(insecure_world, hook)).status_code == 200


async def test_a_test_that_outlived_its_lease_does_not_replace_its_successors_answer(
    insecure_world: World, receiver: Receiver, hook: str
) -> None:
    gate = asyncio.Event()
    receiver.behaviour = holding(gate, 500)
    first = asyncio.create_task(send(insecure_world, hook))
    await receiver.wait_for(1)
    receiver.behaviour = None
    insecure_world.clock.advance(LEASE)
    second = await send(insecure_world, hook)
    gate.set()
    late = (await first).json()["data"]
    third = await send(insecure_world, hook)
    assert (late["response_code"], second.json()["data"]["response_code"]) == (500, 200)
    assert (is_replay(third), third.content == second.content) == (True, True)


async def test_a_test_of_a_missing_webhook_leaves_its_key_free(insecure_world: World, receiver: Receiver) -> None:
    missing = await send(insecure_world, "/webhooks/1/test")
    await make(insecure_world, url=receiver.url)
    sent = await send(insecure_world, "/webhooks/1/test")
    assert (missing.status_code, sent.status_code, is_replay(sent)) == (404, 200, False)


async def test_a_test_is_sent_again_after_a_day(insecure_world: World, receiver: Receiver, hook: str) -> None:
    await send(insecure_world, hook)
    insecure_world.clock.advance(DAY)
    again = await send(insecure_world, hook)
    assert (again.status_code, is_replay(again), len(receiver.received)) == (200, False, 2)


async def test_a_backtest_of_settings_with_a_key_runs_once(world: World) -> None:
    body = {"settings": {"fraud_action": "flag"}}
    answers = [await world.post("/fraud/backtest", body, headers={"Idempotency-Key": "a"}) for _ in range(2)]
    other_answer = await world.post("/fraud/backtest", {"settings": {}}, headers={"Idempotency-Key": "a"})
    assert [(answer.status_code, is_replay(answer)) for answer in answers] == [(200, False), (200, True)]
    assert outcome(other_answer) == (422, "idempotency_key_reused")


@pytest.mark.parametrize("db_location", ["sqlite"], indirect=True)
async def test_a_backtest_of_settings_with_a_key_waits_in_the_slow_read_thread(
    world: World,
) -> None:
    ended: list[str] = []

    async def read_for_long() -> None:
        async with world.db.read(slow=True) as tx:
            await tx.all(SLOW)
        ended.append("slow read")

    async def try_settings() -> None:
        await world.post("/fraud/backtest", {"settings": {}}, headers={"Idempotency-Key": "a"})
        ended.append("settings")

    first = asyncio.create_task(read_for_long())
    await asyncio.sleep(0)
    await asyncio.wait_for(asyncio.gather(first, try_settings()), PATIENCE_SECONDS)
    assert ended == ["slow read", "settings"]
