"""Kept totals: right after real deeds, mended when something broke them."""

from __future__ import annotations

from sqlalchemy import update

from lootkeep.services import recount
from lootkeep.storage.query import Query
from lootkeep.storage.tables import buyers, counters, customers, products, referral_tiers, referrers, sales_rollups
from tests.builders import STORE, new_customer, new_product, paid_order, referred
from tests.world import World

RIGHT = {
    "customers": 0,
    "products": 0,
    "referral tiers": 0,
    "referrers": 0,
    "totals": 0,
    "sales figures": 0,
    "buyers": 0,
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


async def test_a_recount_of_a_busy_store_finds_nothing_wrong(world: World) -> None:
    await a_busy_store(world)
    assert await recount.check(world.deps) == RIGHT


async def test_broken_totals_are_found_without_being_changed_and_then_mended(world: World) -> None:
    await a_busy_store(world)
    async with world.db.write() as tx:
        await tx.run(Query(update(customers).values(total_spent=7).where(customers.c.id == 1)))
        await tx.run(Query(update(products).values(sales_count=99)))
        await tx.run(Query(update(referral_tiers).values(claims_count=5)))
        await tx.run(Query(update(referrers).values(total_reached_at=1)))
        await tx.run(Query(update(counters).values(value=counters.c.value + 1).where(counters.c.name == "claims.made")))
        await tx.run(Query(update(sales_rollups).values(gross=7).where(sales_rollups.c.dimension == "country")))
        await tx.run(Query(update(buyers).values(bits=b"\xff").where(buyers.c.level == 2)))
    kinds = {"customers": 1, "products": 2, "referral tiers": 1, "referrers": 1, "totals": 1}
    wrong = await recount.check(world.deps)
    assert {kind: wrong[kind] for kind in kinds} == kinds
    assert wrong["sales figures"] > 0
    assert wrong["buyers"] > 0
    assert await recount.check(world.deps) == wrong
    assert await recount.check(world.deps) == wrong
    assert await recount.rebuild(world.deps) == wrong
    assert await recount.check(world.deps) == RIGHT
