"""What comes back to a gift card when the order that it paid for is cancelled or refunded."""

from __future__ import annotations

from lootkeep.kernel.clock import DAY
from tests.api.checkout import assert_all_totals_agree, buyer, card, ledger, placed
from tests.api.ordering import step
from tests.builders import new_gift_card, new_order, new_product, paid_order
from tests.world import World

# --- cancelling


async def test_cancelling_returns_what_was_redeemed(world: World) -> None:
    await buyer(world)
    await new_product(world, price="40.00")
    code = (await new_gift_card(world))["code"]
    await placed(world, code)
    assert (await step(world, 1, "cancel")).json()["data"]["status"] == "cancelled"
    gift_card = await card(world)
    assert (gift_card["balance"], gift_card["status"]) == ("25.00", "active")
    assert ledger(gift_card) == [("issue", "25.00", None), ("redeem", "-25.00", 1), ("refund", "25.00", 1)]
    await assert_all_totals_agree(world)


async def test_cancelling_returns_nothing_to_a_revoked_card(world: World) -> None:
    await buyer(world)
    await new_product(world, price="20.00")
    code = (await new_gift_card(world))["code"]
    await new_order(world, 1, (1, 2), gift_card_code=code)
    await world.post("/gift-cards/1/revoke")
    assert (await step(world, 1, "cancel")).status_code == 200
    assert ledger(await card(world)) == [("issue", "25.00", None), ("redeem", "-25.00", 1)]
    await assert_all_totals_agree(world)


# --- refunding


async def a_mixed_order(world: World) -> None:
    """40.00: 25.00 by card 1 and 15.00 by money."""
    await buyer(world)
    await new_product(world, price="20.00")
    code = (await new_gift_card(world, expires_at="2026-11-20T00:00:00Z"))["code"]
    await paid_order(world, 1, (1, 2), gift_card_code=code)


async def test_a_refund_returns_money_first_and_then_card_balance(world: World) -> None:
    await a_mixed_order(world)
    refunds = []
    for amount in ("10.00", "10.00", None):
        refund = (await step(world, 1, "refund", {} if amount is None else {"amount": amount})).json()["data"]["refund"]
        refunds.append((refund["amount"], refund["payment_amount"], refund["gift_card_amount"]))
    assert refunds == [("10.00", "10.00", "0.00"), ("10.00", "5.00", "5.00"), ("20.00", "0.00", "20.00")]
    gift_card = await card(world)
    assert (gift_card["balance"], gift_card["status"]) == ("25.00", "active")
    assert ledger(gift_card)[2:] == [("refund", "5.00", 1), ("refund", "20.00", 1)]
    await assert_all_totals_agree(world)


async def test_a_refund_returns_nothing_to_a_revoked_card_and_says_so(world: World) -> None:
    await a_mixed_order(world)
    await world.post("/gift-cards/1/revoke")
    answer = (await step(world, 1, "refund")).json()
    assert answer["message"] == "Order refunded; the gift card that paid for it was revoked and got nothing back"
    refund = answer["data"]["refund"]
    assert (refund["amount"], refund["payment_amount"], refund["gift_card_amount"], refund["unreturned_amount"]) == (
        "40.00",
        "15.00",
        "0.00",
        "25.00",
    )
    assert answer["data"]["order"]["status"] == "refunded"
    assert (await card(world))["balance"] == "0.00"
    await assert_all_totals_agree(world)


async def test_cancelling_an_order_reports_that_a_revoked_card_got_nothing_back(world: World) -> None:
    await buyer(world)
    await new_product(world, price="20.00")
    for number in (1, 2):
        code = (await new_gift_card(world))["code"]
        await placed(world, code, 2)
        if number == 2:
            await world.post("/gift-cards/2/revoke")
    answers = [(await step(world, number, "cancel")).json() for number in (1, 2)]
    assert [answer["message"] for answer in answers] == [
        "Order cancelled successfully",
        "Order cancelled; the gift card that paid for it was revoked and got nothing back",
    ]
    assert [answer["data"]["gift_card_total"] for answer in answers] == ["25.00", "25.00"]
    assert [(await card(world, number))["balance"] for number in (1, 2)] == ["25.00", "0.00"]
    await assert_all_totals_agree(world)


async def test_an_expired_card_gets_its_balance_back_and_can_be_extended(world: World) -> None:
    await a_mixed_order(world)
    world.clock.advance(10 * DAY)
    await step(world, 1, "refund")
    gift_card = await card(world)
    assert (gift_card["balance"], gift_card["status"]) == ("25.00", "expired")
    await world.put("/gift-cards/1", {"expires_at": None})
    assert (await card(world))["status"] == "active"
    await assert_all_totals_agree(world)
