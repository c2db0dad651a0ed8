"""Base odds and proposals from stored checks: only what is old enough counts, and only what is accepted changes."""

from __future__ import annotations

import pytest

from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.score import ORDINARY_ODDS
from lootkeep.services import fraud_calibration as fraud_calibration_service
from lootkeep.storage import settings as settings_db
from tests.api.fraud.shop import DAY, VPN, check, judged, regular, review, settings, shop
from tests.world import World


async def reviewed(world: World, orders: int) -> None:
    """One order of each customer, over a VPN; every second is fraud."""
    for number in range(orders):
        order = await judged(world, await regular(world), ip_address=VPN)
        await review(world, order["fraud_check"]["id"], "fraud" if number % 2 else "legitimate")


async def test_the_probability_follows_the_base_odds_which_are_measured_from_old_orders(world: World) -> None:
    await shop(world)
    await reviewed(world, 50)
    await fraud_calibration_service.refresh(world.deps)
    # The newest orders are younger than 90 days, so too few are known.
    assert (await check(world, 1))["check"]["probability"] == pytest.approx(0.0198, abs=0.0001)
    world.clock.advance(91 * DAY)
    await fraud_calibration_service.refresh(world.deps)
    assert (await check(world, 1))["check"]["probability"] == pytest.approx(0.5, abs=0.02)


async def test_a_proposal_is_applied_only_when_it_is_accepted(world: World) -> None:
    await shop(world)
    await reviewed(world, 60)
    world.clock.advance(91 * DAY)
    result = await fraud_calibration_service.report(world.deps)
    assert (result.labels, result.base.orders, result.trial.orders) == (60, 48, 12)
    assert result.base.odds != ORDINARY_ODDS
    assert [fit.name for fit in result.signals] == ["vpn"]
    async with world.deps.db.read() as tx:
        assert await settings_db.get(tx, SETTINGS, Policy) == Policy()
    for _ in range(5):
        policy = await fraud_calibration_service.accept(world.deps, {"vpn": 10, "tor": 3})
    assert policy.fraud_signal_points == {"vpn": 40, "tor": 15}
    await judged(world, await regular(world), ip_address=VPN)
    assert (await check(world, 61))["check"]["signals"] == {"vpn": 50}
    assert (await settings(world, fraud_signal_points={}))["fraud_signal_points"] == {}


async def test_points_of_signals_that_do_not_exist_are_rejected(world: World) -> None:
    for points in ({"nothing": 1}, {"vpn": 41}, {"vpn": "1"}):
        answer = await world.put("/fraud/settings", {"fraud_signal_points": points})
        assert answer.status_code == 422, points
