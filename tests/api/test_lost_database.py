"""A database outage is reported by every endpoint, and over when the database is back."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from lootkeep import wiring
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.postgres_session import Deadlines
from tests.conftest import PATIENT
from tests.gate import Gate
from tests.world import World

BRONZE = {"name": "Bronze", "referrals_required": 5, "reward_type": "percentage_discount", "reward_value": 10}
ALL_PATHS = [
    (route.method, group.prefix + re.sub(r"{\w+}", "7", route.path))
    for group in wiring.groups()
    for route in group.routes
]
UNAVAILABLE = {
    "success": False,
    "error": "Service Unavailable",
    "code": "service_unavailable",
    "message": "The service is temporarily unavailable. Please try again shortly.",
}


@pytest.fixture
def deadlines() -> Deadlines:
    return PATIENT


@pytest.fixture
async def remote_world(world: World, gate: Gate, deadlines: Deadlines) -> AsyncIterator[World]:
    """A world whose PostgreSQL is behind a gate."""
    db = await PostgresDatabase.open(gate.url, 2, deadlines)
    remote = World(db)
    remote.token = world.token
    yield remote
    await remote.close()
    await db.close()


on_postgresql = pytest.mark.parametrize("db_location", ["postgresql"], indirect=True)
on_sqlite = pytest.mark.parametrize("db_location", ["sqlite"], indirect=True)


async def answers_everywhere(world: World) -> dict[str, tuple[int, Any]]:
    answers = {f"{method} {path}": await world.call(method, path) for method, path in ALL_PATHS}
    return {name: (answer.status_code, answer.json()) for name, answer in answers.items()}


@on_postgresql
async def test_every_endpoint_reports_that_postgresql_is_gone(remote_world: World, gate: Gate) -> None:
    await gate.shut()
    responses = await answers_everywhere(remote_world)
    assert responses == dict.fromkeys(responses, (503, UNAVAILABLE))


@on_postgresql
async def test_every_503_has_a_retry_after_header(remote_world: World, gate: Gate) -> None:
    await gate.shut()
    answers = [await remote_world.call(method, path) for method, path in ALL_PATHS]
    answers.append(await remote_world.http.get("/readyz"))
    assert {(answer.status_code, answer.headers["Retry-After"]) for answer in answers} == {(503, "1")}


@on_postgresql
async def test_a_cached_token_does_not_hide_that_postgresql_is_gone(remote_world: World, gate: Gate) -> None:
    await remote_world.get("/referrals/tiers")
    await gate.shut()
    read = await remote_world.get("/referrals/tiers")
    write = await remote_world.post("/referrals/tiers", BRONZE)
    once = await remote_world.post("/referrals/tiers", BRONZE, headers={"Idempotency-Key": "1"})
    assert [answer.status_code for answer in (read, write, once)] == [503, 503, 503]
    assert [answer.json() for answer in (read, write, once)] == [UNAVAILABLE] * 3


@on_postgresql
async def test_everything_works_again_when_postgresql_is_back(remote_world: World, gate: Gate) -> None:
    await gate.shut()
    gone = [(await remote_world.get("/referrals/tiers")).status_code for _ in range(5)]
    await gate.open()
    back = [(await remote_world.get("/referrals/tiers")).status_code for _ in range(5)]
    assert (gone, back) == ([503] * 5, [200] * 5)


@on_postgresql
@pytest.mark.parametrize("deadlines", [Deadlines(statement=1, connection=3)])
async def test_a_silent_network_failure_under_traffic_ends_when_data_arrives_again(
    remote_world: World, gate: Gate
) -> None:
    gate.is_silent = True
    writes = [remote_world.post("/referrals/tiers", BRONZE | {"name": f"Tier {number}"}) for number in range(8)]
    reads = [remote_world.get("/referrals/tiers") for _ in range(8)]
    during = {answer.status_code for answer in await asyncio.gather(*writes, *reads)}
    gate.is_silent = False
    while {(await remote_world.get("/referrals/tiers")).status_code for _ in range(8)} != {200}:
        await asyncio.sleep(0.05)
    assert during == {503}


@on_postgresql
async def test_readiness_reports_that_postgresql_is_gone(remote_world: World, gate: Gate) -> None:
    await gate.shut()
    answer = await remote_world.http.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == UNAVAILABLE | {"message": "Not ready: database, worker."}


@on_postgresql
async def test_liveness_does_not_depend_on_postgresql(remote_world: World, gate: Gate) -> None:
    await gate.shut()
    assert (await remote_world.http.get("/healthz")).status_code == 200


@on_sqlite
async def test_every_endpoint_reports_that_the_embedded_database_is_broken(world: World, db_location: Path) -> None:
    for file in db_location.parent.glob("test.db*"):
        file.write_bytes(b"no database" * (file.stat().st_size // 11))
    responses = await answers_everywhere(world)
    assert responses == dict.fromkeys(responses, (503, UNAVAILABLE))
