"""Maintained totals: right after real operations, repaired when something broke them."""

from __future__ import annotations

from sqlalchemy import update

from lootkeep.services import recount as recount_service
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import (
    counters,
    customers,
    gift_cards,
    products,
    referral_tiers,
    referrers,
    sales_rollups,
)
from tests.builders import STORE, new_customer, new_gift_card, new_product, paid_order, referred
from tests.world import World

RIGHT = {
    "support tickets": 0,
    "customers": 0,
    "products": 0,
    "referral tiers": 0,
    "referrers": 0,
    "gift cards": 0,
    "totals": 0,
    "ticket figures": 0,
    "sales figures": 0,
}


async def a_busy_store(world: World) -> None:
    anna = (await new_customer(world))["customer"]
    product = await new_product(world)
    foreign = await new_product(world, currency="EUR")
    for number in range(3):
        friend = await referred(world, anna["referral_code"])
        order = await paid_order(world, friend["id"], (product["id"], number + 1))
        if number == 1:
            await world.post(f"{STORE}/orders/{order['id']}/refund")
        world.clock.advance(24 * 3600 * 1_000_000)
    await paid_order(world, anna["id"], (foreign["id"], 1))
    await world.post(
        "/referrals/tiers",
        {"name": "One", "referrals_required": 1, "reward_type": "fixed_discount", "reward_value": 5},
    )
    claim = (await world.post(f"{STORE}/customers/{anna['id']}/claims", {"tier_id": 1})).json()["data"]
    await paid_order(world, anna["id"], (product["id"], 1), coupon_code=claim["coupon"]["code"])
    await a_busy_drawer(world, anna["id"], product["id"])


async def a_busy_drawer(world: World, customer_id: int, product_id: int) -> None:
    """Cards in every state, some of them changed by time and not settled yet."""
    for number, fields in enumerate(
        ({}, {"starts_at": "2026-12-24T00:00:00Z"}, {"expires_at": "2026-11-30T00:00:00Z"}, {"currency": "EUR"}, {}, {})
    ):
        card = await new_gift_card(world, **fields)
        if number == 0:
            await paid_order(world, customer_id, (product_id, 2), gift_card_code=card["code"])
    await world.post("/gift-cards/5/redeem", {"amount": "5.00"})
    await world.post("/gift-cards/5/revoke")
    world.clock.advance(20 * 24 * 3600 * 1_000_000)


async def test_a_recount_of_a_busy_store_finds_nothing_wrong(world: World) -> None:
    await a_busy_store(world)
    assert await recount_service.check(world.deps) == RIGHT


async def test_broken_totals_are_found_without_being_changed_and_then_repaired(world: World) -> None:
    await a_busy_store(world)
    async with world.db.write() as tx:
        await tx.run(Query(update(customers).values(total_spent=7).where(customers.c.id == 1)))
        await tx.run(Query(update(products).values(sales_count=99)))
        await tx.run(Query(update(referral_tiers).values(claims_count=5)))
        await tx.run(Query(update(referrers).values(total_reached_at=1)))
        await tx.run(Query(update(gift_cards).values(balance=1).where(gift_cards.c.id == 6)))
        await tx.run(Query(update(gift_cards).values(stored_status="expired").where(gift_cards.c.id == 4)))
        await tx.run(Query(update(gift_cards).values(next_status_change_at=None).where(gift_cards.c.id == 2)))
        await tx.run(Query(update(counters).values(value=7).where(counters.c.name == "coupon_discounts.tier.USD")))
        await tx.run(Query(update(counters).values(value=7).where(counters.c.name == "gift_cards.EUR.active")))
        await tx.run(Query(update(counters).values(value=counters.c.value + 1).where(counters.c.name == "claims.made")))
        await tx.run(Query(update(sales_rollups).values(gross=7).where(sales_rollups.c.dimension == "country")))
    kinds = {"customers": 1, "products": 2, "referral tiers": 1, "referrers": 1, "gift cards": 3, "totals": 3}
    wrong = await recount_service.check(world.deps)
    assert {kind: wrong[kind] for kind in kinds} == kinds
    assert wrong["sales figures"] > 0
    assert await recount_service.check(world.deps) == wrong
    assert await recount_service.check(world.deps) == wrong
    assert await recount_service.rebuild(world.deps) == wrong
    assert await recount_service.check(world.deps) == RIGHT
