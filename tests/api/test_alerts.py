"""Alerts over HTTP: created, read, changed, muted, tested and deleted."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from lootkeep.domain.alerts import MAX_ALERTS
from lootkeep.kernel.clock import HOUR, MINUTE
from lootkeep.services import alerts as alerts_service
from lootkeep.storage import alerts as alerts_db
from tests.builders import new_alert
from tests.world import World

ALERT: dict[str, Any] = {
    "name": "Staff",
    "channel": "discord",
    "target": "https://discord.example/api/webhooks/1/secret",
    "triggers": ["ticket_created", "order_held"],
    "amount": "100.00",
}


async def test_an_alert_is_created_and_read_without_the_secret_of_its_target(world: World) -> None:
    alert = await new_alert(world, **ALERT)
    assert alert["target"] == "discord.example"
    assert (alert["triggers"], alert["amount"]) == (["order_held", "ticket_created"], "100.00")
    assert (alert["minutes"], alert["limit_per_hour"], alert["muted_until"]) == (15, 10, None)
    assert (await world.get(f"/alerts/{alert['id']}")).json()["data"] == alert
    assert (await world.get("/alerts")).json()["data"] == [alert]
    async with world.db.read() as tx:
        (stored,) = await alerts_db.ROWS.find(tx)
    assert "secret" not in stored.target


async def test_only_the_fields_that_are_sent_change_and_the_target_must_fit_the_channel(world: World) -> None:
    alert = await new_alert(world, **ALERT)
    path = f"/alerts/{alert['id']}"
    changed = (await world.put(path, {"limit_per_hour": 3, "muted_until": "2026-12-01T09:00:00Z"})).json()["data"]
    assert (changed["limit_per_hour"], changed["muted_until"]) == (3, "2026-12-01T09:00:00Z")
    assert changed["target"] == "discord.example"
    refused = await world.put(path, {"channel": "email"})
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["target"])
    moved = await world.put(path, {"channel": "email", "target": "Staff@Shop.example", "muted_until": None})
    assert (moved.json()["data"]["target"], moved.json()["data"]["muted_until"]) == ("staff@shop.example", None)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"target": "http://discord.example/"}, "target"),
        ({"target": "https://127.0.0.1/"}, "target"),
        ({"channel": "email"}, "target"),
        ({"channel": "pager"}, "channel"),
        ({"triggers": []}, "triggers"),
        ({"triggers": ["nothing"]}, "triggers.0"),
        ({"limit_per_hour": 0}, "limit_per_hour"),
        ({"amount": "-1.00"}, "amount"),
    ],
)
async def test_every_invalid_field_is_named(shared_world: World, wrong: dict[str, Any], field: str) -> None:
    answer = await shared_world.post("/alerts", ALERT | wrong)
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])


async def test_a_test_is_queued_unless_the_alert_is_muted(world: World) -> None:
    alert = await new_alert(world, **ALERT)
    assert (await world.post(f"/alerts/{alert['id']}/test")).status_code == 200
    async with world.db.read() as tx:
        (notice,) = await alerts_db.waiting(tx, alert["id"])
    assert notice.trigger == "test"
    await world.put(f"/alerts/{alert['id']}", {"muted_until": "2026-12-01T09:00:00Z"})
    muted = await world.post(f"/alerts/{alert['id']}/test")
    assert (muted.status_code, muted.json()["code"]) == (409, "alert_muted")


async def test_deleting_an_alert_deletes_its_queue_and_the_number_of_alerts_is_limited(world: World) -> None:
    alert = await new_alert(world, **ALERT)
    await world.post(f"/alerts/{alert['id']}/test")
    assert (await world.delete(f"/alerts/{alert['id']}")).status_code == 200
    assert (await world.get(f"/alerts/{alert['id']}")).status_code == 404
    fields = {**ALERT, "amount": None, "minutes": 15, "limit_per_hour": 10, "muted_until": None}
    for _ in range(MAX_ALERTS - 2):
        await alerts_service.create(world.deps, fields)
    answers = await asyncio.gather(*(world.post("/alerts", ALERT) for _ in range(8)))
    codes = Counter(answer.json().get("code") for answer in answers)
    assert codes == {None: 2, "too_many_alerts": 6}


async def test_late_work_is_reported_once_an_hour_after_the_minutes_of_the_alert(world: World) -> None:
    alert = await new_alert(world)
    campaign = await world.post("/email-campaigns", {"name": "N", "subject": "S", "body_html": "Hi"})
    await world.post(f"/email-campaigns/{campaign.json()['data']['id']}/test", {"email": "me@shop.example"})
    counts = []
    for step in (14 * MINUTE, MINUTE, MINUTE, HOUR):
        world.clock.advance(step)
        await alerts_service.look(world.deps)
        async with world.db.read() as tx:
            counts.append(len(await alerts_db.waiting(tx, alert["id"])))
    assert counts == [0, 1, 1, 2]
