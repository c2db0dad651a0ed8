"""How many statements the payment of a key takes on PostgreSQL."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY
from lootkeep.storage.engine.postgres import PostgresDatabase
from tests.api.ordering import buyer, step
from tests.builders import new_order, new_product
from tests.world import World

only_postgresql = pytest.mark.parametrize("db_location", ["postgresql"], indirect=True)


async def statements_of_a_payment(world: World, product_id: int) -> list[str]:
    """A first payment prepares the statements; the second is counted."""
    for _ in range(2):
        world.clock.advance(DAY)
        order = await new_order(world, 1, (product_id, 1))
        seen: list[str] = []
        assert isinstance(world.db, PostgresDatabase)
        connection = await world.db.pool.take()

        def note(query: Any, seen: list[str] = seen) -> None:
            seen.append(query.query)

        connection.add_query_logger(note)
        world.db.pool.give_back(connection)
        assert (await step(world, order["id"], "pay")).status_code == 200
        connection.remove_query_logger(note)
    return seen


@only_postgresql
async def test_the_payment_of_a_key_takes_at_most_two_statements_more(world: World) -> None:
    await buyer(world)
    nothing = await statements_of_a_payment(world, (await new_product(world))["id"])
    key = await statements_of_a_payment(world, (await new_product(world, delivery_type="keys"))["id"])
    assert nothing
    assert len(key) <= len(nothing) + 2, [statement[:60] for statement in key]
