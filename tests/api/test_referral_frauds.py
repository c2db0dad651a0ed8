"""Referrals whose orders turn out to be frauds: they count no longer, until the dispute is won."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.services import orders as orders_service
from tests.api.fraud.shop import review
from tests.api.ordering import step
from tests.api.sign_ups import anna
from tests.builders import new_product, paid_order, referred
from tests.recount import maintained, recounted
from tests.world import World

FRAUD = {"kind": "dispute", "reason": "fraudulent"}
LOST = {"kind": "dispute_lost", "reason": "fraudulent"}
WARNED = {"kind": "early_warning", "reason": "fraudulent"}


async def bought(world: World, orders: int = 1) -> int:
    """The friend whom Anna referred, with paid orders."""
    friend = await referred(world, (await anna(world))["referral_code"])
    await new_product(world)
    for _ in range(orders):
        await paid_order(world, friend["id"], (1, 1))
        world.clock.advance(DAY)
    return int(friend["id"])


async def referral(world: World) -> tuple[Any, Any]:
    """Its status, and what it counts for Anna; every total agrees with the rows."""
    (entry,) = (await world.get("/referrals")).json()["data"]
    (top,) = (await world.get("/referrals/top-referrers")).json()["data"]
    assert await maintained(world.db) == await recounted(world.db)
    return entry["status"], top["successful_referrals"]


@pytest.mark.parametrize("report", [FRAUD, LOST, WARNED])
async def test_a_dispute_as_fraud_takes_the_referral_back_and_gives_it_back_when_it_is_won(
    world: World, report: dict[str, str]
) -> None:
    await bought(world)
    assert await referral(world) == ("successful", 1)
    await step(world, 1, "dispute", report)
    assert await referral(world) == ("pending", 0)
    world.clock.advance(DAY)
    await step(world, 1, "dispute", {"kind": "dispute_won", "reason": "fraudulent"})
    assert await referral(world) == ("successful", 1)


async def test_a_dispute_for_another_reason_leaves_the_referral(world: World) -> None:
    await bought(world)
    await step(world, 1, "dispute", {"kind": "dispute", "reason": "other"})
    assert await referral(world) == ("successful", 1)


async def test_a_partial_refund_for_fraud_takes_the_referral_back_like_a_full_one(world: World) -> None:
    await bought(world)
    await step(world, 1, "refund", {"amount": "1.00", "reason_code": "fraud"})
    assert await referral(world) == ("pending", 0)


async def test_a_partial_refund_for_another_reason_leaves_the_referral(world: World) -> None:
    await bought(world)
    await step(world, 1, "refund", {"amount": "1.00"})
    assert await referral(world) == ("successful", 1)


async def test_a_review_as_fraud_takes_the_referral_back_and_a_later_one_gives_it_back(world: World) -> None:
    await bought(world)
    await review(world, 1, "fraud")
    assert await referral(world) == ("pending", 0)
    world.clock.advance(DAY)
    await review(world, 1, "legitimate")
    assert await referral(world) == ("successful", 1)


async def test_another_good_order_keeps_the_referral(world: World) -> None:
    await bought(world, orders=2)
    await step(world, 1, "dispute", FRAUD)
    assert await referral(world) == ("successful", 1)
    await step(world, 2, "refund")
    assert await referral(world) == ("pending", 0)


async def test_an_imported_order_that_was_disputed_earns_nothing(world: World) -> None:
    friend = await referred(world, (await anna(world))["referral_code"])
    await new_product(world)
    placed, disputed = world.clock.now(), world.clock.now() + DAY
    world.clock.advance(2 * DAY)
    cart = Cart(friend["id"], (CartLine(1, 1),), None, created_at=placed, paid_at=placed, disputed_at=Instant(disputed))
    await orders_service.import_order(world.deps, cart)
    assert await referral(world) == ("pending", 0)
