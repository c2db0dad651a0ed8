"""Fraud review in the console: the queue, what a case shows, and what a decision does."""

from __future__ import annotations

import re

from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.storage import audit as audit_db, settings as settings_db
from tests.console.reviewing import status, waiting
from tests.console.visits import visitor
from tests.world import World


async def test_the_queue_lists_held_orders_first_by_age_and_shows_the_first_case(held: World) -> None:
    visits = await visitor(held, "staff")
    ids = await waiting(visits)
    assert ids == sorted(ids)
    assert len(ids) >= 2
    page = await visits.get("/fraud")
    assert f"{len(ids)} orders wait for a decision" in page.text
    assert f'action="/console/fraud/checks/{ids[0]}/review"' in page.text
    assert f'href="/console/fraud?check={ids[1]}" data-key="j"' in page.text
    assert await waiting(visits, "?sort=created_at&order=desc") == ids[::-1]
    assert await waiting(visits, "?risk_level=low") == []


async def test_a_case_shows_its_reasons_related_accounts_and_the_effect_of_a_decision(held: World) -> None:
    visits = await visitor(held, "read_only")
    (first, *_) = await waiting(visits)
    page = (await visits.get(f"/fraud?check={first}")).text
    assert 'class="meter' in page
    assert "device shared" in page
    assert re.search(r"<strong>New account</strong> <bdi>signed up \d+ seconds? before</bdi>", page)
    assert re.search(r"<bdi>Buyer \d</bdi></a> <span class=\"muted\">(held, \$20.00|no paid order)", page)
    assert "1 × <bdi>VIP rank</bdi>" in page
    assert all(f"<dt>{name}</dt>" in page for name in ("Method", "3-D Secure", "Declined"))
    assert "The order is released, and its buyer can pay." in page
    assert "Nobody has reviewed an order with these reasons" in page
    assert 'value="approve"' not in page


async def test_a_decision_leads_to_the_next_case_and_is_logged(held: World) -> None:
    visits = await visitor(held, "staff")
    first, second, *_ = await waiting(visits)
    path, form = f"/fraud/checks/{first}/review", {"on": "/fraud", "back": f"check={second}"}
    done = await visits.post(path, **form, decision="approve", notes="Called them.")
    assert (done.status_code, done.headers["location"]) == (303, f"/console/fraud?check={second}")
    assert await status(held, first) == "pending"
    assert first not in await waiting(visits)
    page = await visits.get(f"/fraud?check={second}")
    assert "1 ended with an approval (100 %)" in page.text or "with “" in page.text
    async with held.db.read() as tx:
        (entry,) = await audit_db.changes_since(tx, f"order:{first}", Instant(0))
    assert entry.action == "Review order"
    assert ("review", None, "legitimate") in entry.changes


async def test_rejecting_cancels_and_trusting_puts_the_email_on_the_list(held: World) -> None:
    visits = await visitor(held, "staff")
    first, second, *_ = await waiting(visits)
    for check, decision in ((first, "reject"), (second, "trust")):
        await visits.post(f"/fraud/checks/{check}/review", on="/fraud", decision=decision)
    assert [await status(held, order) for order in (first, second)] == ["cancelled", "pending"]
    async with held.db.read() as tx:
        assert len((await settings_db.get(tx, SETTINGS, Policy)).fraud_whitelisted_emails) == 1


async def test_a_case_decided_by_someone_else_is_not_decided_again(held: World) -> None:
    slow, quick = await visitor(held, "owner"), await visitor(held, "staff")
    first, second, *_ = await waiting(slow)
    shown = re.findall(r'name="version" value="(\d+)"', (await slow.get(f"/fraud?check={first}")).text)[0]
    held.clock.advance(MINUTE)
    await quick.post(f"/fraud/checks/{first}/review", on="/fraud", decision="reject")
    form = {"on": "/fraud", "decision": "approve", "version": shown, "back": f"check={second}"}
    stale = await slow.post(f"/fraud/checks/{first}/review", **form)
    assert (stale.status_code, stale.headers["location"]) == (303, f"/console/fraud?check={second}")
    page = (await slow.get(f"/fraud?check={second}")).text
    (notice,) = re.findall(r'<p class="notice said bad" role="alert">(.*?)</p>', page)
    assert re.fullmatch(
        rf"ORD-{first:06} was rejected by The staff, \d+ \w+ \d+, \d\d:\d\d. Your decision was not recorded.", notice
    )
    assert f'data-check="{second}"' in page
    assert await status(held, first) == "cancelled"


async def test_an_invalid_decision_is_rejected_on_the_page_of_the_check(held: World) -> None:
    visits = await visitor(held, "staff")
    (first, *_) = await waiting(visits)
    for form in ({"decision": "perhaps"}, {"decision": "approve", "notes": "x" * 1001}):
        answer = await visits.post(f"/fraud/checks/{first}/review", on="/fraud", **form)
        assert (answer.status_code, "Who else" in answer.text) == (422, True)
    assert first in await waiting(visits)


async def test_every_check_is_listed_with_filters_and_has_a_page_with_its_reviews(held: World) -> None:
    visits = await visitor(held, "staff")
    (first, *_) = await waiting(visits)
    await visits.post(f"/fraud/checks/{first}/review", on="/fraud", decision="undecided", notes="Ask again")
    listed = await visits.get("/fraud/checks?is_reviewed=yes")
    assert "1–1 of 1" in listed.text
    page = await visits.get(f"/fraud/checks/{first}")
    assert "Reviewed by The staff, inconclusive" in page.text
    assert "“Ask again”" in page.text
    assert (await visits.get("/fraud/checks/999")).status_code == 404


async def test_a_case_is_assigned_to_a_reviewer_and_returned(held: World) -> None:
    visits, other = await visitor(held, "staff"), await visitor(held, "owner")
    (first, *_) = await waiting(visits)
    path, form = f"/fraud/checks/{first}/take", {"on": "/fraud", "back": f"check={first}"}
    taken = await visits.post(path, **form, take="yes")
    assert (taken.status_code, taken.headers["location"]) == (303, f"/console/fraud?check={first}")
    page = (await visits.get(f"/fraud?check={first}")).text
    assert ("The case is yours." in page, "Give it back" in page) == (True, True)
    seen = (await other.get(f"/fraud?check={first}")).text
    assert ("<bdi>The staff</bdi>" in seen, "Take it" in seen) == (True, True)
    await visits.post(path, **form, take="no")
    assert "<bdi>The staff</bdi>" not in (await other.get(f"/fraud?check={first}")).text
    async with held.db.read() as tx:
        given_back, took = await audit_db.changes_since(tx, f"order:{first}", Instant(0))
    assert [entry.action for entry in (took, given_back)] == ["Take a case"] * 2
    assert (took.changes[0][1], given_back.changes[0][2]) == (None, None)
