"""Bulk actions: every row is acted on once, whatever happens to the worker."""

from __future__ import annotations

import asyncio
from collections import Counter

import msgspec
import pytest

from lootkeep.domain.bulk import BATCH, LEASE
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import Conflict
from lootkeep.services import (
    access as access_service,
    bulk as bulk_service,
    fraud as fraud_service,
    retention as retention_service,
    tickets as tickets_service,
)
from lootkeep.storage import bulk as bulk_db
from lootkeep.storage.orders import events as order_events_db
from tests.builders import STORE, new_customer, new_gift_card, new_product, new_ticket
from tests.console.visits import new_delivery
from tests.worker.bulk import PARAMETERS, bulk_worker, paid_orders, pending_order, read, results, started, work
from tests.world import World


async def completed(world: World) -> Counter[int]:
    """How often each order was announced as completed."""
    async with world.db.read() as tx:
        recorded = await order_events_db.EVENTS.find(tx, type="order.completed")
    return Counter(msgspec.json.decode(event.data)["order_id"] for event in recorded)


async def test_each_row_is_acted_on_by_the_operation_of_one_record_and_has_its_result(world: World) -> None:
    orders = await paid_orders(world, 2)
    pending = await pending_order(world)
    act = await started(world, "orders", "fulfill", [*orders, pending, 999], note="By hand")
    await work(world)
    assert await results(world, act) == {
        orders[0]: ("done", None),
        orders[1]: ("done", None),
        pending: ("refused", f"Order ORD-{pending:06d} is pending and cannot be fulfilled."),
        999: ("refused", "Order not found."),
    }
    after = await read(world, act)
    assert (after.status, after.done_count, after.refused_count) == ("done", 2, 2)
    assert (await world.get(f"{STORE}/orders/{orders[0]}")).json()["data"]["fulfillment_note"] == "By hand"


async def test_a_refused_row_changes_nothing_of_its_record(world: World) -> None:
    (order,) = await paid_orders(world, 1)
    before = (await world.get(f"{STORE}/orders/{order}")).json()
    await started(world, "orders", "cancel", [order], reason="A test")
    await work(world)
    assert (await world.get(f"{STORE}/orders/{order}")).json() == before


async def test_more_rows_than_a_batch_are_worked_to_the_end(world: World) -> None:
    act = await started(world, "orders", "cancel", list(range(1000, 1000 + 2 * BATCH + 1)), reason=None)
    worker = bulk_worker(world)
    await worker.run_once()
    assert (await read(world, act)).refused_count == BATCH
    await work(world)
    assert (await read(world, act)).refused_count == 2 * BATCH + 1


async def test_two_workers_on_the_same_rows_act_once_on_each(world: World) -> None:
    orders = await paid_orders(world, 6)
    act = await started(world, "orders", "fulfill", orders, note=None)
    await asyncio.gather(*(bulk_service.work(world.deps, "late", act, lambda: False) for _ in range(3)), work(world))
    world.clock.advance(LEASE)
    await work(world)
    assert set((await results(world, act)).values()) == {("done", None)}
    assert await completed(world) == dict.fromkeys(orders, 1)


async def test_another_worker_goes_on_after_the_lease_of_a_dead_one(world: World) -> None:
    orders = await paid_orders(world, 2)
    act = await started(world, "orders", "fulfill", orders, note=None)
    now = world.clock.now()
    async with world.db.write() as tx:
        assert await bulk_db.QUEUE.claim(tx, "dead", Instant(now + LEASE), now)
    await work(world)
    assert (await read(world, act)).done_count == 0
    world.clock.advance(LEASE)
    await work(world)
    assert (await read(world, act)).status == "done"
    assert await completed(world) == dict.fromkeys(orders, 1)


async def test_nothing_is_done_after_it_was_stopped(world: World) -> None:
    orders = await paid_orders(world, 3)
    act = await started(world, "orders", "fulfill", orders, note=None)
    stopped = await bulk_service.stop(world.deps, act.id)
    await bulk_service.work(world.deps, "late", act, lambda: False)
    await work(world)
    assert (stopped.status, stopped.acted) == ("stopped", 0)
    assert (await read(world, act)).status == "stopped"
    assert {status for status, _ in (await results(world, act)).values()} == {"stopped"}
    assert await completed(world) == {}


async def test_a_worker_that_ends_leaves_the_rest_to_the_next(world: World) -> None:
    orders = await paid_orders(world, 3)
    act = await started(world, "orders", "fulfill", orders, note=None)
    await bulk_service.work(world.deps, "other", act, lambda: True)
    assert (await read(world, act)).done_count == 0
    await work(world)
    assert (await read(world, act)).done_count == 3


async def test_it_starts_once_and_stops_only_while_it_runs(world: World) -> None:
    act = await started(world, "orders", "cancel", [999], reason=None)
    with pytest.raises(Conflict, match="is running"):
        await bulk_service.start(world.deps, act.id, 1, {})
    await work(world)
    with pytest.raises(Conflict, match="is done"):
        await bulk_service.stop(world.deps, act.id)


async def test_old_ones_are_deleted_with_their_rows(world: World) -> None:
    act = await started(world, "orders", "cancel", [998, 999], reason=None)
    await work(world)
    world.clock.advance(31 * DAY)
    running = await started(world, "orders", "cancel", [999], reason=None)
    await retention_service.purge(world.deps, world.clock.now(), 30, 30)
    async with world.db.read() as tx:
        assert await bulk_db.ACTS.get(tx, act.id) is None
    assert await results(world, act) == {}
    assert (await read(world, running)).status == "waiting"


def test_every_act_of_the_table_is_tried_below() -> None:
    assert PARAMETERS.keys() == bulk_service.ACTS.keys()


@pytest.mark.parametrize(("area", "name"), PARAMETERS)
async def test_a_record_that_is_gone_is_refused(world: World, area: str, name: str) -> None:
    act = await started(world, area, name, [999], **PARAMETERS[area, name])
    await work(world)
    ((status, sentence),) = (await results(world, act)).values()
    assert (status, str(sentence).endswith("not found.")) == ("refused", True), sentence


async def test_tickets_are_assigned_answered_and_closed(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    tickets = [(await new_ticket(world, customer["id"]))["id"] for _ in range(2)]
    await world.post(f"/support-tickets/{tickets[1]}/close", {})
    for name, values in (
        ("assign", {"agent_id": 1}),
        ("reply", {"message": "Try again."}),
        ("close", {"message": None}),
    ):
        act = await started(world, "tickets", name, tickets, **values)
        await work(world)
        outcomes = await results(world, act)
        assert outcomes[tickets[0]] == ("done", None), name
        if name == "reply":
            assert outcomes[tickets[1]][0] == "refused"
        if name == "close":
            assert outcomes[tickets[1]] == ("done", "It had been closed before.")
    ticket = (await world.get(f"/support-tickets/{tickets[0]}")).json()["data"]
    assert (ticket["status"], ticket["assigned_to"]["id"], ticket["messages_count"]) == ("closed", 1, 2)


async def test_customers_are_tagged_and_blocked(world: World) -> None:
    customers = [(await new_customer(world))["customer"]["id"] for _ in range(2)]
    for customer, tag in zip(customers, ("old", "vip"), strict=True):
        assert (await world.put(f"{STORE}/customers/{customer}", {"tags": [tag]})).status_code == 200
    tagged = await started(world, "customers", "tag", customers, tag="vip")
    blocked = await started(world, "customers", "block", customers, reason="Abuse")
    await work(world)
    assert list((await results(world, tagged)).values()) == [("done", None), ("done", "They had the tag before.")]
    assert set((await results(world, blocked)).values()) == {("done", None)}
    after = [(await world.get(f"{STORE}/customers/{customer}")).json()["data"] for customer in customers]
    assert [(it["tags"], it["status"]) for it in after] == [(["old", "vip"], "blocked"), (["vip"], "blocked")]


async def test_every_act_that_has_a_way_back_is_taken_back_for_the_records_that_it_changed(world: World) -> None:
    customer = (await new_customer(world))["customer"]["id"]
    ticket = (await new_ticket(world, customer))["id"]
    coupon = (await world.post("/coupons", {"discount_type": "percentage", "discount_value": 20})).json()["data"]["id"]
    records = {"customers": customer, "tickets": ticket, "coupons": coupon}
    paths = {"customers": f"{STORE}/customers/{customer}", "tickets": f"/support-tickets/{ticket}"}
    paths["coupons"] = f"/coupons/{coupon}"
    ways = [(act.area, act.name, act.reverse) for act in bulk_service.ACTS.values() if act.reverse]
    for area, name, reverse in ways:
        # First, so that there is something to do.
        await started(world, area, reverse, [records[area]], **PARAMETERS[area, reverse])
        await work(world)
        before = (await world.get(paths[area])).json()["data"]
        act = await started(world, area, name, [records[area]], **PARAMETERS[area, name])
        await work(world)
        assert await results(world, act) == {records[area]: ("done", None)}, name
        undo = await bulk_service.prepare_undo(world.deps, area, act.id, 1)
        assert (undo.name, undo.total) == (reverse, 1)
        await bulk_service.start(world.deps, undo.id, 1, PARAMETERS[area, reverse])
        await work(world)
        after = (await world.get(paths[area])).json()["data"]
        states = [{key: it.get(key) for key in ("tags", "status", "is_active")} for it in (before, after)]
        assert states[0] == states[1], name
        again = await started(world, area, reverse, [records[area]], **PARAMETERS[area, reverse])
        await work(world)
        ((_, sentence),) = (await results(world, again)).values()
        assert sentence is not None, name


async def test_the_undo_of_an_assignment_gives_each_ticket_back_unless_it_was_assigned_again(world: World) -> None:
    customer = (await new_customer(world))["customer"]["id"]
    tickets = [(await new_ticket(world, customer))["id"] for _ in range(4)]
    bo = (await access_service.add_user(world.deps, "bo@shop.example", "Bo")).id
    await started(world, "tickets", "assign", tickets[:1], agent_id=bo)
    await started(world, "tickets", "assign", tickets[1:2], agent_id=1)
    await work(world)
    act = await started(world, "tickets", "assign", tickets, agent_id=1)
    await work(world)
    await tickets_service.assign(world.deps, tickets[3], 1, bo)
    undo = await bulk_service.prepare_undo(world.deps, "tickets", act.id, 1)
    await bulk_service.start(world.deps, undo.id, 1, {})
    await work(world)
    again = ("refused", "Someone has assigned it again since.")
    assert await results(world, undo) == {tickets[0]: ("done", None), tickets[2]: ("done", None), tickets[3]: again}
    after = [(await world.get(f"/support-tickets/{ticket}")).json()["data"]["assigned_to"] for ticket in tickets]
    assert [person and person["id"] for person in after] == [bo, 1, None, bo]


async def test_coupons_are_switched_off_and_gift_cards_revoked(world: World) -> None:
    coupon = (await world.post("/coupons", {"discount_type": "percentage", "discount_value": 20})).json()["data"]
    card = await new_gift_card(world)
    await started(world, "coupons", "deactivate", [coupon["id"]])
    for sentence in (None, "It had been revoked before."):
        act = await started(world, "gift_cards", "revoke", [card["id"]], reason="Lost")
        await work(world)
        assert await results(world, act) == {card["id"]: ("done", sentence)}
    assert (await world.get(f"/coupons/{coupon['id']}")).json()["data"]["is_active"] is False
    assert (await world.get(f"/gift-cards/{card['id']}")).json()["data"]["status"] == "revoked"


async def test_held_orders_are_approved_or_rejected_once_buyers_blocked_and_a_decision_stays(world: World) -> None:
    await fraud_service.change_settings(world.deps, {"fraud_action": "verify", "fraud_sensitivity_level": "high"})
    product = await new_product(world)
    for _ in range(4):
        customer = (await new_customer(world))["customer"]
        body = {"customer_id": customer["id"], "items": [{"product_id": product["id"], "quantity": 1}]}
        await world.post(f"{STORE}/orders", body | {"device_id": "shared", "ip_address": "203.0.113.77"})
    await fraud_service.review(world.deps, 3, "fraud", None, 1)
    act = await started(world, "fraud", "approve", [3, 4], notes=None)
    await work(world)
    decided = ("refused", "Someone has decided on this order already.")
    assert await results(world, act) == {3: decided, 4: ("done", None)}
    # Its payment looks worse than what was approved: it waits for a decision again.
    await world.post(f"{STORE}/orders/4/pay", {"payment": {"funding": "prepaid"}})
    act = await started(world, "fraud", "approve", [5], notes=None)
    await work(world)
    assert await results(world, act) == {5: ("done", None)}
    act = await started(world, "fraud", "block", [1, 2], notes="A ring")
    await work(world)
    assert await results(world, act) == {1: ("done", None), 2: ("done", None)}
    statuses = [(await world.get(f"{STORE}/orders/{number}")).json()["data"]["status"] for number in (1, 2, 3, 4)]
    assert statuses == ["cancelled", "cancelled", "cancelled", "paid"]
    entries = {row["name"]: row["entries_count"] for row in (await world.get("/fraud/lists")).json()["data"]}
    assert (entries["blocked_customers"], entries["blocked_devices"]) == (2, 1)


async def test_deliveries_are_sent_again(world: World) -> None:
    await new_product(world)
    await new_delivery(world)
    act = await started(world, "deliveries", "resend", [1])
    await work(world)
    assert await results(world, act) == {1: ("done", None)}
    await world.delete("/webhooks/1")
    act = await started(world, "deliveries", "resend", [1])
    await work(world)
    assert await results(world, act) == {1: ("refused", "The webhook of this delivery is inactive or deleted.")}
