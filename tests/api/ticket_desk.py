"""A support desk with tickets of every kind, and its list as it is answered."""

from __future__ import annotations

from random import Random
from typing import Any

from lootkeep.domain.access import User
from lootkeep.kernel.clock import MINUTE
from lootkeep.services import access as access_service
from lootkeep.storage.access import rows as access_db
from tests.builders import new_customer, new_order, new_product, new_ticket
from tests.world import World

LIST = "/support-tickets"


async def listed(world: World, **params: Any) -> list[dict[str, Any]]:
    answer = await world.get(LIST, params={"per_page": 100} | params)
    assert answer.status_code == 200, answer.text
    data: list[dict[str, Any]] = answer.json()["data"]
    assert answer.json()["meta"]["total"] == len(data)
    return data


async def assign(world: World, ticket_id: int, user: User | None) -> None:
    answer = await world.post(f"{LIST}/{ticket_id}/assign", {"user_id": user.id if user else None})
    assert answer.status_code == 200


async def a_busy_desk(world: World, count: int = 60) -> User:
    """Tickets over some days, in every state, of some customers, in several hands; returns a user besides the owner."""
    random = Random(7)
    mira = await access_service.add_user(world.deps, "mira@store.example", "Mira Voss")
    async with world.db.read() as tx:
        owner = await access_db.owner(tx)
    customers = [(await new_customer(world, name=name))["customer"]["id"] for name in ("Jun Park", "Ana Ruiz")]
    orders = [await new_order(world, who, ((await new_product(world))["id"], 1)) for who in customers]
    for number in range(1, count + 1):
        index = random.randrange(2)
        ticket = await new_ticket(
            world,
            customers[index],
            subject=f"Case {number}",
            priority=random.choice(("low", "normal", "high", "urgent")),
            category=random.choice(("order", "refund", "other")),
            order_id=random.choice((None, orders[index]["id"])),
        )
        await assign(world, ticket["id"], random.choice((None, owner, mira)))
        world.clock.advance(random.randrange(1, 300) * MINUTE)
        steps = random.choice(((), ("answer",), ("answer", "resolved"), ("closed",), ("answer", "closed", "open")))
        for step in steps:
            world.clock.advance(random.randrange(1, 90) * 1_000_000)
            if step == "answer":
                await world.post(f"{LIST}/{ticket['id']}/messages", {"message": "Hm."})
            else:
                await world.put(f"{LIST}/{ticket['id']}/status", {"status": step})
    return mira
