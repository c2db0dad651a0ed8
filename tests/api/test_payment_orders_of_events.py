"""Every type of event twice, in any order, before its order exists, with a difference, and with a wrong signature."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

from lootkeep.domain.disputes import open_disputes
from lootkeep.kernel.clock import MINUTE
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.orders import disputes as disputes_db
from lootkeep.storage.schema import orders, payment_attempts
from tests.api.every_order import assert_every_order_ends_alike
from tests.api.ordering import step
from tests.api.providers import (
    WARNING,
    an_order,
    apply,
    charge,
    dispute,
    event,
    events,
    intent,
    new_source,
    order,
    results,
    send,
    send_bytes,
    signature,
    work,
)
from tests.builders import new_customer, new_order, new_product
from tests.conftest import only_sqlite
from tests.recount import maintained, recounted, rows, sent
from tests.world import World

# Of the 5,040 orders in which seven events can come, evenly spread: all of them end alike, as the next test proves.
EVERY = 504


def every_type(order_id: int, name: str | None = None, **differs: Any) -> list[dict[str, Any]]:
    """One event of each type that is mapped, of one payment; without a card, so that nothing is judged again."""
    ids: dict[str, Any] = {"charge": f"ch_{order_id}", "payment_intent": f"pi_{order_id}"}
    plain: dict[str, Any] = {"billing_details": {}, "payment_method_details": {"type": "card"}}
    paid = charge(name or order_id, **plain) | {"id": ids["charge"], "payment_intent": ids["payment_intent"]} | differs
    disputed = dispute(id=f"dp_{order_id}", **ids) | differs
    described = {
        "charge.succeeded": paid,
        "payment_intent.succeeded": intent(name or order_id, id=ids["payment_intent"], latest_charge=ids["charge"])
        | differs
        | {"amount_received": differs.get("amount", 2000)},
        "charge.failed": paid | {"id": f"ch_{order_id}0", "payment_intent": None},
        "charge.refunded": paid | {"amount_refunded": differs.get("amount", 2000)},
        "charge.dispute.created": disputed,
        "charge.dispute.closed": disputed | {"status": "won"},
        "radar.early_fraud_warning.created": WARNING | {"id": f"issfr_{order_id}"} | ids,
    }
    return [event(kind, it, 10 * order_id + number) for number, (kind, it) in enumerate(described.items())]


async def test_every_type_comes_twice_and_in_any_order_and_counts_once(world: World) -> None:
    source, product = await new_source(world), await new_product(world, price="20.00")
    count = 0
    for order_of_types in list(permutations(range(7)))[::EVERY]:
        customer = (await new_customer(world))["customer"]
        order_id = (await new_order(world, customer["id"], (product["id"], 1)))["id"]
        reported = every_type(order_id)
        for index in (*order_of_types, *order_of_types):
            await send(world, source, reported[index])
            await work(world)
        world.clock.advance(MINUTE)
        await work(world)
        count += 1
        outcomes = [(row["status"], row["reason"]) for row in await events(world, order_id=order_id)]
        assert sorted(outcomes, key=str) == [("applied", "already_recorded")] + [("applied", None)] * 6, order_of_types
        assert (await order(world, order_id))["status"] == "refunded"
        async with world.db.read() as tx:
            kinds = {it.kind for it in open_disputes(await disputes_db.of_order(tx, order_id))}
        assert kinds <= {"early_warning"}
    names = await sent(world.db)
    assert [names.count(f"order.{it}") for it in ("paid", "refunded", "disputed")] == [count, count, 3 * count]
    assert len(await rows(world.db, payment_attempts)) == count
    assert await maintained(world.db) == await recounted(world.db)


@only_sqlite
async def test_in_every_order_the_types_end_alike(db: Engine) -> None:
    world = World(db, rate_limit_per_minute=0)
    await world.begin()
    source = await new_source(world)

    async def report(order_id: int, index: int) -> None:
        await send(world, source, every_type(order_id)[index])

    for order_id in await assert_every_order_ends_alike(world, 7, report):
        assert (await order(world, order_id))["status"] == "refunded"
        assert {row["status"] for row in await events(world, order_id=order_id)} == {"applied"}
    names, stored = await sent(world.db), await rows(world.db, orders)
    for step_of_order in ("paid", "refunded"):
        # Each once.
        assert names.count(f"order.{step_of_order}") == sum(row[f"{step_of_order}_at"] is not None for row in stored)
    assert await maintained(world.db) == await recounted(world.db)
    await world.close()


async def test_every_type_waits_for_its_order_and_is_applied_when_it_is_placed_and_paid(world: World) -> None:
    source = await new_source(world)
    for it in reversed(every_type(1, "shop-9")):
        await send(world, source, it)
    world.clock.advance(MINUTE)
    await work(world)
    assert await results(world) == [("waiting", "order_not_found")] * 7
    await an_order(world, external_id="shop-9")
    await work(world)
    assert {status for status, _ in await results(world)} == {"applied"}
    assert (await order(world))["status"] == "refunded"


async def test_no_type_that_moves_money_is_applied_with_another_amount_or_currency(world: World) -> None:
    await an_order(world)
    await step(world, await an_order(world), "pay", {"transaction_id": "pi_2"})
    for differs, reason in (({"amount": 2001}, "amount_differs"), ({"currency": "eur"}, "currency_differs")):
        paid, by_intent, declined, *_ = every_type(1, **differs)
        refunded = every_type(2, **differs)[3]
        await apply(world, paid, by_intent, declined, refunded)
        world.clock.advance(MINUTE)
        await work(world)
        assert (await results(world))[-4:] == [("unmatched", reason)] * 4
    assert [(await order(world, number))["status"] for number in (1, 2)] == ["pending", "paid"]
    assert await rows(world.db, payment_attempts) == []


@only_sqlite
async def test_no_type_is_stored_with_an_old_or_a_foreign_signature(world: World) -> None:
    source = await new_source(world)
    for it in every_type(1):
        body = json.dumps(it).encode()
        old, foreign = signature(world, body, seconds_off=-301), signature(world, body, "whsec_other00000")
        for header in (old, foreign, signature(world, body + b" ")):
            assert (await send_bytes(world, source["url"], body, header)).status_code == 400
    assert await events(world) == []
