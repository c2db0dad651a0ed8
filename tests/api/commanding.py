"""A store with a game server and a product that runs commands on it, and the calls that the server makes."""

from __future__ import annotations

from typing import Any

from tests.builders import STORE, new_customer, new_product
from tests.world import World

GAME = "/api/game/v1"
NOTCH = {"game": "minecraft", "id": "069a79f4-44e9-4726-a5be-fca90e38aaf5", "name": "Notch"}
STEVE = {"game": "minecraft", "id": "8667ba71-b85a-4004-af54-457a9734eed7", "name": "Steve"}
GIVE = {"server_id": 1, "on": "paid", "text": "lp user {player_name} parent add vip"}


class GameServer:
    """What the token of a server can do."""

    def __init__(self, world: World, token: str) -> None:
        self._world = world
        self.token = token

    async def take(self, query: str = "") -> list[dict[str, Any]]:
        answer = await self._world.get(f"{GAME}/commands{query}", token=self.token)
        assert answer.status_code == 200, answer.text
        data: list[dict[str, Any]] = answer.json()["data"]
        return data

    async def texts(self, query: str = "") -> list[str]:
        return [command["text"] for command in await self.take(query)]

    async def run_all(self) -> None:
        """Everything that waits is done."""
        await self.report(*({"id": command["id"], "ok": True} for command in await self.take()))

    async def report(self, *results: dict[str, Any]) -> dict[str, int]:
        answer = await self._world.post(f"{GAME}/commands/results", {"results": list(results)}, token=self.token)
        assert answer.status_code == 200, answer.text
        counts: dict[str, int] = answer.json()["data"]
        return counts


async def open_server(world: World, name: str = "Survival", game: str = "minecraft") -> GameServer:
    answer = await world.post("/servers", {"name": name, "game": game})
    assert answer.status_code == 201, answer.text
    return GameServer(world, answer.json()["data"]["token"])


async def rank(world: World, *commands: dict[str, Any], **fields: Any) -> int:
    """A product that runs these commands."""
    product = await new_product(world, delivery_type="command", commands=list(commands) or [GIVE], **fields)
    return int(product["id"])


async def survival(world: World, *commands: dict[str, Any], **fields: Any) -> GameServer:
    """A server, a rank on it, and a customer."""
    server = await open_server(world)
    await rank(world, *commands, **fields)
    await new_customer(world)
    return server


async def bought(world: World, product_id: int = 1, **fields: Any) -> int:
    """A paid order."""
    line = {"product_id": product_id, "quantity": 1}
    body = {"customer_id": 1, "items": [line], "ip_address": "203.0.113.9", "player": NOTCH} | fields
    answer = await world.post(f"{STORE}/orders", body)
    assert answer.status_code == 201, answer.text
    order_id = int(answer.json()["data"]["order"]["id"])
    answer = await world.post(f"{STORE}/orders/{order_id}/pay", {})
    assert answer.status_code == 200, answer.text
    return order_id


async def order_status(world: World, order_id: int = 1) -> str:
    return str((await world.get(f"/orders/{order_id}")).json()["data"]["status"])


async def statuses(world: World, query: str = "") -> list[tuple[str, str]]:
    """Cause and status of the commands, oldest first."""
    rows = (await world.get(f"/commands?order=asc&per_page=100{query}")).json()["data"]
    return [(row["cause"], row["status"]) for row in rows]
