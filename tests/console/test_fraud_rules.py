"""Rules and lists of the store's own in the console: tried before they are saved, counted, and filled by a review."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.kernel.clock import DAY
from lootkeep.storage import settings as settings_db
from lootkeep.storage.fraud import lists as fraud_lists_db
from tests.console.visits import visitor
from tests.world import World

FORM = {"name": "Shared device", "expression": "device_accounts > 0", "action": "block", "mode": "on"} | {
    "points": "0",
    "note": "Wave of March",
    "expires_at": "2027-01-31",
}


async def policy(world: World) -> Policy:
    async with world.db.read() as tx:
        return await settings_db.get(tx, SETTINGS, Policy)


async def test_a_rule_is_tested_saved_changed_and_deleted(held: World) -> None:
    visits = await visitor(held, "owner")
    trial = (await visits.get(f"/fraud/rules?try=yes&{urlencode(FORM)}")).text
    assert "It fits <b>4</b> of 5 orders" in trial
    assert "Save this rule" in trial
    assert (await policy(held)).rules == ()
    version = re.findall(r'name="version" value="(\d+)"', trial)[0]
    saved = await visits.post("/fraud/rules", on="/fraud/lists", version=version, **FORM)
    assert saved.status_code == 303, saved.text
    (rule,) = (await policy(held)).rules
    assert (rule.name, rule.mode, rule.note) == ("Shared device", "on", "Wave of March")
    page = (await visits.get("/fraud/rules?edit=1")).text
    assert 'value="2027-01-31"' in page
    assert "Delete this rule" in page
    await visits.post("/fraud/rules", on="/fraud/lists", **FORM | {"id": "1", "action": "points", "points": "-20"})
    (rule,) = (await policy(held)).rules
    assert (rule.action, rule.points, rule.revision) == ("points", -20, 1)
    assert (await visits.post("/fraud/rules/1/delete", on="/fraud/lists", confirmed="yes")).status_code == 303
    assert (await policy(held)).rules == ()


async def test_an_invalid_rule_is_shown_again_with_its_errors(store: World) -> None:
    visits = await visitor(store, "owner")
    wrong = FORM | {"expression": "totl > 1"}
    trial = await visits.get(f"/fraud/rules?try=yes&{urlencode(wrong)}")
    saved = await visits.post("/fraud/rules", on="/fraud/lists", **wrong)
    for answer, status in ((trial, 200), (saved, 422)):
        assert (answer.status_code, "the nearest is total" in answer.text) == (status, True)
    assert (await visits.get(f"/fraud/rules?try=yes&{urlencode(FORM | {'mode': 'maybe'})}")).status_code == 200
    assert (await visits.get("/fraud/rules?edit=99")).status_code == 404
    staff = await visitor(store, "staff")
    assert "Saving needs the scope settings:write." in (await staff.get(f"/fraud/rules?try=yes&{urlencode(FORM)}")).text


async def test_a_rule_cannot_end_in_the_past_but_one_that_has_ended_can_be_changed(store: World) -> None:
    visits = await visitor(store, "owner")
    ended = await visits.post("/fraud/rules", on="/fraud/lists", **FORM | {"expires_at": "2020-01-01"})
    assert (ended.status_code, "must be in the future" in ended.text) == (422, True)
    assert (await visits.post("/fraud/rules", on="/fraud/lists", **FORM)).status_code == 303
    store.clock.advance(100 * DAY)
    visits = await visitor(store, "owner")
    saved = await visits.post("/fraud/rules", on="/fraud/lists", **FORM | {"id": "1", "mode": "off"})
    assert (saved.status_code, (await policy(store)).rules[0].mode) == (303, "off")


async def test_a_list_is_created_filled_searched_and_deleted(store: World) -> None:
    visits = await visitor(store, "staff")
    created = await visits.post("/fraud/lists", on="/fraud/lists", name="offices", kind="ip")
    path = created.headers["location"].removeprefix("/console")
    assert (await visits.post("/fraud/lists", on="/fraud/lists", name="Offices!", kind="ip")).status_code == 422
    added = await visits.post(f"{path}/add", on="/fraud/lists", value="203.0.113.0/24", reason="Ours")
    assert added.status_code == 303
    refused = await visits.post(f"{path}/add", on="/fraud/lists", value="here")
    assert (refused.status_code, 'aria-invalid="true"' in refused.text) == (422, True)
    page = (await visits.get(path)).text
    assert "203.0.113.0/24" in page
    assert "The staff" in page
    assert "Nothing passes these filters" in (await visits.get(f"{path}?value=203.0.113.9")).text
    assert "1 entry" in (await visits.get("/fraud/lists")).text
    await visits.post(f"{path}/remove", on="/fraud/lists", value="203.0.113.0/24")
    assert "The list is empty." in (await visits.get(path)).text
    await visits.post(f"{path}/delete", on="/fraud/lists", confirmed="yes")
    assert (await visits.get(path)).status_code == 404


async def test_a_buyer_is_rejected_and_blocked_in_one_step(held: World) -> None:
    visits = await visitor(held, "staff")
    done = await visits.post("/fraud/checks/5/block", on="/fraud", confirmed="yes")
    assert done.status_code == 303
    async with held.db.read() as tx:
        lists = {item.name: item.id for item in await fraud_lists_db.all_lists(tx)}
        counts = await fraud_lists_db.counts(tx)
    assert {name: counts.get(number) for name, number in lists.items()} == {
        "blocked_customers": 1,
        "blocked_emails": 1,
        "blocked_devices": 1,
        "blocked_ips": 1,
        "blocked_instruments": None,
        "blocked_players": None,
    }
    assert [rule.name for rule in (await policy(held)).rules] == ["Blocked buyers"]
