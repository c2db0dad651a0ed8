"""What events of Stripe do to orders: every type twice, in every order, before their order, and with wrong amounts."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain.payments.events import RETRY_SECONDS
from lootkeep.kernel.clock import DAY, HOUR, SECOND
from lootkeep.storage.schema import disputes, orders
from tests.api.ordering import LEAD_TO, step
from tests.api.providers import (
    DISPUTED,
    PAID,
    PART,
    REFUNDED,
    WARNED,
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
    work,
)
from tests.builders import new_customer, new_gift_card, new_order, new_product
from tests.recount import maintained, recounted, rows, sent
from tests.world import World


async def test_a_charge_pays_its_order_and_brings_what_it_knows_of_the_card(world: World) -> None:
    await an_order(world)
    await apply(world, PAID)
    (shown,) = await events(world)
    assert (shown["status"], shown["reason"], shown["order_id"]) == ("applied", None, 1)
    assert shown["applied_at"] == "2026-11-15T12:00:00Z"
    paid = await order(world)
    assert (paid["status"], paid["payment_method"], paid["transaction_id"]) == ("paid", "card", "pi_1")
    assert paid["payment"] | {"instrument_id": None} == {
        "country": "FR",
        "funding": "prepaid",
        "three_d_secure": "passed",
        "bin": None,
        "instrument_id": None,
    }
    (row,) = await rows(world.db, orders)
    assert row["charge_id"] == "ch_1"
    assert await maintained(world.db) == await recounted(world.db)


async def test_the_fingerprint_is_the_same_instrument_as_that_of_a_checkout(world: World) -> None:
    await an_order(world)
    await apply(world, PAID)
    await an_order(world, payment={"fingerprint": "Xt5EWLLDS7FJjR1c"})
    instruments = {(await order(world, number))["payment"]["instrument_id"] for number in (1, 2)}
    assert len(instruments) == 1


async def test_an_order_is_found_by_every_name_and_an_external_id_is_not_taken_for_ours(world: World) -> None:
    await an_order(world, external_id="shop-7")
    await an_order(world, external_id="1")
    meanings = {"order_id": {"2": 2, "ORD-000001": 1, "shop-7": 1}, "order_number": {"ORD-000001": 1}}
    meanings["external_id"] = {"shop-7": 1, "1": 2, "ORD-000001": 1}
    calls = [(name, text, order_id) for name, texts in meanings.items() for text, order_id in texts.items()]
    source = await new_source(world)
    for number, (name, text, _) in enumerate(calls):
        declined = charge(None, id=f"ch_{number}", metadata={name: text})
        await send(world, source, event("charge.failed", declined, number))
    await work(world)
    assert [row["order_id"] for row in await events(world)] == [order_id for _, _, order_id in calls]


async def test_an_intent_waits_for_its_charge_which_knows_the_card(world: World) -> None:
    await an_order(world)
    source = await new_source(world)
    await send(world, source, event("payment_intent.succeeded", intent()))
    await work(world)
    assert await results(world) == [("waiting", None)]
    world.clock.advance(2 * SECOND)
    await send(world, source, event("charge.succeeded", charge(), 2))
    await work(world)
    world.clock.advance(3 * SECOND)
    await work(world)
    assert await results(world) == [("applied", "already_recorded"), ("applied", None)]
    assert (await order(world))["payment"]["country"] == "FR"
    assert (await sent(world.db)).count("order.paid") == 1


async def test_an_intent_whose_charge_does_not_come_pays_after_five_seconds(world: World) -> None:
    await an_order(world)
    await apply(world, event("payment_intent.succeeded", intent()))
    world.clock.advance(5 * SECOND)
    await work(world)
    assert (await order(world))["status"] == "paid"


async def test_a_charge_that_follows_the_payment_adds_the_card(world: World) -> None:
    await an_order(world)
    await step(world, 1, "pay", {"transaction_id": "pi_1", "payment_method": "stripe"})
    await apply(world, PAID)
    paid = await order(world)
    assert (paid["payment_method"], paid["payment"]["country"]) == ("stripe", "FR")
    assert await results(world) == [("applied", "already_recorded")]


@pytest.mark.parametrize("reported", [{}, {"transaction_id": "ch_1"}, {"transaction_id": "checkout-77"}])
async def test_what_the_checkout_reported_already_changes_nothing(world: World, reported: dict[str, Any]) -> None:
    await an_order(world)
    await step(world, 1, "pay", reported)
    await apply(world, PAID, DISPUTED)
    assert await results(world) == [("applied", "already_recorded"), ("applied", None)]
    assert (await order(world))["transaction_id"] == reported.get("transaction_id", "pi_1")
    assert (await sent(world.db)).count("order.paid") == 1


async def test_a_second_payment_of_a_paid_order_is_unmatched(world: World) -> None:
    await an_order(world)
    await apply(world, PAID, event("charge.succeeded", charge(id="ch_2", payment_intent="pi_2"), 2))
    assert await results(world) == [("applied", None), ("unmatched", "already_paid")]


async def test_a_cancelled_order_is_never_revived(world: World) -> None:
    await an_order(world)
    await step(world, 1, "cancel")
    await apply(world, PAID, REFUNDED)
    assert await results(world) == [("unmatched", "order_cancelled")] * 2
    assert (await order(world))["status"] == "cancelled"


async def test_a_payment_of_a_held_order_is_unmatched(world: World) -> None:
    await LEAD_TO["on_hold"](world, await an_order(world))
    await apply(world, PAID)
    assert await results(world) == [("unmatched", "order_on_hold")]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"amount": 1999}, "amount_differs"),
        ({"amount": 2001}, "amount_differs"),
        ({"currency": "eur"}, "currency_differs"),
        ({"currency": "jpy", "amount": 20}, "currency_differs"),
        ({"amount": None}, "amount_differs"),
    ],
)
async def test_a_difference_is_never_applied(world: World, changes: dict[str, Any], reason: str) -> None:
    await an_order(world)
    await apply(world, event("charge.succeeded", charge(**changes)))
    (shown,) = await events(world)
    assert (shown["status"], shown["reason"], shown["order_id"]) == ("unmatched", reason, 1)
    assert (await order(world))["status"] == "pending"


async def test_a_declined_charge_of_another_amount_or_currency_is_not_applied(world: World) -> None:
    await an_order(world)
    await apply(
        world,
        event("charge.failed", charge(amount=1)),
        event("charge.failed", charge(currency="eur"), 2),
    )
    assert await results(world) == [("unmatched", "amount_differs"), ("unmatched", "currency_differs")]


@pytest.mark.parametrize(("currency", "amount"), [("JPY", 20), ("KWD", 20_000), ("EUR", 2000), ("ISK", 2000)])
async def test_amounts_are_in_the_minor_units_of_the_currency(world: World, currency: str, amount: int) -> None:
    customer = (await new_customer(world))["customer"]
    product = await new_product(world, price="20.00", currency=currency)
    await new_order(world, customer["id"], (product["id"], 1))
    await apply(world, event("charge.succeeded", charge(amount=amount, currency=currency.lower())))
    assert await results(world) == [("applied", None)]


async def test_what_a_gift_card_pays_is_not_expected_from_the_provider(world: World) -> None:
    card = await new_gift_card(world, initial_balance="5.00")
    await an_order(world, gift_card_code=card["code"])
    await apply(
        world,
        event("charge.succeeded", charge(amount=1500)),
        REFUNDED | {"data": {"object": charge(amount_refunded=1500)}},
    )
    assert await results(world) == [("applied", None)] * 2
    assert ((await order(world))["status"], (await order(world))["refunded_total"]) == ("partially_refunded", "15.00")


async def test_an_authorised_charge_pays_nothing_and_others_are_ignored(world: World) -> None:
    await an_order(world)
    inquiry = event("charge.dispute.created", dispute("warning_needs_response"), 2)
    others = [
        event(kind, charge(), 3 + n) for n, kind in enumerate(("customer.updated", "payment_intent.payment_failed"))
    ]
    await apply(world, event("charge.succeeded", charge(captured=False)), inquiry, *others)
    assert await results(world) == [("ignored", None)] * 4
    assert [row["operation"] for row in await events(world)] == [None] * 4


async def test_test_mode_is_ignored_unless_the_source_is_for_tests(world: World) -> None:
    await an_order(world)
    await apply(world, PAID | {"livemode": False})
    assert await results(world) == [("ignored", "test_mode")]
    await send(world, await new_source(world, is_test=True), PAID | {"livemode": False})
    await work(world)
    assert (await order(world))["status"] == "paid"


async def test_a_declined_charge_is_recorded_once(world: World) -> None:
    await an_order(world)
    failed = charge(failure_code="card_declined")
    await apply(world, event("charge.failed", failed), event("charge.failed", failed, 2))
    assert await results(world) == [("applied", None), ("applied", "already_recorded")]


async def test_refunds_are_sums_so_far(world: World) -> None:
    await an_order(world)
    sums = [500, 500, 1200, 700, 2000]
    refunds = [event("charge.refunded", charge(amount_refunded=so_far), 2 + n) for n, so_far in enumerate(sums)]
    await apply(world, PAID, *refunds)
    reasons = [reason for _, reason in await results(world)]
    assert reasons == [None, None, "already_recorded", None, "already_recorded", None]
    refunded = await order(world)
    assert (refunded["status"], refunded["refunded_total"]) == ("refunded", "20.00")
    assert (await sent(world.db)).count("order.refunded") == 3
    assert await maintained(world.db) == await recounted(world.db)


async def test_a_refund_that_the_checkout_reported_is_not_repeated(world: World) -> None:
    await an_order(world)
    await apply(world, PAID)
    await step(world, 1, "refund", {"amount": "5.00"})
    await apply(world, PART)
    assert (await order(world))["refunded_total"] == "5.00"


async def test_a_refund_of_more_than_was_paid_is_unmatched(world: World) -> None:
    await an_order(world)
    await apply(world, PAID, event("charge.refunded", charge(amount_refunded=2001), 2))
    assert await results(world) == [("applied", None), ("unmatched", "amount_differs")]


async def test_a_dispute_is_opened_and_won_or_lost(world: World) -> None:
    await an_order(world)
    await apply(world, PAID, DISPUTED, WARNED, event("charge.dispute.closed", dispute("lost"), 6))
    assert await results(world) == [("applied", None)] * 4
    kinds = {row["kind"] for row in await rows(world.db, disputes)}
    assert kinds == {"dispute", "early_warning", "dispute_lost"}


async def test_a_dispute_says_until_when_evidence_is_taken(world: World) -> None:
    await an_order(world)
    disputed = dispute(evidence_details={"due_by": 1_795_651_199})
    await apply(world, PAID, event("charge.dispute.created", disputed, 3))
    (row,) = await rows(world.db, disputes)
    assert row["evidence_due_at"] == 1_795_651_199 * SECOND


async def test_an_event_before_its_order_is_woken_when_the_order_is_placed(world: World) -> None:
    await apply(world, event("charge.succeeded", charge("shop-9")))
    assert await results(world) == [("waiting", "order_not_found")]
    await an_order(world, external_id="shop-9")
    await work(world)
    assert await results(world) == [("applied", None)]
    assert (await order(world))["status"] == "paid"


async def test_a_refund_before_its_payment_is_woken_by_the_payment(world: World) -> None:
    await an_order(world)
    await apply(world, REFUNDED)
    assert await results(world) == [("waiting", "payment_missing")]
    await step(world, 1, "pay", {"transaction_id": "pi_1"})
    await work(world)
    assert (await order(world))["status"] == "refunded"


async def test_an_event_without_an_order_is_tried_for_a_day(world: World) -> None:
    await apply(world, event("charge.succeeded", charge("nobody")))
    tries = 1
    began = world.clock.now()
    for seconds in RETRY_SECONDS:
        world.clock.advance(seconds * SECOND)
        if world.clock.now() > began + DAY:
            world.clock.advance(began + DAY - world.clock.now())
        await work(world)
        tries += 1
        if world.clock.now() == began + DAY:
            break
        assert await results(world) == [("waiting", "order_not_found")]
    assert await results(world) == [("unmatched", "order_not_found")]
    assert tries == 28
    await an_order(world, external_id="nobody")
    world.clock.advance(HOUR)
    await work(world)
    assert (await order(world))["status"] == "pending"
