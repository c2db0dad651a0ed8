"""The settings of fraud detection in the console: what they would change, the lists, and the signals."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.signals import SIGNALS
from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.services import fraud as fraud_service
from lootkeep.storage import audit as audit_db, settings as settings_db
from lootkeep.storage.fraud import check_lists as fraud_check_lists_db
from tests.console.visits import visitor
from tests.world import World

FORM = {
    "fraud_detection_enabled": "yes",
    "fraud_sensitivity_level": "high",
    "fraud_action": "verify",
    "fraud_velocity_limit_orders_per_ip": "7",
    "fraud_velocity_limit_orders_per_email": "3",
    "fraud_velocity_limit_declines": "5",
    "fraud_velocity_window_minutes": "60",
    "fraud_review_due_hours": "24",
    "fraud_review_when_due": "wait",
    "fraud_review_daily_budget": "20",
}


async def policy(world: World) -> Policy:
    async with world.db.read() as tx:
        return await settings_db.get(tx, SETTINGS, Policy)


async def test_settings_are_tested_on_past_orders_before_they_are_saved(store: World) -> None:
    visits = await visitor(store, "owner")
    await fraud_service.change_list(store.deps, "fraud_whitelisted_ips", "203.0.113.200", is_added=True)
    trial = await visits.get(f"/fraud/settings?try=yes&{urlencode(FORM)}")
    assert "of 1 order would have been treated otherwise" in trial.text
    assert (await policy(store)).fraud_sensitivity_level == "medium"
    version = re.findall(r'name="version" value="(\d+)"', trial.text)[0]
    saved = await visits.post("/fraud/settings", on="/fraud/lists", version=version, **FORM)
    assert saved.status_code == 303
    after = await policy(store)
    assert (after.fraud_sensitivity_level, after.fraud_block_tor, after.fraud_velocity_limit_orders_per_ip) == (
        "high",
        False,
        7,
    )
    assert after.fraud_whitelisted_ips == {"203.0.113.200"}
    async with store.db.read() as tx:
        (entry,) = await audit_db.changes_since(tx, "setting:fraud", Instant(0))
    assert ("fraud_sensitivity_level", "medium", "high") in entry.changes


async def test_the_effects_are_listed_with_links_and_amounts(held: World) -> None:
    async with held.db.read() as tx:
        waiting = await fraud_check_lists_db.pending_review(tx)
    query = urlencode(FORM | {"fraud_sensitivity_level": "low", "fraud_action": "block"})
    page = await (await visitor(held, "read_only")).get(f"/fraud/settings?try=yes&{query}")
    changed = re.findall(r'<a class="row" href="/console/fraud/checks/(\d+)">', page.text)
    assert 0 < len(changed) <= waiting
    assert f"<b>{len(changed)}</b> of 5 orders would have been treated otherwise" in page.text
    assert f"<b>${20 * len(changed)}.00</b>" in page.text or page.text.count("→ <span") > 1
    assert "Saving needs the scope settings:write." in page.text


@pytest.mark.parametrize(
    "wrong",
    [{"fraud_velocity_window_minutes": "5"}, {"fraud_action": "nothing"}, {"fraud_velocity_window_minutes": ""}],
)
async def test_invalid_settings_are_rejected_in_the_form(store: World, wrong: dict[str, str]) -> None:
    visits = await visitor(store, "owner")
    trial = await visits.get(f"/fraud/settings?try=yes&{urlencode(FORM | wrong)}")
    assert trial.status_code == 200
    saved = await visits.post("/fraud/settings", on="/fraud/lists", **(FORM | wrong))
    assert saved.status_code == 422
    assert await policy(store) == Policy()


async def test_settings_changed_meanwhile_are_not_overwritten(store: World) -> None:
    slow, quick = await visitor(store, "owner"), await visitor(store, "staff")
    page = await slow.get(f"/fraud/settings?try=yes&{urlencode(FORM)}")
    version = re.findall(r'name="version" value="(\d+)"', page.text)[0]
    store.clock.advance(MINUTE)
    await quick.post("/fraud/lists/countries/add", on="/fraud/lists", countries="kp")
    stale = await slow.post("/fraud/settings", on="/fraud/lists", version=version, **FORM)
    assert stale.status_code == 409
    assert "The staff" in stale.text
    assert (await policy(store)).fraud_sensitivity_level == "medium"


async def test_entries_are_added_to_and_removed_from_each_list(store: World) -> None:
    visits = await visitor(store, "staff")
    for name, text in (("emails", "Jun@Park.Example.com"), ("addresses", "::ffff:203.0.113.9"), ("countries", "kp")):
        added = await visits.post(f"/fraud/lists/{name}/add", on="/fraud/lists", **{name: text})
        assert added.status_code == 303, name
    page = (await visits.get("/fraud/lists")).text
    for entry in ("jun@park.example.com", "203.0.113.9", "KP"):
        assert f"<bdi>{entry}</bdi>" in page
    assert "jun@park" not in (await visits.get("/fraud/lists?search=203")).text
    await visits.post("/fraud/lists/countries/remove", on="/fraud/lists", countries="KP")
    assert (await policy(store)).fraud_custom_blocked_countries == frozenset()


async def test_an_invalid_entry_is_rejected_in_its_field(store: World) -> None:
    visits = await visitor(store, "staff")
    for name, text in (("emails", "nobody"), ("addresses", "1.2.3"), ("countries", "XX"), ("emails", "")):
        answer = await visits.post(f"/fraud/lists/{name}/add", on="/fraud/lists", **{name: text})
        assert (answer.status_code, 'aria-invalid="true"' in answer.text) == (422, True), name
    assert (await visits.post("/fraud/lists/nothing/add", on="/fraud/lists")).status_code == 404


async def test_every_signal_of_the_table_is_shown_with_how_often_it_counted(store: World) -> None:
    page = (await (await visitor(store, "read_only")).get("/fraud/signals")).text
    assert all(signal.label in page for signal in SIGNALS)
    assert "not reviewed yet" in page
