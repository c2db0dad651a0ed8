"""Payment cards in fraud checks: shared cards, several cards of one account, and what is stored."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lootkeep.storage.schema import fraud_checks, orders, sightings
from tests.api.fraud.shop import DAY, ORDERS, check, judged, place, regular, settings, shop
from tests.builders import new_customer
from tests.recount import rows
from tests.world import World

CARD = "fp_8Kd2secret"


async def signals(world: World, number: int) -> dict[str, int]:
    return dict((await check(world, number))["check"]["signals"])


async def test_a_card_used_by_another_account_counts_however_long_ago(world: World) -> None:
    await shop(world)
    first, second = await regular(world), await regular(world)
    await judged(world, first, payment={"fingerprint": CARD})
    world.clock.advance(400 * DAY)
    await judged(world, second, payment={"fingerprint": CARD}, ip_address="203.0.113.2")
    another = {"payment": {"fingerprint": "another"}, "ip_address": "203.0.113.2", "device_id": "d"}
    await judged(world, second, **another)
    await world.post(f"{ORDERS}/2/pay", {})
    await judged(world, second, **another)
    assert [await signals(world, number) for number in (1, 2)] == [{}, {"card_accounts": 12}]
    # Only a card that paid is the account's.
    assert [(await signals(world, number)).get("account_cards", 0) for number in (3, 4)] == [0, 12]


async def test_the_providers_card_checks_count(world: World) -> None:
    await shop(world)
    card = {"bin": "424242", "country": "fr", "funding": "prepaid", "three_d_secure": "passed"}
    await judged(world, await regular(world), payment=card, billing_country="DE")
    assert await signals(world, 1) == {"card_country_mismatch": 10, "prepaid": 5, "three_d_secure": -20}


async def test_the_fingerprint_is_stored_as_a_hash_only(world: World) -> None:
    await shop(world)
    await judged(world, await regular(world), payment={"fingerprint": CARD})
    stored = [await rows(world.db, table) for table in (sightings, fraud_checks, orders)]
    assert CARD not in str(stored)
    assert {row["kind"] for row in stored[0]} == {"mailbox", "address", "instrument"}


async def test_paying_with_the_referrers_card_is_referral_abuse(world: World) -> None:
    await shop(world)
    referrer = (await new_customer(world))["customer"]
    friend = await regular(world, referral_code=referrer["referral_code"])
    for number, customer in enumerate((referrer["id"], friend)):
        await judged(world, customer, payment={"fingerprint": CARD}, ip_address=f"203.0.113.{number}")
        world.clock.advance(DAY)
    assert await signals(world, 2) == {"referral_abuse": 15, "card_accounts": 12}


async def test_concurrent_orders_with_one_card_are_judged_in_sequence(world: World) -> None:
    await shop(world)
    await settings(world, fraud_action="flag")
    customers = [await regular(world) for _ in range(6)]

    async def served(customer: int) -> None:
        while True:
            answer = await place(world, customer, payment={"fingerprint": CARD}, ip_address=f"203.0.113.{customer}")
            if answer.status_code != 503:
                assert answer.status_code == 201, answer.text
                return

    await asyncio.gather(*(served(customer) for customer in customers))
    points = sorted([(await signals(world, number)).get("card_accounts", 0) for number in range(1, 7)])
    assert points == [0, 12, 24, 36, 36, 36]


@pytest.mark.parametrize(
    ("payment", "field"),
    [
        ({"bin": "4242"}, "payment.bin"),
        ({"country": "ZZ"}, "payment.country"),
        ({"funding": "cash"}, "payment.funding"),
        ({"three_d_secure": True}, "payment.three_d_secure"),
        ({"fingerprint": ""}, "payment.fingerprint"),
    ],
)
async def test_a_bad_payment_is_named_and_nothing_is_placed(
    shared_world: World, payment: dict[str, Any], field: str
) -> None:
    await shop(shared_world)
    answer = await place(shared_world, await regular(shared_world), payment=payment)
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])
    assert await rows(shared_world.db, orders) == []
