"""Proves that the events of a payment can come in every order, without trying all of them.

What is stored after a set of events is the same whichever of them came last. So it does not depend on their order, and
one way to each set is enough: 448 steps stand for the 5,040 orders of seven events.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import combinations
from typing import Any

from sqlalchemy import bindparam, select, update

from lootkeep.kernel.clock import SECOND
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import metadata, payment_events
from tests.api.fraud.shop import settings
from tests.api.providers import work
from tests.builders import new_customer, new_order, new_product
from tests.world import World

# So that what waits for more facts is applied in the order in which it came.
_APART = 6 * SECOND
# Of ids, times and tries only whether they are there: they decide when something is tried, not what becomes of it.
_VARIES = ("id", "_at", "body", "failures", "attempts_count")
_MIN_TIME = 10**15
# Refunds are sums so far: in how many parts one came is no matter, the order has the sum.
_ROWS = {
    table: Query(
        select(table).where((table.c.id if table.name == "orders" else table.c.order_id) == bindparam("of_order"))
    )
    for table in metadata.sorted_tables
    if table.name == "orders" or ("order_id" in table.c and table.name != "refunds")
}
# Those of an order that is not looked at again.
_FORGET = Query(
    update(payment_events).where(payment_events.c.status == "waiting").values(status="ignored", finished_at=0)
)


async def assert_every_order_ends_alike(
    world: World, count: int, report: Callable[[int, int], Awaitable[None]]
) -> set[int]:
    """`report` sends the event with a number of an order; each last one comes twice. Returns the finished orders."""
    await settings(world, fraud_detection_enabled=False)
    customer, product = (await new_customer(world))["customer"], await new_product(world, price="20.00")
    ends: dict[frozenset[int], list[Any]] = {}
    finished = set()
    for size in range(count):
        for before in combinations(range(count), size):
            for last in set(range(count)) - set(before):
                order_id = (await new_order(world, customer["id"], (product["id"], 1)))["id"]
                for index in (*before, last, last):
                    await report(order_id, index)
                    await work(world)
                    world.clock.advance(_APART)
                    await work(world)
                end = await _stored(world, order_id)
                assert ends.setdefault(frozenset((*before, last)), end) == end, (before, last)
                async with world.db.write() as tx:
                    await tx.run(_FORGET)
                if size + 1 == count:
                    finished.add(order_id)
    return finished


async def _stored(world: World, order_id: int) -> list[Any]:
    """What is stored of an order and its events."""
    async with world.db.read() as tx:
        stored = [
            (table.name, *(_plain(*cell) for cell in zip(table.c.keys(), row, strict=True)))
            for table, query in _ROWS.items()
            for row in await tx.all(query, of_order=order_id)
        ]
    return sorted(stored, key=str)


def _plain(name: str, value: Any) -> Any:
    # The second event of one payment changes nothing, whichever comes second.
    if value == "already_recorded":
        return None
    is_time = isinstance(value, int) and value > _MIN_TIME
    return value is not None if is_time or name.endswith(_VARIES) else value
