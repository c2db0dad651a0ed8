"""What a reviewer sees of the queue, and what becomes of an order."""

from __future__ import annotations

import re

from tests.console.visits import Visitor
from tests.world import World


async def status(world: World, order_id: int) -> str:
    return str((await world.get(f"/orders/{order_id}")).json()["data"]["status"])


async def waiting(visits: Visitor, query: str = "") -> list[int]:
    page = await visits.get(f"/fraud{query}")
    assert page.status_code == 200
    return [int(check) for check in re.findall(r'<li><a href="\?[^"]*check=(\d+)"', page.text)]
