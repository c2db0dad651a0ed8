"""A payment that checkout and provider report at once, and workers that die: it counts once, and nothing is lost."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from lootkeep.domain.payments.events import LEASE
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import existing
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.storage.schema import events
from lootkeep.worker.payments import PaymentWorker
from tests.api.providers import (
    PAID,
    REFUNDED,
    an_order,
    charge,
    event,
    new_source,
    order,
    results,
    send,
    send_bytes,
    signature,
    work,
)
from tests.builders import STORE
from tests.races.racing import AT_ONCE, ORDERS, ROUNDS, assert_all_totals_agree, served
from tests.recount import rows, sent
from tests.worker.delivering import only_postgresql, waits_for_a_lock
from tests.world import World


async def test_a_payment_that_checkout_and_provider_report_at_once_counts_once(world: World) -> None:
    source = await new_source(world)
    for number in range(1, ROUNDS + 1):
        order_id = await an_order(world)
        ids: dict[str, Any] = {"id": f"ch_{number}", "payment_intent": f"pi_{number}"}
        for it in range(8):
            await send(world, source, event("charge.succeeded", charge(order_id, **ids), number * 100 + it))
        workers = [PaymentWorker(world.deps, Wakeup()) for _ in range(4)]
        pay = f"{ORDERS}/{order_id}/pay", {"transaction_id": f"pi_{number}"}
        checkouts = [served(world, *pay) for _ in range(AT_ONCE)]
        await asyncio.gather(*checkouts, *(worker.run_once() for worker in workers * 4))
        await work(world)
        assert (await sent(world.db)).count("order.paid") == number
        assert {status for status, _ in await results(world)} == {"applied"}
        await assert_all_totals_agree(world)


async def test_an_event_that_is_sent_many_times_at_once_is_stored_once(world: World) -> None:
    source = await new_source(world)
    body = json.dumps(PAID).encode()
    header = signature(world, body)
    answers = await asyncio.gather(*(send_bytes(world, source["url"], body, header) for _ in range(AT_ONCE)))
    assert {answer.status_code for answer in answers} == {200}
    assert await results(world) == [("waiting", None)]


async def test_a_refund_that_both_report_at_once_is_one_refund(world: World) -> None:
    source = await new_source(world)
    await an_order(world)
    await send(world, source, PAID)
    await work(world)
    await send(world, source, REFUNDED)
    worker = PaymentWorker(world.deps, Wakeup())
    await asyncio.gather(worker.run_once(), *(served(world, f"{ORDERS}/1/refund", {}) for _ in range(8)))
    await work(world)
    assert (await sent(world.db)).count("order.refunded") == 1
    assert (await results(world))[1][0] == "applied"


async def test_a_worker_that_dies_after_its_claim_loses_nothing(world: World) -> None:
    await an_order(world)
    await send(world, await new_source(world), PAID)
    now = world.clock.now()
    async with world.db.write() as tx:
        assert await payment_events_db.QUEUE.claim(tx, "dead", Instant(now + LEASE), now)
    await work(world)
    assert (await order(world))["status"] == "pending"
    world.clock.advance(LEASE)
    await work(world)
    assert (await order(world))["status"] == "paid"


async def test_a_worker_that_is_killed_at_any_moment_applies_its_event_once(world: World) -> None:
    source = await new_source(world)
    for number in range(1, 25):
        order_id = await an_order(world)
        ids: dict[str, Any] = {"id": f"ch_{number}", "payment_intent": f"pi_{number}"}
        await send(world, source, event("charge.succeeded", charge(order_id, **ids), number))
        running = asyncio.ensure_future(PaymentWorker(world.deps, Wakeup()).run_once())
        for _ in range(number):
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        world.clock.advance(LEASE)
        await work(world)
        assert (await order(world, order_id))["status"] == "paid"
    assert (await sent(world.db)).count("order.paid") == 24
    await assert_all_totals_agree(world)


async def test_money_of_blocked_buyers_and_reviews_of_their_orders_never_deadlock(world: World) -> None:
    source = await new_source(world)
    for number in range(ROUNDS):
        calls, reports = [], []
        for it in range(8):
            order_id = await an_order(world)
            placed = await order(world, order_id)
            blocked = {"status": "blocked", "status_reason": "Charged back."}
            assert (await world.put(f"{STORE}/customers/{placed['customer']['id']}", blocked)).is_success
            named = f"{number}-{it}"
            without_card = charge(order_id, id=f"ch_{order_id}", payment_intent=None, payment_method_details={})
            await send(world, source, event("charge.succeeded", without_card | {"billing_details": {}}, order_id))
            reviewed = f"/fraud/checks/{placed['fraud']['check_id']}/review", {"outcome": "inconclusive"}
            calls += [served(world, *reviewed) for _ in range(4)]
            paid = f"{ORDERS}/{order_id}/pay", {"transaction_id": f"ch_{order_id}"}
            calls += [served(world, *paid, headers={"Idempotency-Key": f"{named}-{key}"}) for key in range(2)]
            reports.append(PaymentWorker(world.deps, Wakeup()).run_once())
        answers, _ = await asyncio.gather(asyncio.gather(*calls), asyncio.gather(*reports))
        failed = [answer.text for answer in answers if answer.status_code not in (200, 409)]
        assert not failed, failed
        await work(world)
    assert {(await order(world, number))["status"] for number in range(1, 8 * ROUNDS + 1)} == {"on_hold"}


@only_postgresql
async def test_a_payment_that_waits_for_an_erasure_names_only_the_pseudonym(
    world: World, db_location: Path | str
) -> None:
    await an_order(world)
    async with world.db.read() as tx:
        buyer = existing(await customers_db.ROWS.get(tx, 1), "Customer")
    async with world.db.write() as tx:
        # The erasure waits for this lock, and the payment, which has read the buyer, behind it.
        await orders_db.ROWS.lock(tx, 1)
        erasure = asyncio.create_task(world.delete(f"{STORE}/customers/1"))
        await waits_for_a_lock(str(db_location), erasure)
        payment = asyncio.create_task(world.post(f"{ORDERS}/1/pay", {"transaction_id": "pi_1"}))
        await waits_for_a_lock(str(db_location), payment, sessions=2)
    assert [(await it).status_code for it in (erasure, payment)] == [200, 200]
    assert buyer.email not in str(await rows(world.db, events))
