"""Helpers for the tests of bulk actions: prepare and start one, work it, and read its rows."""

from __future__ import annotations

from typing import Any

from lootkeep.console.bulk import AREAS
from lootkeep.domain.bulk import BulkAct
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.errors import existing
from lootkeep.services import bulk as bulk_service
from lootkeep.storage import bulk as bulk_db
from lootkeep.worker.bulk import BulkWorker
from tests.builders import new_customer, new_order, new_product, paid_order
from tests.world import World


async def paid_orders(world: World, count: int) -> list[int]:
    """Orders that wait to be fulfilled."""
    product = await new_product(world, delivery_type="manual")
    customers = [(await new_customer(world))["customer"] for _ in range(count)]
    return [(await paid_order(world, customer["id"], (product["id"], 1)))["id"] for customer in customers]


async def pending_order(world: World) -> int:
    product = await new_product(world, delivery_type="manual")
    customer = (await new_customer(world))["customer"]
    order_id: int = (await new_order(world, customer["id"], (product["id"], 1)))["id"]
    return order_id


async def started(world: World, area: str, name: str, ids: list[int], **parameters: Any) -> BulkAct:
    act = bulk_service.ACTS[area, name]
    draft = await bulk_service.prepare(world.deps, act, 1, dict.fromkeys(ids), "?", len(ids), is_all=False)
    return await bulk_service.start(world.deps, draft.id, 1, parameters)


# What each act gets; the first of an area is what every area has in a store of the tests.
PARAMETERS: dict[tuple[str, str], dict[str, Any]] = {
    ("orders", "fulfill"): {"note": None},
    ("orders", "cancel"): {"reason": "A test"},
    ("fraud", "approve"): {"notes": "A test"},
    ("fraud", "reject"): {"notes": "A test"},
    ("fraud", "block"): {"notes": "A test"},
    ("tickets", "assign"): {"agent_id": 1},
    ("tickets", "give_back"): {"agent_id": 1, "before_id": None},
    ("tickets", "reply"): {"message": "A test"},
    ("tickets", "close"): {"message": None},
    ("tickets", "open"): {},
    ("customers", "tag"): {"tag": "vip"},
    ("customers", "untag"): {"tag": "vip"},
    ("customers", "block"): {"reason": "A test"},
    ("customers", "unblock"): {"note": "A test"},
    ("coupons", "activate"): {},
    ("coupons", "deactivate"): {},
    ("gift_cards", "revoke"): {"reason": "A test"},
    ("deliveries", "resend"): {},
}
FIRST = {area: (area, name) for area, name in reversed(PARAMETERS)}


async def one_of_each(world: World) -> None:
    """An act of each area, in the order of the areas, on a record that does not exist."""
    for area in AREAS:
        await started(world, *FIRST[area], [999], **PARAMETERS[FIRST[area]])
    await work(world)


def bulk_worker(world: World) -> BulkWorker:
    return BulkWorker(world.deps, Wakeup())


async def work(world: World) -> None:
    worker = bulk_worker(world)
    while await worker.run_once():
        pass


async def read(world: World, act: BulkAct) -> BulkAct:
    async with world.db.read() as tx:
        return existing(await bulk_db.ACTS.get(tx, act.id), "Bulk action")


async def results(world: World, act: BulkAct) -> dict[int, tuple[str, str | None]]:
    """By record, what became of it and the sentence."""
    async with world.db.read() as tx:
        rows = await bulk_db.ROWS.find(tx, act_id=act.id)
    return {row.record_id: (row.status, row.sentence) for row in rows}
