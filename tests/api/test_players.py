"""Players over HTTP: identities of customers, and the player of an order and of a subscription."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import SECOND
from tests.api.commanding import GIVE, bought, survival
from tests.api.posts import MONTHLY
from tests.builders import STORE, new_customer, new_product
from tests.conftest import only_sqlite
from tests.world import World

UUID = "069a79f4-44e9-4726-a5be-fca90e38aaf5"
STEAM = {"game": "steam", "id": "76561198000000000", "name": "★ gabe ★"}
NOTCH = {"game": "minecraft", "id": UUID, "name": "Notch"}


async def identified(world: World, *identities: dict[str, Any]) -> None:
    await new_customer(world)
    answer = await world.put("/customers/1", {"identities": list(identities)})
    assert answer.status_code == 200, answer.text


async def found(world: World, path: str) -> list[int]:
    return [row["id"] for row in (await world.get(path)).json()["data"]]


async def test_identities_are_replaced_as_a_whole(world: World) -> None:
    await identified(world, STEAM, NOTCH | {"id": UUID.replace("-", "").upper()})
    customer = (await world.get(f"{STORE}/customers/1")).json()["data"]
    assert customer["identities"] == [STEAM | {"verified_at": None}, NOTCH | {"verified_at": None}]
    changed = await world.put(f"{STORE}/customers/1", {"identities": [STEAM]})
    assert changed.json()["data"]["identities"] == [STEAM | {"verified_at": None}]


async def test_a_customer_is_found_by_who_they_are_in_a_game(world: World) -> None:
    await identified(world, STEAM, NOTCH)
    await new_customer(world, email="other@example.com")
    for path in ("/customers", f"{STORE}/customers"):
        assert await found(world, f"{path}?identity=steam:76561198000000000") == [1]
        assert await found(world, f"{path}?identity=minecraft:{UUID.replace('-', '')}") == [1]
        assert await found(world, f"{path}?identity=rust:76561198000000000") == []
    assert await found(world, "/customers?search=notch") == [1]
    assert await found(world, "/customers?search=76561198000") == [1]
    await world.put("/customers/1", {"identities": []})
    assert await found(world, "/customers?identity=steam:76561198000000000") == []
    assert await found(world, "/customers?search=notch") == []


async def test_identities_are_exported_and_erased(world: World) -> None:
    await identified(world, STEAM)
    export = (await world.get(f"{STORE}/customers/1/export")).json()["data"]
    assert export["customer"]["identities"] == [STEAM | {"verified_at": None}]
    await world.delete(f"{STORE}/customers/1")
    assert (await world.get("/customers/1")).json()["data"]["identities"] == []
    assert await found(world, "/customers?identity=steam:76561198000000000") == []


async def test_an_identity_is_verified_when_the_game_has_run_a_command_for_it(world: World) -> None:
    server = await survival(world, GIVE)
    await world.put("/customers/1", {"identities": [STEAM, NOTCH]})
    await bought(world, player=None)
    (command,) = await server.take()
    await server.report({"id": command["id"], "ok": False, "output": "No player was found"})
    assert await verified(world) == [None, None]
    world.clock.advance(30 * SECOND)
    (command,) = await server.take()
    await server.report({"id": command["id"], "ok": True})
    assert await verified(world) == [None, "2026-11-15T12:00:30Z"]
    world.clock.advance(30 * SECOND)
    await bought(world, player=None)
    (command,) = await server.take()
    await server.report({"id": command["id"], "ok": True})
    assert await verified(world) == [None, "2026-11-15T12:00:30Z"]
    await world.put("/customers/1", {"identities": [NOTCH | {"name": "Jeb"}, STEAM]})
    assert await verified(world) == ["2026-11-15T12:00:30Z", None]
    assert await found(world, f"/customers?identity=minecraft:{UUID}") == [1]


async def verified(world: World) -> list[str | None]:
    identities = (await world.get("/customers/1")).json()["data"]["identities"]
    return [identity["verified_at"] for identity in identities]


async def ordered(world: World, **fields: Any) -> dict[str, Any]:
    await new_customer(world)
    await new_product(world)
    body = {"customer_id": 1, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9"}
    answer = await world.post(f"{STORE}/orders", body | fields)
    data: dict[str, Any] = answer.json()
    return data


async def test_an_order_names_who_gets_it(world: World) -> None:
    placed = await ordered(world, player=NOTCH)
    assert placed["data"]["order"]["player"] == NOTCH
    assert await found(world, "/orders?search=Notch") == [1]
    assert await found(world, f"/orders?search={UUID}") == [1]
    await world.delete(f"{STORE}/customers/1")
    assert (await world.get("/orders/1")).json()["data"]["player"] is None


async def test_a_subscription_keeps_its_player_for_every_period(world: World) -> None:
    await new_customer(world)
    await new_product(world, **MONTHLY)
    body = {"customer_id": 1, "product_id": 1, "player": NOTCH}
    data = (await world.post(f"{STORE}/subscriptions", body)).json()["data"]
    assert (data["subscription"]["player"], data["order"]["player"]) == (NOTCH, NOTCH)
    world.clock.advance(31 * 86_400 * 1_000_000)
    renewed = (await world.post(f"{STORE}/subscriptions/1/renew")).json()["data"]
    assert renewed["order"]["player"] == NOTCH


@only_sqlite
@pytest.mark.parametrize(
    ("player", "field"),
    [
        ({"game": "chess", "id": "1"}, "player.game"),
        ({"game": "steam"}, "player.id"),
        ({"game": "steam", "id": "7656"}, "player.id"),
        ({"game": "minecraft", "name": "op me"}, "player.name"),
    ],
)
async def test_a_player_that_the_game_does_not_know_is_refused(
    world: World, player: dict[str, str], field: str
) -> None:
    answer = await ordered(world, player=player)
    assert list(answer["errors"]) == [field]


@only_sqlite
async def test_one_identity_per_game_except_for_other_games(world: World) -> None:
    other = {"game": "other", "id": "anna"}
    await identified(world, other, other | {"id": "bela"})
    answer = await world.put("/customers/1", {"identities": [STEAM, STEAM]})
    assert list(answer.json()["errors"]) == ["identities.1.game"]


@only_sqlite
@pytest.mark.parametrize("identity", ["steam", "chess:1", "steam:"])
async def test_an_identity_is_a_game_and_an_id(world: World, identity: str) -> None:
    assert (await world.get(f"/customers?identity={identity}")).status_code == 422
