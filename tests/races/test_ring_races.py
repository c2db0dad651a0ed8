"""Decisions about rings, checkouts, payments and cancellations at once: none deadlocks, on both engines."""

from __future__ import annotations

import random

from lootkeep.engines.card_codes import CardCodes
from lootkeep.storage.schema import gift_cards, orders, products
from tests.api.fraud.shop import DAY, settings
from tests.builders import new_customer, new_gift_card, new_product, paid_order, referred, regular_customers
from tests.races.racing import ORDERS, ROUNDS, Call, assert_all_totals_agree, order_of, race, statuses
from tests.recount import rows
from tests.world import World

RINGS = "/fraud/reviews"
PEOPLE = 24
STOCK = 10_000
# Anyone who buys with a program is held for a review.
HELD = {"name": "Programs", "expression": "is_bot", "action": "verify", "mode": "on"}


async def placed(world: World, carts: list[Call]) -> list[int]:
    answers = await race(world, carts)
    assert statuses(answers) == {201: len(carts)}, answers[0].text
    return [answer.json()["data"]["fraud_check"]["id"] for answer in answers]


def rings(chance: random.Random, check_ids: list[int], outcome: str, **fields: object) -> list[Call]:
    """Every check is in three rings, which name them in different orders."""
    calls: list[Call] = []
    for _ in range(3):
        mixed = chance.sample(check_ids, len(check_ids))
        calls += [
            (RINGS, {"check_ids": mixed[start : start + 6], "outcome": outcome} | fields)
            for start in range(0, len(mixed), 6)
        ]
    return calls


async def test_rings_are_cancelled_while_others_order_and_cancel_the_same_products(world: World) -> None:
    customers = await regular_customers(world, 2 * PEOPLE)
    chance = random.Random(5)
    for number in range(4):
        await new_product(world, name=f"Rare {number}", stock=STOCK)
    for _ in range(ROUNDS):
        lines = [tuple((product, 1) for product in chance.sample(range(1, 5), 2)) for _ in customers]
        carts = [order_of(who["id"], *cart) for who, cart in zip(customers, lines, strict=True)]
        checks = await placed(world, carts[:PEOPLE])
        calls = rings(chance, checks, "fraud", block=["customer", "email"]) + carts[PEOPLE:]
        # Every check belongs to the order of the same number.
        calls += [(f"{ORDERS}/{check}/cancel", {}) for check in checks[::2]]
        calls += [(f"/fraud/checks/{check}/review", {"outcome": "fraud"}) for check in checks[1::2]]
        chance.shuffle(calls)
        answers = await race(world, calls)
        assert set(statuses(answers)) <= {200, 201, 409}
        await world.put("/fraud/rules/1", {"mode": "off"})
        world.clock.advance(DAY)
    reserved = sum(2 for order in await rows(world.db, orders) if order["status"] == "pending")
    assert sum(STOCK - product["stock"] for product in await rows(world.db, products)) == reserved
    await assert_all_totals_agree(world)


async def test_rings_are_released_while_their_buyers_pay_for_other_orders(world: World) -> None:
    referrers = [(await new_customer(world))["customer"] for _ in range(4)]
    customers = [await referred(world, referrers[number % 4]["referral_code"]) for number in range(PEOPLE)]
    world.clock.advance(2 * DAY)
    chance = random.Random(7)
    for number in range(4):
        # A checkout locks those with a stock before the others, whatever their ids are.
        await new_product(world, name=f"Rank {number}", price="2.00", stock=STOCK if number % 2 else None)
    await settings(world, fraud_action="flag")
    await world.post("/fraud/rules", HELD)
    for _ in range(ROUNDS):
        carts = [order_of(who["id"], (chance.randint(1, 4), 1), (chance.randint(1, 4), 1)) for who in customers]
        own = await placed(world, carts)
        cards = [(await new_gift_card(world, initial_balance="400.00"))["code"] for _ in range(4)]
        paid = [(path, body | {"gift_card_code": chance.choice(cards)}) for path, body in carts]
        checks = await placed(world, [(path, body | {"user_agent": "curl/8.0"}) for path, body in paid])
        assert {row["status"] for row in (await rows(world.db, orders))[-PEOPLE:]} == {"on_hold"}
        calls = rings(chance, checks[::2], "legitimate") + [(f"{ORDERS}/{check}/pay", {}) for check in own]
        calls += [(f"/fraud/checks/{check}/review", {"outcome": "legitimate"}) for check in checks[1::2]]
        # Nothing is left to pay: these are placed and paid in one transaction.
        calls += paid
        chance.shuffle(calls)
        answers = await race(world, calls)
        assert set(statuses(answers)) == {200, 201}
        assert {row["status"] for row in (await rows(world.db, orders))[-3 * PEOPLE :]} == {"paid"}
        world.clock.advance(DAY)
    assert all(card["balance"] >= 0 for card in await rows(world.db, gift_cards))
    await assert_all_totals_agree(world)


async def test_cards_of_frauds_are_revoked_while_they_pay_for_orders_of_the_same_ring(world: World) -> None:
    referrer = (await new_customer(world))["customer"]
    await new_product(world, price="10.00", delivery_type="gift_card")
    await new_product(world, name="Rank", price="2.00", stock=STOCK)
    await settings(world, fraud_action="flag")
    codes, chance = CardCodes(world.deps.vault, world.deps.ids), random.Random(3)
    for _ in range(ROUNDS):
        people = [(await referred(world, referrer["referral_code"]))["id"] for _ in range(2 * PEOPLE)]
        world.clock.advance(2 * DAY)
        bought = [await paid_order(world, who, (1, 1), (2, 1)) for who in people[::2]]
        cards = [codes.opened(row["sealed_code"]) for row in (await rows(world.db, gift_cards))[-PEOPLE:]]
        # Nothing is left to pay: a card is taken before the referral, which counts for the one who referred all.
        pairs = zip(people[1::2], cards, strict=True)
        calls = [order_of(who, (2, 1), gift_card_code=code) for who, code in pairs]
        lost = {"kind": "dispute_lost", "reason": "fraudulent"}
        calls += [(f"{ORDERS}/{order['id']}/dispute", lost) for order in bought[::2]]
        calls += rings(chance, [order["fraud"]["check_id"] for order in bought[1::2]], "fraud")
        chance.shuffle(calls)
        answers = await race(world, calls)
        assert set(statuses(answers)) <= {200, 201, 409, 422}
        world.clock.advance(DAY)
    await assert_all_totals_agree(world)
