"""Alerts in the console: set, changed without entering the address again, muted, tested and deleted."""

from __future__ import annotations

from lootkeep.services import alerts as alerts_service
from lootkeep.storage import alerts as alerts_db
from tests.console.visits import visitor
from tests.world import World

FORM = {
    "name": "Staff",
    "channel": "slack",
    "target": "https://hooks.example/services/secret",
    "triggers": "order_held",
    "amount": "50.00",
    "minutes": "15",
    "limit_per_hour": "10",
}


async def test_an_alert_is_set_changed_muted_tested_and_deleted(world: World) -> None:
    visits = await visitor(world, "staff")
    refused = await visits.post("/alerts/new", on="/alerts/new", **(FORM | {"target": "", "triggers": ""}))
    assert (refused.status_code, "Choose at least one." in refused.text) == (422, True)
    assert (await visits.post("/alerts/new", on="/alerts/new", **FORM)).status_code == 303
    page = (await visits.get("/alerts")).text
    assert ("hooks.example" in page, "secret" in page) == (True, False)
    form = (await visits.get("/alerts/1/edit")).text
    assert ('value="50.00"' in form, "secret" in form) == (True, False)
    changed = await visits.post(
        "/alerts/1/edit", on="/alerts/1/edit", **(FORM | {"target": "", "kept": "target", "name": "Night"})
    )
    assert changed.status_code == 303
    async with world.db.read() as tx:
        (alert,) = await alerts_db.ROWS.find(tx)
    assert (alert.name, alerts_service.target(world.deps, alert)) == ("Night", FORM["target"])
    await visits.post("/alerts/1/test", on="/alerts")
    async with world.db.read() as tx:
        assert len(await alerts_db.waiting(tx, 1)) == 1
    await visits.post("/alerts/1/mute", on="/alerts")
    assert "Unmute" in (await visits.get("/alerts")).text
    await visits.post("/alerts/1/unmute", on="/alerts")
    assert "Mute for 8 hours" in (await visits.get("/alerts")).text
    await visits.post("/alerts/1/delete", on="/alerts", confirmed="yes")
    assert "Set the first one." in (await visits.get("/alerts")).text
