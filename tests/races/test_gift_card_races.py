"""Sixty-four concurrent requests on one gift card never take more than its balance, on both engines."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter

import pytest

from lootkeep.domain.gift_cards import GiftCardTerms
from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.kernel.errors import InvalidFields, Unavailable
from lootkeep.kernel.money import Hundredths
from lootkeep.services import gift_cards as gift_cards_service
from lootkeep.storage.gift_cards import rows as gift_cards_db
from lootkeep.storage.schema import events, gift_card_entries, gift_cards, orders
from tests.builders import new_customer, new_gift_card, new_product, paid_order, regular_customers
from tests.races.racing import AT_ONCE, ORDERS, Call, assert_all_totals_agree, order_of, race, statuses
from tests.recount import rows
from tests.world import World

# `LOOTKEEP_TEST_RACE_ROUNDS=1000` runs it for long.
ROUNDS = int(os.environ.get("LOOTKEEP_TEST_RACE_ROUNDS", "5"))
CARD = Hundredths(25_00)
TERMS = GiftCardTerms(CARD, "USD", None, None, None, None, None, None, None, None, None)


async def redeemed(world: World, card_id: int, amount: int, reference: str | None = None) -> int:
    """The redeemed amount, or nothing. Retries when no connection was free in time."""
    while True:
        try:
            await gift_cards_service.redeem(world.deps, card_id, Hundredths(amount), None, reference)
        except InvalidFields:
            return 0
        except Unavailable:
            continue
        return amount


@pytest.mark.timeout(1800)
async def test_concurrent_redemptions_never_exceed_the_balance(world: World) -> None:
    chance = random.Random(64)
    for _ in range(ROUNDS):
        card, _code = await gift_cards_service.create(world.deps, TERMS, None)
        amounts = [chance.choice((1, 40, 1_00, 2_50, 7_77)) for _ in range(AT_ONCE)]
        taken = sum(await asyncio.gather(*(redeemed(world, card.id, amount) for amount in amounts)))
        async with world.db.read() as tx:
            after = await gift_cards_db.ROWS.get(tx, card.id)
            entries = await gift_cards_db.ENTRIES.find(tx, gift_card_id=card.id)
        assert after is not None
        assert after.balance == CARD - taken == sum(entry.amount for entry in entries) >= 0
        balances = [entry.balance_after for entry in entries]
        assert balances == sorted(balances, reverse=True)
        # Nobody was rejected who could have been served.
        assert sum(amounts) <= CARD or after.balance < max(amounts)
    await assert_all_totals_agree(world)


@pytest.mark.timeout(1800)
async def test_one_reference_sent_many_times_redeems_once(world: World) -> None:
    for number in range(ROUNDS):
        card, _code = await gift_cards_service.create(world.deps, TERMS, None)
        calls = [redeemed(world, card.id, 5_00, f"till-{number}") for _ in range(AT_ONCE)]
        assert await asyncio.gather(*calls) == [5_00] * AT_ONCE
        assert (await rows(world.db, gift_cards))[-1]["balance"] == 20_00
        sent = [event for event in await rows(world.db, events) if event["type"] == "gift_card.redeemed"]
        assert len(sent) == number + 1
    await assert_all_totals_agree(world)


async def test_concurrent_orders_and_redemptions_share_the_balance(world: World) -> None:
    customers = await regular_customers(world, AT_ONCE // 2)
    await new_product(world, price="3.00")
    for number in range(1, 4):
        card = await new_gift_card(world)
        calls = [order_of(who["id"], (1, 1), gift_card_code=card["code"]) for who in customers]
        calls += [(f"/gift-cards/{number}/redeem", {"amount": "2.00"})] * (AT_ONCE // 2)
        random.Random(number).shuffle(calls)
        answers = await race(world, calls)
        assert set(statuses(answers)) <= {200, 201, 422}
        assert (await rows(world.db, gift_cards))[-1]["balance"] == 0
        await assert_all_totals_agree(world)
    paid = sum(order["gift_card_total"] for order in await rows(world.db, orders))
    tendered = sum(entry["amount"] for entry in await rows(world.db, gift_card_entries) if entry["is_tender"])
    assert paid == -tendered


async def test_totals_agree_after_concurrent_cancelling_refunding_and_revoking(world: World) -> None:
    customers = await regular_customers(world, 8)
    await new_product(world, price="40.00")
    await new_product(world, name="Card", price="5.00", delivery_type="gift_card")
    for _ in range(3):
        codes = [(await new_gift_card(world))["code"] for _ in range(8)]
        buyers = zip(customers, codes, strict=True)
        carts = [order_of(who["id"], (1, 1), (2, 2), gift_card_code=code) for who, code in buyers for _ in range(2)]
        placed = [answer.json()["data"]["order"]["id"] for answer in await race(world, carts) if answer.is_success]
        assert len(placed) == 8
        steps: list[Call] = [(f"{ORDERS}/{order_id}/{step}", {}) for order_id in placed for step in ("pay", "cancel")]
        ids = [row["id"] for row in await rows(world.db, gift_cards)][-8:]
        steps += [(f"/gift-cards/{card_id}/revoke", {}) for card_id in ids[::2]]
        await race(world, steps)
        refunds = [(f"{ORDERS}/{order_id}/refund", {"amount": "30.00"}) for order_id in placed for _ in range(3)]
        refunds += [(f"{ORDERS}/{order_id}/refund", {}) for order_id in placed]
        await race(world, refunds)
        await assert_all_totals_agree(world)
        world.clock.advance(MINUTE)


async def test_concurrent_refunds_and_redemptions_share_the_balance_of_purchased_cards(world: World) -> None:
    customer = (await new_customer(world))["customer"]["id"]
    await new_product(world, price="25.00", delivery_type="gift_card")
    for number in range(1, 4):
        order = await paid_order(world, customer, (1, 4))
        bought = [row["id"] for row in await rows(world.db, gift_cards)][-4:]
        refunds: list[Call] = [(f"{ORDERS}/{order['id']}/refund", {"amount": "3.00"})] * (AT_ONCE // 2)
        redeems: list[Call] = [(f"/gift-cards/{card_id}/redeem", {"amount": "4.00"}) for card_id in bought] * 8
        calls = refunds + redeems
        random.Random(number).shuffle(calls)
        answers = await race(world, calls)
        assert set(statuses(answers)) <= {200, 409, 422}
        after = [row["balance"] for row in await rows(world.db, gift_cards)][-4:]
        refunded = (await rows(world.db, orders))[-1]["refunded_total"]
        spent = sum(
            4_00 for (path, _), answer in zip(calls, answers, strict=True) if "redeem" in path and answer.is_success
        )
        assert sum(after) == 100_00 - refunded - spent
        # Nobody was rejected who could have been served.
        assert max(after) < 4_00
        assert sum(after) < 3_00
        await assert_all_totals_agree(world)


async def test_one_key_sent_many_times_charges_the_cards_once(world: World) -> None:
    customer = (await new_customer(world))["customer"]["id"]
    await new_product(world, price="25.00", delivery_type="gift_card")
    await paid_order(world, customer, (1, 1))
    headers = {"Idempotency-Key": "refund-1"}
    calls = [world.post(f"{ORDERS}/1/refund", {"amount": "2.00"}, headers=headers) for _ in range(AT_ONCE)]
    answers = await asyncio.gather(*calls)
    assert statuses(answers).keys() <= {200, 409, 503}
    assert 200 in statuses(answers)
    assert (await rows(world.db, gift_cards))[0]["balance"] == 23_00
    await assert_all_totals_agree(world)


async def test_concurrent_settling_counts_each_card_once(world: World) -> None:
    for _ in range(3):
        expires_at = Instant(world.clock.now() + MINUTE)
        terms = GiftCardTerms(CARD, "USD", None, None, None, None, None, None, None, expires_at, None)
        cards = [(await gift_cards_service.create(world.deps, terms, None))[0] for _ in range(20)]
        world.clock.advance(MINUTE)
        readers = [world.get("/gift-cards/statistics") for _ in range(AT_ONCE // 2)]
        changers = [world.put(f"/gift-cards/{card.id}", {"note": "seen"}) for card in cards]
        answers = await asyncio.gather(*readers, *changers)
        assert Counter(answer.status_code for answer in answers).keys() <= {200, 503}
        figures = (await world.get("/gift-cards/statistics")).json()["data"]
        assert figures["by_status"]["active"] == 0
        await assert_all_totals_agree(world)
