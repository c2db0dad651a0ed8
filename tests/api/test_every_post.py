"""Every POST of the route table, with a key and a real record: it succeeds once, and is replayed."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from lootkeep import wiring
from lootkeep.domain.access import SERVER_SCOPE
from lootkeep.storage.engine.database import Engine
from tests.api.commanding import GAME, bought, survival
from tests.api.posts import POSTS, full_store
from tests.receiver import Receiver
from tests.world import World

ROUTES = {
    group.prefix + route.path: route
    for group in wiring.groups()
    for route in group.routes
    # What only a server's own token may call has its own test.
    if route.method == "POST" and route.scope != SERVER_SCOPE
}


@pytest.fixture
async def world(db: Engine) -> AsyncIterator[World]:
    world = World(db, webhook_allow_insecure=True, rate_limit_per_minute=0)
    await world.begin()
    yield world
    await world.close()


def test_every_post_has_a_call() -> None:
    missing = ROUTES.keys() ^ POSTS.keys()
    assert not missing, f"Add a call to POSTS in tests/api/posts.py, or remove it, for {sorted(missing)}."


async def test_every_post_succeeds_with_a_key_and_is_replayed(world: World) -> None:
    async with Receiver() as receiver:
        store = await full_store(world, receiver)
        outcomes = {}
        for path, post in POSTS.items():
            await post.before(world)
            url, body = post.request(path, store)
            first, again = [await world.post(url, body, headers={"Idempotency-Key": "a"}) for _ in range(2)]
            is_replay = again.headers.get("Idempotent-Replayed") == "true" and again.content == first.content
            outcomes[path] = (first.status_code, again.status_code, is_replay, first.text if first.is_error else "")
    expected = {path: (route.answer.status, route.answer.status, True, "") for path, route in ROUTES.items()}
    assert outcomes == expected


async def test_results_of_commands_succeed_with_a_key_and_are_replayed(world: World) -> None:
    server = await survival(world)
    await bought(world)
    results = {"results": [{"id": command["id"], "ok": True} for command in await server.take()]}
    headers = {"Idempotency-Key": "a"}
    url = f"{GAME}/commands/results"
    first, again = [await world.post(url, results, headers=headers, token=server.token) for _ in range(2)]
    assert (first.status_code, first.json()["data"]) == (200, {"recorded": 1, "unknown": 0})
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.content == first.content
