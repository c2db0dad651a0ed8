"""Reports use the confirmed outcome of orders: reviews count at once, everything else after 90 days."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from lootkeep.domain.fraud.calibration import base_odds
from lootkeep.kernel.clock import instant
from lootkeep.services import fraud_calibration as fraud_calibration_service
from lootkeep.storage.fraud import truth as fraud_truth_db
from tests.api.fraud.own_rules import make
from tests.api.fraud.shop import DAY, ORDERS, TOR, VPN, judged, place, regular, review, settings, shop
from tests.world import World

OLD_ENOUGH = 90 * DAY
# What is reported about an order over a VPN on the next day, and the truth that it counts as when it is old enough.
TRUTH_BY_CASE: dict[str, str | None] = {
    "nothing": "legitimate",
    "early_warning": "fraud",
    "dispute": "fraud",
    "dispute_lost": "fraud",
    "dispute_won": "legitimate",
    "refund": "fraud",
    "blocked": None,
}


async def reported_order(world: World, case: str) -> None:
    """An order that is labelled like this a day later."""
    await shop(world)
    customer = await regular(world)
    if case == "blocked":
        await settings(world, fraud_block_vpn=True)
    assert (await place(world, customer, ip_address=VPN)).status_code == 201
    await world.post(f"{ORDERS}/1/pay", {})
    world.clock.advance(DAY)
    if case == "refund":
        await world.post(f"{ORDERS}/1/refund", {"amount": "1.00", "reason_code": "fraud"})
    elif case not in ("nothing", "blocked"):
        kinds = ["dispute", case] if case.startswith("dispute_") else [case]
        for kind in kinds:
            await world.post(f"{ORDERS}/1/dispute", {"kind": kind, "reason": "fraudulent"})


async def until(world: World, age: int) -> None:
    """Advances the clock until the first order is this old."""
    world.clock.advance(age - DAY)


async def vpn(world: World) -> tuple[int, int, int]:
    (row,) = [row for row in (await world.get("/fraud/signals")).json()["data"] if row["name"] == "vpn"]
    return row["fired"], row["right"], row["wrong"]


async def hits(world: World) -> tuple[int, int]:
    (rule,) = (await world.get("/fraud/rules")).json()["data"]
    return rule["hits"]["right"], rule["hits"]["wrong"]


async def tried(world: World) -> tuple[Any, Any]:
    """How a rule for all VPNs does in a backtest, and the recall of the decisions."""
    data = await backtested(world)
    return (data["rule"]["right"], data["rule"]["wrong"]), data["before"]["recall"]


async def backtested(world: World) -> dict[str, Any]:
    body = {"rule": {"expression": "is_vpn", "action": "block"}, "days": 365}
    return dict((await world.post("/fraud/backtest", body)).json()["data"])


@pytest.mark.parametrize("case", TRUTH_BY_CASE)
async def test_an_order_counts_in_the_report_of_signals_when_it_is_ninety_days_old(world: World, case: str) -> None:
    await reported_order(world, case)
    await until(world, OLD_ENOUGH - 1)
    assert await vpn(world) == (1, 0, 0)
    world.clock.advance(1)
    assert await vpn(world) == (1, TRUTH_BY_CASE[case] == "fraud", TRUTH_BY_CASE[case] == "legitimate")


@pytest.mark.parametrize("case", TRUTH_BY_CASE)
async def test_an_order_counts_among_the_hits_of_a_rule_when_it_is_ninety_days_old(world: World, case: str) -> None:
    await make(world, mode="shadow")
    await reported_order(world, case)
    await until(world, OLD_ENOUGH - 1)
    assert await hits(world) == (0, 0)
    world.clock.advance(1)
    assert await hits(world) == (TRUTH_BY_CASE[case] == "fraud", TRUTH_BY_CASE[case] == "legitimate")


async def test_a_favourable_signal_is_right_about_good_orders(world: World) -> None:
    await shop(world)
    for outcome in ("legitimate", "legitimate", "fraud"):
        order = await judged(world, await regular(world), payment={"three_d_secure": "passed"})
        await review(world, order["fraud_check"]["id"], outcome)
    rows = {row["name"]: row for row in (await world.get("/fraud/signals")).json()["data"]}
    row = rows["three_d_secure"]
    assert (row["fired"], row["right"], row["wrong"], row["precision"]) == (3, 2, 1, 0.6667)


@pytest.mark.parametrize("case", TRUTH_BY_CASE)
async def test_an_order_counts_in_a_backtest_when_it_is_ninety_days_old(world: World, case: str) -> None:
    await reported_order(world, case)
    await until(world, OLD_ENOUGH - 1)
    assert await tried(world) == ((0, 0), None)
    world.clock.advance(1)
    is_fraud = TRUTH_BY_CASE[case] == "fraud"
    assert await tried(world) == ((is_fraud, TRUTH_BY_CASE[case] == "legitimate"), 0.0 if is_fraud else None)
    (changed,) = (await backtested(world))["changed"] or [{"truth": None, "truth_source": None}]
    label = ("fraud", case) if is_fraud else (None, None)
    assert (changed["truth"], changed["truth_source"]) == label


@pytest.mark.parametrize("case", TRUTH_BY_CASE)
async def test_an_order_counts_for_a_calibration_when_it_is_ninety_days_old(world: World, case: str) -> None:
    await reported_order(world, case)
    await until(world, OLD_ENOUGH - 1)
    assert await measured(world) == (0, 0)
    world.clock.advance(1)
    assert await measured(world) == (0 if TRUTH_BY_CASE[case] is None else 1, int(TRUTH_BY_CASE[case] == "fraud"))


async def measured(world: World) -> tuple[int, int]:
    """Orders and frauds that the report looks at, and the base odds, which are measured once a week."""
    result = await fraud_calibration_service.report(world.deps)
    counts = result.base.orders + result.trial.orders, result.base.frauds + result.trial.frauds
    async with world.deps.db.read() as tx:
        base = base_odds(await fraud_truth_db.scores(tx, world.clock.now()), world.clock.now())
    assert (base.orders, base.frauds) == counts
    return counts


async def test_a_review_counts_at_once_and_the_last_one_wins(world: World) -> None:
    await reported_order(world, "nothing")
    for outcome, counts in (("fraud", (1, 1, 0)), ("legitimate", (1, 0, 1)), ("inconclusive", (1, 0, 0))):
        await review(world, 1, outcome)
        assert await vpn(world) == counts
        assert (await tried(world))[0] == counts[1:]


async def test_the_dashboard_judges_the_newest_month_that_is_ninety_days_old(world: World) -> None:
    await shop(world)
    customers = [await regular(world) for _ in range(3)]
    # In February: a fraud that was allowed, a good order, and a fraud that was blocked.
    await judged(world, customers[0])
    await judged(world, customers[1], ip_address="192.0.2.1")
    await place(world, customers[2], ip_address=TOR)
    await world.post(f"{ORDERS}/1/pay", {})
    await world.post(f"{ORDERS}/1/dispute", {"kind": "dispute", "reason": "fraudulent"})
    await review(world, 3, "fraud")
    # Its last order may be of the last moment, and is ninety days old on the 30th of May.
    world.clock.advance(instant(datetime(2027, 5, 30, tzinfo=UTC)) - world.clock.now() - 1)
    nothing = {"orders": 0, "frauds": 0, "caught": 0, "recall": None}
    assert await judged_month(world) == {"since": "2027-01-01T00:00:00Z"} | nothing
    world.clock.advance(1)
    report = {"orders": 3, "frauds": 2, "caught": 1, "recall": 0.5}
    assert await judged_month(world) == {"since": "2027-02-01T00:00:00Z"} | report
    await world.post(f"{ORDERS}/1/dispute", {"kind": "dispute_won", "reason": "fraudulent"})
    assert (await judged_month(world))["frauds"] == 1


async def judged_month(world: World) -> dict[str, Any]:
    return dict((await world.get("/fraud/dashboard")).json()["data"]["judged_month"])
