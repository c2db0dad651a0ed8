"""Coupons in lists: by state, as time and orders change it, by origin, and by search."""

from __future__ import annotations

from typing import Any, get_args

from lootkeep.domain.coupons import CouponState
from lootkeep.kernel.clock import DAY, Instant, iso
from tests.api.ordering import step, welcomed
from tests.builders import new_coupon, new_order, new_product, regular_customers
from tests.world import World


async def test_coupons_are_found_by_state_origin_and_search(world: World) -> None:
    await welcomed(world)
    (customer,) = await regular_customers(world, 1)
    await new_product(world)
    fields: dict[str, dict[str, Any]] = {
        "active": {},
        "scheduled": {"starts_at": "2027-01-01T00:00:00Z", "is_active": False},
        "expired": {"ends_at": "2026-11-16T00:00:00Z", "is_active": False},
        "inactive": {"is_active": False, "max_uses": 1},
        "used_up": {"max_uses": 1, "note": "For the crew of Luna"},
    }
    for state, terms in fields.items():
        await new_coupon(world, code=f"is-{state}", **terms)
    await new_order(world, customer["id"], (1, 1), coupon_code="IS-USED_UP")
    for state in fields:
        answer = await world.get(f"/coupons?state={state}&origin=owner")
        assert [coupon["code"] for coupon in answer.json()["data"]] == [f"IS-{state.upper()}"]
        assert {coupon["state"] for coupon in answer.json()["data"]} == {state}
    for search, count in (("is-", 5), ("used_", 1), ("luna", 1), ("nothing", 0), ("s-", 5)):
        assert (await world.get(f"/coupons?search={search}")).json()["meta"]["total"] == count
    assert (await world.get("/coupons")).json()["meta"]["total"] == 6
    assert (await world.get("/coupons?state=lost")).status_code == 422


async def test_a_coupon_is_found_by_the_state_that_time_and_cancellations_have_brought(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world)
    now = world.clock.now()
    times = {"starts_at": iso(Instant(now + DAY)), "ends_at": iso(Instant(now + 3 * DAY))}
    await new_coupon(world, code="WEEKEND", max_uses=1, **times)

    async def states() -> list[str]:
        named = [(state, await world.get(f"/coupons?state={state}")) for state in get_args(CouponState)]
        return [state for state, answer in named if answer.json()["data"]]

    assert await states() == ["scheduled"]
    world.clock.advance(DAY)
    assert await states() == ["active"]
    order = await new_order(world, customer["id"], (1, 1), coupon_code="WEEKEND")
    assert await states() == ["used_up"]
    await step(world, order["id"], "cancel")
    assert await states() == ["active"]
    world.clock.advance(2 * DAY)
    assert await states() == ["expired"]
    await world.put("/coupons/1", {"ends_at": None, "is_active": False})
    assert await states() == ["inactive"]
