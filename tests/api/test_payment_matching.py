"""Events that a person applies, and the list of events."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.ordering import step
from tests.api.providers import DISPUTED, PAID, an_order, apply, charge, dispute, event, events, order, results
from tests.conftest import only_sqlite
from tests.world import World


async def match(world: World, event_id: int = 1, order_id: int = 1, **fields: Any) -> Any:
    return await world.post(f"/payment-events/{event_id}/match", {"order_id": order_id} | fields)


async def test_a_person_accepts_the_difference(world: World) -> None:
    await an_order(world)
    await apply(world, event("charge.succeeded", charge(amount=1500)))
    refused = await match(world)
    assert (refused.status_code, refused.json()["code"]) == (422, "amount_differs")
    answer = await match(world, accept_difference=True)
    shown = answer.json()["data"]
    assert (answer.status_code, shown["status"], shown["amount"], shown["order_id"]) == (200, "applied", "15.00", 1)
    paid = await order(world)
    assert (paid["status"], paid["total"], paid["transaction_id"]) == ("paid", "20.00", "pi_1")
    assert (await match(world, accept_difference=True)).status_code == 409


async def test_a_waiting_event_is_matched_and_its_dispute_finds_the_order(world: World) -> None:
    await an_order(world)
    await apply(world, event("charge.succeeded", charge(None)))
    assert (await match(world)).json()["data"]["status"] == "applied"
    await apply(world, DISPUTED)
    assert await results(world) == [("applied", None)] * 2


async def test_a_number_that_names_two_orders_names_none(world: World) -> None:
    """A buyer chooses when to order, and so what id the order gets: it may be the number of another in the shop."""
    await an_order(world, external_id="2")
    await an_order(world, external_id="shop-2")
    other = {"charge": "ch_9", "payment_intent": "pi_9"}
    await apply(world, event("charge.succeeded", charge(2)), event("charge.dispute.created", dispute(**other), 2))
    assert (await results(world))[0] == ("unmatched", "order_ambiguous")
    assert [(await order(world, number))["status"] for number in (1, 2)] == ["pending", "pending"]
    assert (await match(world, 1, 1)).json()["data"]["status"] == "applied"
    # The order that has the payment is meant; a dispute of another payment is not about it.
    disputed: dict[str, Any] = {"metadata": {"order_id": "2"}}
    await apply(world, event("charge.refunded", charge(2, amount_refunded=500), 3))
    await apply(world, event("charge.dispute.created", dispute(**other, **disputed), 4))
    assert (await results(world))[2:] == [("applied", None), ("unmatched", "order_ambiguous")]
    await apply(world, event("charge.dispute.created", dispute(**other, metadata={"external_id": "2"}), 5))
    assert (await results(world))[-1] == ("unmatched", "already_paid")
    assert [(await order(world, number))["refunded_total"] for number in (1, 2)] == ["5.00", "0.00"]


async def test_what_cannot_be_matched_says_why(world: World) -> None:
    await an_order(world)
    await apply(world, event("customer.updated", {}), event("charge.refunded", charge(None, amount_refunded=1), 2))
    assert (await match(world)).json()["code"] == "event_ignored"
    assert (await match(world, 2)).json()["code"] == "payment_missing"
    unknown = await match(world, 2, 77)
    assert (unknown.status_code, list(unknown.json()["errors"])) == (422, ["order_id"])
    assert (await match(world, 9)).status_code == 404
    await step(world, 1, "cancel")
    assert (await match(world, 2)).json()["code"] == "order_cancelled"


@only_sqlite
async def test_the_newest_event_is_listed_first(world: World) -> None:
    await apply(world, PAID, DISPUTED)
    assert [row["id"] for row in (await world.get("/payment-events")).json()["data"]] == [2, 1]


@only_sqlite
async def test_the_list_is_filtered(world: World) -> None:
    await an_order(world)
    await apply(world, PAID, event("customer.updated", {}, 2), DISPUTED)
    for filters, ids in (
        ({"status": "applied"}, [1, 3]),
        ({"order_id": 1}, [1, 3]),
        ({"type": "customer.updated"}, [2]),
        ({"source_id": 1, "status": "ignored"}, [2]),
        ({"source_id": 2}, []),
    ):
        assert [row["id"] for row in await events(world, **filters)] == ids


@pytest.mark.parametrize("reported", [None, {"transaction_id": "pi_1"}], ids=["by the provider", "by the checkout"])
async def test_the_refund_of_a_second_payment_takes_nothing_back(world: World, reported: dict[str, str] | None) -> None:
    await an_order(world)
    if reported:
        await step(world, 1, "pay", reported)
    second = charge(id="ch_2", payment_intent="pi_2")
    refunded = event("charge.refunded", second | {"amount_refunded": 2000}, 3)
    await apply(world, *([] if reported else [PAID]), event("charge.succeeded", second, 2), refunded)
    assert (await results(world))[-2:] == [("unmatched", "already_paid")] * 2
    assert ((await order(world))["status"], (await order(world))["refunded_total"]) == ("paid", "0.00")
    last = (await events(world))[-1]["id"]
    assert (await match(world, last)).status_code == 409
    # The one that the order was paid with is still brought up to its sum.
    await apply(world, event("charge.refunded", charge(amount_refunded=500), 4))
    assert (await order(world))["refunded_total"] == "5.00"
