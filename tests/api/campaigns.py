"""Helpers that create e-mail campaigns and customers who accept marketing e-mails."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, update

from lootkeep.kernel.clock import DAY
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, email_campaigns
from tests.builders import new_customer
from tests.world import World

PATH = "/email-campaigns"


async def make(world: World, **fields: Any) -> dict[str, Any]:
    body = {"name": "Winter sale", "subject": "Hello {{ name }}", "body_html": "<p>Hi</p>"} | fields
    answer = await world.post(PATH, body)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def reader(world: World, **fields: Any) -> dict[str, Any]:
    """A customer who accepts marketing e-mails."""
    customer: dict[str, Any] = (await new_customer(world, accepts_marketing=True, **fields))["customer"]
    return customer


async def read(world: World, campaign_id: int) -> dict[str, Any]:
    data: dict[str, Any] = (await world.get(f"{PATH}/{campaign_id}")).json()["data"]
    return data


async def set_customer(world: World, customer_id: int, **values: Any) -> None:
    async with world.db.write() as tx:
        await tx.run(
            Query(update(customers).where(customers.c.id == bindparam("this")).values(**values)), this=customer_id
        )


async def in_state(world: World, state: str) -> dict[str, Any]:
    campaign = await make(world)
    async with world.db.write() as tx:
        this = email_campaigns.c.id == bindparam("this")
        values = {"status": state, "scheduled_at": world.clock.now() + DAY}
        await tx.run(Query(update(email_campaigns).where(this).values(values)), this=campaign["id"])
    return campaign
