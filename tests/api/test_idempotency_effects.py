"""An idempotency key and the effect of its request are stored together or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from lootkeep.api.http.app import Api
from lootkeep.api.http.limits import Limits
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.probes import Probes
from lootkeep.api.http.router import Router
from lootkeep.api.http.routes import Call, Group, Reply, Route, only_message
from lootkeep.kernel.errors import Unprocessable
from lootkeep.services import access as access_service
from lootkeep.storage import idempotency as idempotency_db
from lootkeep.storage.access import rows as access_db
from tests.world import EXTERNAL, World

# Only a hang takes this long.
PATIENCE_SECONDS = 300


ANNA = "anna@store.test"


async def write_then_refuse(call: Call[None, None]) -> Reply:
    await access_service.add_user(call.deps, ANNA, "Anna")
    raise Unprocessable("no", "The rules forbid it.")


async def write_then_stumble(call: Call[None, None]) -> Reply:
    await access_service.add_user(call.deps, ANNA, "Anna")
    raise RuntimeError("after the write")


class PausedOperation:
    """Pauses an operation in the middle of its work until the test lets it continue."""

    def __init__(self) -> None:
        self.is_reached = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def write_and_wait(self, call: Call[None, None]) -> Reply:
        await access_service.add_user(call.deps, ANNA, "Anna")
        self.is_reached.set()
        await self.may_go_on.wait()
        return Reply()


@pytest.fixture
def stage() -> PausedOperation:
    return PausedOperation()


@pytest.fixture
async def client(world: World, stage: PausedOperation) -> AsyncIterator[httpx.AsyncClient]:
    rows = {"/refuse": write_then_refuse, "/stumble": write_then_stumble, "/wait": stage.write_and_wait}
    group = Group(
        "Test",
        "Operations that end badly or late.",
        tuple(
            Route("POST", path, handler, "referrals:write", "Try", only_message("Done"))
            for path, handler in rows.items()
        ),
    )
    pages = Probes(world.deps, world.tokens, world.limits, Metrics(), {}, dict).app()
    api = Api(
        world.deps, Router(group.routes_below), world.tokens, Limits(world.deps.limiter, 60, 60), Metrics(), pages
    )
    headers = {"Authorization": f"Bearer {world.token}", "Idempotency-Key": "a"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(api), base_url=f"http://store.test{EXTERNAL}", headers=headers
    ) as http:
        yield http


async def traces(world: World, path: str) -> tuple[bool, bool]:
    """Whether the effect of an operation is there, and whether its key is."""
    async with world.db.read() as tx:
        effect = await access_db.USERS.find_one(tx, email=ANNA)
        key = await idempotency_db.get(tx, 1, EXTERNAL + path, "a")
    return effect is not None, key is not None


@pytest.mark.parametrize(("path", "status"), [("/refuse", 422), ("/stumble", 500)])
async def test_an_operation_that_fails_after_its_write_leaves_neither_effect_nor_key(
    world: World, client: httpx.AsyncClient, path: str, status: int
) -> None:
    answer = await client.post(path)
    assert answer.status_code == status
    assert await traces(world, path) == (False, False)


async def test_effect_and_key_appear_together(world: World, client: httpx.AsyncClient, stage: PausedOperation) -> None:
    running = asyncio.create_task(client.post("/wait"))
    await asyncio.wait_for(stage.is_reached.wait(), PATIENCE_SECONDS)
    before = await traces(world, "/wait")
    stage.may_go_on.set()
    await running
    assert (before, await traces(world, "/wait")) == ((False, False), (True, True))


@pytest.mark.parametrize("db_location", ["postgresql"], indirect=True)
async def test_the_same_key_while_the_first_is_running_is_a_conflict(
    world: World, client: httpx.AsyncClient, stage: PausedOperation
) -> None:
    running = asyncio.create_task(client.post("/wait"))
    await asyncio.wait_for(stage.is_reached.wait(), PATIENCE_SECONDS)
    answer = await client.post("/wait")
    stage.may_go_on.set()
    assert (await running).status_code == 200
    assert answer.status_code == 409
    assert answer.json() == {
        "success": False,
        "error": "Conflict",
        "code": "idempotency_key_in_use",
        "message": "A request with this Idempotency-Key is still running.",
    }


async def test_a_cancelled_operation_leaves_neither_effect_nor_key(
    world: World, client: httpx.AsyncClient, stage: PausedOperation
) -> None:
    running = asyncio.create_task(client.post("/wait"))
    await asyncio.wait_for(stage.is_reached.wait(), PATIENCE_SECONDS)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert await traces(world, "/wait") == (False, False)
