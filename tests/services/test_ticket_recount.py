"""The maintained ticket figures: right after real operations, found and repaired when something broke them."""

from __future__ import annotations

from sqlalchemy import delete, update

from lootkeep.kernel.clock import DAY, MINUTE
from lootkeep.services import recount as recount_service
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import support_tickets, ticket_figures
from tests.builders import STORE, new_customer, new_ticket
from tests.world import World

LIST = "/support-tickets"


async def a_busy_desk(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    for number in range(1, 5):
        await new_ticket(world, customer["id"], priority="high" if number % 2 else "low")
        world.clock.advance(number * 7 * MINUTE)
        await world.post(f"{LIST}/{number}/messages", {"message": "Hm."})
        world.clock.advance(DAY)
    await world.post(f"{LIST}/1/close", {"message": "Bye."})
    await world.post(f"{LIST}/2/assign", {"user_id": 1})
    await world.put(f"{LIST}/3/status", {"status": "resolved"})
    await world.post(f"{STORE}/support-tickets/3/messages", {"message": "No."})


async def found(world: World) -> tuple[int, int]:
    wrong = await recount_service.check(world.deps)
    return wrong["support tickets"], wrong["ticket figures"]


async def test_a_recount_of_a_busy_desk_finds_nothing_wrong(world: World) -> None:
    await a_busy_desk(world)
    assert await found(world) == (0, 0)


async def test_broken_figures_are_found_without_being_changed_and_then_repaired(world: World) -> None:
    await a_busy_desk(world)
    before = (await world.get("/support-tickets/stats")).json()
    closed = ticket_figures.c.status == "closed"
    async with world.db.write() as tx:
        await tx.run(Query(update(support_tickets).where(support_tickets.c.id == 1).values(messages_count=99)))
        await tx.run(Query(update(support_tickets).where(support_tickets.c.id == 2).values(last_message_by="customer")))
        await tx.run(Query(update(ticket_figures).where(closed).values(resolution_seconds=1)))
    assert await found(world) == (2, 1)
    assert await found(world) == (2, 1)
    await recount_service.rebuild(world.deps)
    assert await found(world) == (0, 0)
    assert (await world.get("/support-tickets/stats")).json() == before


async def test_figures_that_are_missing_are_counted_again(world: World) -> None:
    await a_busy_desk(world)
    before = (await world.get("/support-tickets/stats")).json()
    async with world.db.write() as tx:
        await tx.run(Query(delete(ticket_figures)))
    await recount_service.rebuild(world.deps)
    assert (await world.get("/support-tickets/stats")).json() == before
