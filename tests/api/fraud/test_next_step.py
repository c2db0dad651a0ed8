"""What a checkout has to do with an order: the answer says so, and an order that is stopped never reads as placed."""

from __future__ import annotations

import httpx

from tests.api.fraud.shop import ORDERS, PROXY, TOR, place, regular, review, settings, shop
from tests.world import World

PLACED = "Order placed successfully"
BEFORE = "The order had been placed before"
REFUSED = "The order is refused and must not be paid"
VERIFY = "The order is on hold until the customer is verified"
WAIT = "The order is on hold until it is reviewed"


async def test_an_allowed_or_flagged_order_is_to_be_paid(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    allowed = await place(world, customer)
    flagged = await place(world, customer, ip_address=PROXY, user_agent="curl/8.0")
    assert flagged.json()["data"]["fraud_check"]["action_taken"] == "flagged"
    assert [said(answer) for answer in (allowed, flagged)] == [(201, PLACED, "pay")] * 2


async def test_a_blocked_order_is_rejected_with_what_was_detected(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    first = await place(world, customer, ip_address=TOR, user_agent="curl/8.0", external_id="cart-1")
    again = await place(world, customer, external_id="cart-1")
    assert [said(first), said(again)] == [(201, REFUSED, "refused"), (200, REFUSED, "refused")]
    for answer in (first, again):
        order, check = answer.json()["data"]["order"], answer.json()["data"]["fraud_check"]
        assert (order["status"], order["amount_due"]) == ("cancelled", "0.00")
        assert check["detected_signals"] == ["No browser, or a program", "Tor exit"]


async def test_an_order_on_hold_goes_from_verification_to_its_payment(world: World) -> None:
    await shop(world)
    customer = await regular(world, email="jun@trash.example")
    await settings(world, fraud_action="verify", fraud_sensitivity_level="high")

    async def send() -> httpx.Response:
        return await place(world, customer, ip_address=PROXY, user_agent="curl/8.0", external_id="cart-1")

    answers = [await send()]
    await review(world, 1, "inconclusive")
    answers.append(await send())
    await review(world, 1, "legitimate")
    answers.append(await send())
    await world.post(f"{ORDERS}/1/pay", {})
    answers.append(await send())
    assert [said(answer) for answer in answers] == [
        (201, VERIFY, "verify"),
        (200, WAIT, "wait_for_review"),
        (200, BEFORE, "pay"),
        (200, BEFORE, None),
    ]
    due = [answer.json()["data"]["order"]["amount_due"] for answer in answers]
    assert due == ["20.00", "20.00", "20.00", "0.00"]


async def test_nothing_is_left_to_do_for_a_free_order(world: World) -> None:
    await shop(world, price="0.00")
    answer = await place(world, await regular(world))
    assert said(answer) == (201, PLACED, None)
    assert answer.json()["data"]["order"]["status"] in ("paid", "completed")


async def test_a_free_order_on_hold_is_not_paid_at_once(world: World) -> None:
    await shop(world, price="0.00")
    await settings(world, fraud_action="verify", fraud_sensitivity_level="high")
    answer = await place(
        world, await regular(world, email="jun@trash.example"), ip_address=PROXY, user_agent="curl/8.0"
    )
    assert said(answer) == (201, VERIFY, "verify")


async def test_repeating_an_order_that_the_store_cancelled_is_rejected(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    await place(world, customer, external_id="cart-1")
    await world.post(f"{ORDERS}/1/cancel", {"reason": "never paid"})
    assert said(await place(world, customer, external_id="cart-1")) == (200, REFUSED, "refused")


async def test_a_paid_past_order_needs_nothing_whatever_was_detected(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    times = {"created_at": "2026-12-01T10:00:00Z", "paid_at": "2026-12-01T10:05:00Z"}
    paid = await place(world, customer, ip_address=TOR, **times)
    unpaid = await place(world, customer, created_at="2026-12-01T11:00:00Z")
    stopped = await place(world, customer, ip_address=TOR, created_at="2026-12-01T12:00:00Z")
    steps = [(201, PLACED, None), (201, PLACED, "pay"), (201, REFUSED, "refused")]
    assert [said(answer) for answer in (paid, unpaid, stopped)] == steps
    assert paid.json()["data"]["fraud_check"]["detected_signals"] == ["Tor exit"]


def said(answer: httpx.Response) -> tuple[int, str, str | None]:
    body = answer.json()
    return answer.status_code, body["message"], body["data"]["next"]
