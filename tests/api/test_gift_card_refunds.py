"""What refunding an order takes off the gift cards that were bought in it."""

from __future__ import annotations

from typing import Any

import httpx

from lootkeep.engines.card_codes import CardCodes
from lootkeep.storage.schema import gift_cards
from tests.api.checkout import assert_all_totals_agree, buyer, card, ledger
from tests.api.ordering import step
from tests.builders import new_order, new_product, paid_order
from tests.recount import rows, sent
from tests.world import World

SPENT = "The gift cards bought in order ORD-000001 have already been spent in part: {} can be refunded, or more "
SPENT += "with allow_unrecovered."


async def cards_bought(world: World, quantity: int = 1) -> int:
    """Cards of 50.00, numbered from 1, by customer 1."""
    customer = await buyer(world)
    await new_product(world, name="Gift card", delivery_type="gift_card", price="50.00")
    await new_product(world, name="Map", price="20.00")
    await paid_order(world, customer, (1, quantity))
    return customer


async def cards_and_a_map(world: World) -> None:
    """A card of 50.00 and a map of 20.00."""
    customer = await buyer(world)
    await new_product(world, name="Gift card", delivery_type="gift_card", price="50.00")
    await new_product(world, name="Map", price="20.00")
    await paid_order(world, customer, (1, 1), (2, 1))


async def spend(world: World, card_id: int, amount: str) -> None:
    assert (await world.post(f"/gift-cards/{card_id}/redeem", {"amount": amount})).status_code == 200


async def refund(world: World, amount: str | None = None, **fields: Any) -> httpx.Response:
    return await step(world, 1, "refund", fields | ({} if amount is None else {"amount": amount}))


async def unrecovered(world: World, amount: str | None = None, **fields: Any) -> str:
    answer = await refund(world, amount, **fields)
    assert answer.status_code == 200, answer.text
    requested: str = answer.json()["data"]["refund"]["unrecovered_amount"]
    return requested


async def states(world: World) -> list[tuple[str, str]]:
    cards = [await card(world, row["id"]) for row in await rows(world.db, gift_cards)]
    return [(gift_card["balance"], gift_card["status"]) for gift_card in cards]


def assert_refused(answer: httpx.Response, left: str) -> None:
    assert answer.status_code == 409
    assert (answer.json()["code"], answer.json()["message"]) == ("gift_cards_spent", SPENT.format(left))


async def test_a_partial_refund_is_deducted_from_the_purchased_cards_oldest_first(world: World) -> None:
    await cards_bought(world, 3)
    assert await unrecovered(world, "60.00") == "0.00"
    assert await states(world) == [("0.00", "redeemed"), ("40.00", "active"), ("50.00", "active")]
    assert ledger(await card(world, 2)) == [("issue", "50.00", 1), ("revoke", "-10.00", 1)]
    figures = (await world.get("/gift-cards/statistics")).json()["data"]["currencies"]
    assert [(figure["revoked_value"], figure["outstanding_balance"]) for figure in figures] == [("60.00", "90.00")]
    await assert_all_totals_agree(world)


async def test_a_full_refund_revokes_the_purchased_cards(world: World) -> None:
    await cards_bought(world, 2)
    await refund(world, "10.00")
    assert await unrecovered(world) == "0.00"
    cards = [await card(world, number) for number in (1, 2)]
    assert [(gift_card["status"], gift_card["revoke_reason"]) for gift_card in cards] == [
        ("revoked", "order refunded")
    ] * 2
    assert ledger(cards[0]) == [("issue", "50.00", 1), ("revoke", "-10.00", 1), ("revoke", "-40.00", 1)]
    await assert_all_totals_agree(world)


async def test_a_spent_balance_is_not_refunded_by_default(world: World) -> None:
    await cards_bought(world, 2)
    await spend(world, 1, "50.00")
    await spend(world, 2, "20.00")
    before = await states(world)
    for amount in (None, "30.01", "100.00"):
        assert_refused(await refund(world, amount), "30.00")
    assert await states(world) == before
    assert "order.refunded" not in await sent(world.db)
    assert await unrecovered(world, "30.00") == "0.00"
    assert_refused(await refund(world), "0.00")
    await assert_all_totals_agree(world)


async def test_a_spent_balance_is_refunded_and_reported_when_the_store_allows_it(world: World) -> None:
    await cards_bought(world, 2)
    await spend(world, 1, "50.00")
    await spend(world, 2, "20.00")
    assert await unrecovered(world, "40.00", allow_unrecovered=True) == "10.00"
    assert await states(world) == [("0.00", "redeemed"), ("0.00", "redeemed")]
    assert await unrecovered(world, allow_unrecovered=True) == "60.00"
    assert await states(world) == [("0.00", "revoked")] * 2
    await assert_all_totals_agree(world)


async def test_the_other_lines_are_refunded_after_the_cards_are_empty(world: World) -> None:
    await cards_and_a_map(world)
    await spend(world, 1, "35.00")
    assert await unrecovered(world, "10.00") == "0.00"
    assert await states(world) == [("5.00", "active")]
    assert_refused(await refund(world, "25.01"), "25.00")
    assert await unrecovered(world, "25.00") == "0.00"
    assert_refused(await refund(world, "0.01"), "0.00")
    assert await unrecovered(world, allow_unrecovered=True) == "35.00"
    await assert_all_totals_agree(world)


async def test_a_card_revoked_by_staff_counts_as_returned(world: World) -> None:
    await cards_bought(world)
    await spend(world, 1, "20.00")
    await world.post("/gift-cards/1/revoke")
    assert_refused(await refund(world), "30.00")
    assert await unrecovered(world, "30.00") == "0.00"
    await assert_all_totals_agree(world)


async def test_a_balance_returned_to_a_spent_card_can_be_refunded_again(world: World) -> None:
    customer = await cards_bought(world)
    await new_order(world, customer, (2, 1), gift_card_code=await code_of(world))
    assert_refused(await refund(world), "30.00")
    await step(world, 2, "refund")
    assert await unrecovered(world) == "0.00"
    await assert_all_totals_agree(world)


async def test_nothing_is_returned_to_a_fully_refunded_card(world: World) -> None:
    customer = await cards_bought(world)
    await new_order(world, customer, (2, 2), gift_card_code=await code_of(world))
    assert await unrecovered(world, allow_unrecovered=True) == "40.00"
    returned = (await step(world, 2, "refund")).json()["data"]["refund"]
    assert (returned["gift_card_amount"], returned["unreturned_amount"]) == ("0.00", "40.00")
    assert await states(world) == [("0.00", "revoked")]
    await assert_all_totals_agree(world)


async def test_repeating_a_refund_with_its_key_charges_the_cards_once(world: World) -> None:
    await cards_bought(world)
    path = "/api/store/v1/orders/1/refund"
    for _ in range(3):
        answer = await world.post(path, {"amount": "20.00"}, headers={"Idempotency-Key": "refund-1"})
        assert answer.status_code == 200
    assert await states(world) == [("30.00", "active")]
    await assert_all_totals_agree(world)


async def test_a_past_order_without_cards_is_refunded_as_it_is(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, delivery_type="gift_card", price="20.00")
    times = {"created_at": "2026-11-01T00:00:00Z", "paid_at": "2026-11-01T00:00:00Z"}
    await new_order(world, customer, (1, 1), **times)
    assert await unrecovered(world) == "0.00"


async def code_of(world: World, card_id: int = 1) -> str:
    """The code that was mailed to the buyer."""
    row = next(row for row in await rows(world.db, gift_cards) if row["id"] == card_id)
    return CardCodes(world.deps.vault, world.deps.ids).opened(row["sealed_code"])
