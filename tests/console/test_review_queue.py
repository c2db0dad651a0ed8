"""The review queue in the console: what waits and what does not, decisions that ask first, and rings."""

from __future__ import annotations

import re

from lootkeep.kernel.clock import Instant
from lootkeep.storage import audit as audit_db
from lootkeep.storage.fraud import lists as fraud_lists_db
from tests.builders import STORE
from tests.console.reviewing import status, waiting
from tests.console.visits import visitor
from tests.world import World


async def counts(world: World) -> list[int]:
    """To decide, to look at, mine; and the number in the navigation."""
    visits = await visitor(world, "staff")
    page = (await visits.get("/fraud")).text
    shown = [int(count) for count in re.findall(r">(?:To decide|To look at|Mine) (\d+)</a>", page)]
    badge = re.search(r'href="/console/fraud"[^>]*>Fraud review\s*<span class="badge warn">(\d+)', page)
    return [*shown, int(badge[1]) if badge else 0]


async def test_only_orders_that_stand_still_wait_for_a_decision(held: World) -> None:
    visits = await visitor(held, "staff")
    first, *others = await waiting(visits)
    before = await counts(held)
    assert (before[0], before[2]) == (1 + len(others), 0)
    await held.post(f"{STORE}/orders/{first}/cancel", {})
    held.clock.advance(11_000_000)
    assert await waiting(visits) == others
    assert await counts(held) == [before[0] - 1, before[1] + 1, 0, before[3] - 1]
    assert first in await waiting(visits, "?view=look")


async def test_rejecting_and_blocking_asks_first_and_then_blocks_the_buyer(held: World) -> None:
    visits = await visitor(held, "staff")
    first, second, *_ = await waiting(visits)
    path, form = f"/fraud/checks/{first}/block", {"on": "/fraud", "back": f"check={second}"}
    asked = await visits.post(path, **form)
    assert (asked.status_code, "Reject and block the buyer?" in asked.text) == (200, True)
    assert await status(held, first) == "on_hold"
    done = await visits.post(path, **form, confirmed="yes")
    assert done.headers["location"] == f"/console/fraud?check={second}"
    assert await status(held, first) == "cancelled"
    async with held.db.read() as tx:
        assert "blocked_customers" in {entry.name for entry in await fraud_lists_db.all_lists(tx)}


async def test_a_ring_is_decided_at_once_after_a_question_with_its_count_and_sum(held: World) -> None:
    visits = await visitor(held, "staff")
    first, second, third, *_ = await waiting(visits)
    page = (await visits.get(f"/fraud?check={first}")).text
    assert re.search(r"Ring: \d accounts, \d undecided orders, \$\d+\.\d\d\.", page)
    assert f'name="check_ids" value="{second}"' in page
    path = f"/fraud/checks/{first}/ring"
    form = {"on": "/fraud", "check_ids": f"{first} {second}\n{third}", "decision": "block", "back": "check=99"}
    asked = await visits.post(path, **form)
    assert "Reject 3 orders, block 3 buyers? $60.00 of 3 accounts: ORD-" in asked.text
    done = await visits.post(path, **form, confirmed="yes")
    assert done.headers["location"] == "/console/fraud?check=99"
    assert [await status(held, order) for order in (first, second, third)] == ["cancelled"] * 3
    async with held.db.read() as tx:
        (entry,) = await audit_db.changes_since(tx, f"order:{first}", Instant(0))
    assert entry.action == "Decide a ring"


async def test_a_ring_with_an_order_that_someone_else_decided_is_not_decided(held: World) -> None:
    visits = await visitor(held, "staff")
    first, second, *_ = await waiting(visits)
    await (await visitor(held, "owner")).post(f"/fraud/checks/{second}/review", on="/fraud", decision="approve")
    form = {"on": "/fraud", "check_ids": str(second), "decision": "reject", "confirmed": "yes", "back": ""}
    await visits.post(f"/fraud/checks/{first}/ring", **form)
    page = (await visits.get("/fraud")).text
    assert f"ORD-{second:06} was approved by The owner," in page
    assert await status(held, first) == "on_hold"


async def test_a_ring_of_nothing_or_without_a_decision_is_refused(held: World) -> None:
    visits = await visitor(held, "staff")
    (first, *_) = await waiting(visits)
    for form in ({"check_ids": "x", "decision": "reject"}, {"check_ids": "1", "decision": "perhaps"}):
        answer = await visits.post(f"/fraud/checks/{first}/ring", on="/fraud", **form)
        assert (answer.status_code, "Who else" in answer.text) == (422, True)
