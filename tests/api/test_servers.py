"""Game servers over HTTP: their life, and their tokens, which see one queue and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.errors import InvalidFields
from lootkeep.services import servers as servers_service
from tests.conftest import only_sqlite
from tests.world import World

SURVIVAL = {"name": "Survival", "game": "minecraft"}


async def new_server(world: World, **fields: Any) -> tuple[dict[str, Any], str]:
    """The server and its token."""
    answer = await world.post("/servers", SURVIVAL | fields)
    assert answer.status_code == 201, answer.text
    data = answer.json()["data"]
    return data["server"], data["token"]


async def test_a_new_server_has_an_empty_queue_and_a_token_that_is_shown_once(world: World) -> None:
    server, token = await new_server(world)
    assert token.startswith("lk_")
    assert server == {
        **SURVIVAL,
        "id": 1,
        "last_seen_at": None,
        "waiting": 0,
        "failed": 0,
        "created_at": "2026-11-15T12:00:00Z",
        "updated_at": "2026-11-15T12:00:00Z",
    }
    assert (await world.get("/servers/1")).json() == {"success": True, "data": server}
    assert (await world.get("/servers")).json() == {"success": True, "data": [server]}


async def test_a_server_gets_another_name(world: World) -> None:
    await new_server(world)
    changed = (await world.put("/servers/1", {"name": "Creative"})).json()["data"]
    assert (changed["name"], changed["game"]) == ("Creative", "minecraft")


async def test_the_token_of_a_server_may_do_nothing_else(world: World) -> None:
    _, token = await new_server(world)
    for path in ("/servers", "/orders", "/api/store/v1/orders"):
        answer = await world.get(path, token=token)
        assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")


async def test_a_replaced_token_is_rejected_and_the_new_one_is_not(world: World) -> None:
    _, old = await new_server(world)
    new = (await world.post("/servers/1/rotate-token")).json()["data"]["token"]
    assert (await world.get("/servers", token=old)).status_code == 401
    assert (await world.get("/servers", token=new)).status_code == 403


async def test_a_deleted_server_is_gone_with_its_token(world: World) -> None:
    _, token = await new_server(world)
    assert (await world.delete("/servers/1")).json()["message"] == "Server deleted successfully"
    assert (await world.get("/servers/1")).status_code == 404
    assert (await world.get("/servers")).json()["data"] == []
    assert (await world.get("/servers", token=token)).status_code == 401


async def test_no_two_servers_have_one_token(world: World) -> None:
    tokens = {(await new_server(world, name=f"Server {number}"))[1] for number in range(3)}
    assert len(tokens) == 3


@only_sqlite
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "Survival"}, "game"),
        ({"game": "minecraft"}, "name"),
        (SURVIVAL | {"game": "chess"}, "game"),
        (SURVIVAL | {"name": "a\nb"}, "name"),
    ],
)
async def test_a_server_needs_a_name_and_a_known_game(world: World, body: dict[str, str], field: str) -> None:
    answer = await world.post("/servers", body)
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])


@only_sqlite
async def test_a_store_has_at_most_a_hundred_servers(world: World) -> None:
    for number in range(100):
        await servers_service.create(world.deps, f"Server {number}", "other")
    answer = await world.post("/servers", SURVIVAL)
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_servers")


@only_sqlite
async def test_nobody_can_make_another_token_with_the_scope_of_a_server(world: World) -> None:
    with pytest.raises(InvalidFields):
        await world.new_token("commands:run")
