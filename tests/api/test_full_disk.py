"""A full disk under PostgreSQL: writes are refused, it is visible where people look, and nothing is lost."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from lootkeep.api.http.readiness import DatabaseCheck
from lootkeep.storage import migrations
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers
from tests.api.sign_ups import sign_up
from tests.cli.terminal import PROGRAM, SECONDS, environment
from tests.disk import SmallDisk, small_disk
from tests.recount import maintained, recounted
from tests.world import KEY, World

# What is left of the pages that the tables have is full long before.
MAX_CUSTOMERS = 5000
EMAILS = Query(select(customers.c.email))
UNAVAILABLE = {
    "success": False,
    "error": "Service Unavailable",
    "code": "service_unavailable",
    "message": "The service is temporarily unavailable. Please try again shortly.",
}


@pytest.fixture
async def disk() -> AsyncIterator[SmallDisk]:
    async with small_disk() as disk:
        yield disk


@pytest.fixture
async def small_world(disk: SmallDisk) -> AsyncIterator[World]:
    db = await PostgresDatabase.open(disk.url, 4)
    await migrations.upgrade(db)
    world = World(db, rate_limit_per_minute=0)
    await world.begin()
    yield world
    await world.close()
    await db.close()


async def test_a_full_disk_rejects_writes_loses_nothing_and_recovers_when_there_is_space(
    small_world: World, disk: SmallDisk
) -> None:
    before = {f"before-{number}@j.example" for number in range(20)}
    assert {(await sign_up(small_world, email=email)).status_code for email in before} == {201}
    await disk.fill()
    during, refused = await sign_up_until_refused(small_world)
    read = await small_world.get("/customers")
    await disk.make_room()
    after = await sign_up(small_world, email="after@j.example")
    assert (refused.status_code, refused.headers["Retry-After"], refused.json()) == (503, "1", UNAVAILABLE)
    assert (read.status_code, after.status_code) == (200, 201)
    assert await emails(small_world) == {*before, *during, "after@j.example"}
    assert await maintained(small_world.db) == await recounted(small_world.db)


async def test_a_full_disk_is_not_ready_and_doctor_finds_it(
    small_world: World, disk: SmallDisk, tmp_path: Path
) -> None:
    seconds = 100.0
    is_ready = DatabaseCheck(small_world.deps, lambda: seconds)
    assert (await is_ready(), "ok       database" in await doctor(disk, tmp_path)) == (True, True)
    await disk.fill()
    seconds += 5
    findings = await is_ready(), await doctor(disk, tmp_path)
    await disk.make_room()
    seconds += 5
    assert findings[0] is False
    assert (
        "bad      database   The database answers, but nothing can be written. Check that its disk is not"
        in findings[1]
    )
    assert (await is_ready(), "ok       database" in await doctor(disk, tmp_path)) == (True, True)


async def sign_up_until_refused(world: World) -> tuple[set[str], httpx.Response]:
    acknowledged: set[str] = set()
    for number in range(MAX_CUSTOMERS):
        email = f"{number}@j.example"
        answer = await sign_up(world, email=email)
        if answer.status_code != 201:
            return acknowledged, answer
        acknowledged.add(email)
    pytest.fail("The disk was never full.")


async def emails(world: World) -> set[str]:
    async with world.db.read() as tx:
        return {email for (email,) in await tx.all(EMAILS)}


async def doctor(disk: SmallDisk, folder: Path) -> str:
    settings = environment({"database_url": disk.url, "secret_key": KEY})

    def run() -> str:
        done = subprocess.run(
            [PROGRAM, "doctor"], cwd=folder, env=settings, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        return done.stdout

    return await asyncio.to_thread(run)
