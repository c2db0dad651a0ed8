"""Alerts: where staff are notified and of what, with a test and a mute."""

from __future__ import annotations

from typing import Any, get_args

from lootkeep.console.forms import Form
from lootkeep.console.labels import label
from lootkeep.console.page import Answer, Done, Page, Visit, url
from lootkeep.domain.alerts import TRIGGERS, Alert, AlertChannel
from lootkeep.kernel import money
from lootkeep.kernel.clock import HOUR, Instant
from lootkeep.kernel.errors import existing
from lootkeep.services import alerts as alerts_service
from lootkeep.storage import alerts as alerts_db
from lootkeep.views import alerts as alerts_views

_CHANNELS = {name: label(name) for name in get_args(AlertChannel)}
_MAX_AMOUNT = 99_999_999
_MAX_MINUTES = 7 * 24 * 60
_MAX_PER_HOUR = 60
# For a night; for longer an alert is better deleted.
_MUTED_FOR = 8 * HOUR


async def list_alerts(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        alerts = await alerts_db.all_alerts(tx)
    rows = [(alert, alerts_views.hint(alert, alerts_service.target(visit.deps, alert))) for alert in alerts]
    return {"rows": rows, "triggers": TRIGGERS, "channels": _CHANNELS}


async def show_form(visit: Visit) -> Answer:
    """To create an alert, or to change the one of the path."""
    alert = await _get(visit) if "id" in visit.request.path_params else None
    chosen = visit.form["triggers"].split("\n") if visit.form.get("triggers") else alert.trigger_names if alert else []
    amount = money.text(alert.amount) if alert and alert.amount else ""
    return {"alert": alert, "amount": amount, "triggers": TRIGGERS, "channels": _CHANNELS, "chosen": chosen}


async def create(visit: Visit) -> Answer:
    alert = await alerts_service.create(visit.deps, _fields(visit, "") | {"muted_until": None})
    return _done(alert, f"{alert.name} is set. Send a test to see whether it arrives.", None)


async def change(visit: Visit) -> Answer:
    before = await _get(visit)
    visit.check_unchanged(f"alert:{before.id}", before.updated_at)
    fields = _fields(visit, alerts_service.target(visit.deps, before))
    return _done(await alerts_service.change(visit.deps, visit.id, fields), "Saved.", before)


async def mute(visit: Visit) -> Answer:
    until = Instant(visit.now + _MUTED_FOR)
    before = await _get(visit)
    alert = await alerts_service.change(visit.deps, visit.id, {"muted_until": until})
    return _done(alert, f"{alert.name} is muted for 8 hours; then you get one summary.", before)


async def unmute(visit: Visit) -> Answer:
    before = await _get(visit)
    alert = await alerts_service.change(visit.deps, visit.id, {"muted_until": None})
    return _done(alert, f"{alert.name} is heard again.", before)


async def test(visit: Visit) -> Answer:
    alert = await alerts_service.test(visit.deps, visit.id)
    return Done(url("/alerts"), "The test is on its way.", f"alert:{alert.id}", after={"test": alert.name})


async def delete(visit: Visit) -> Answer:
    before = await _get(visit)
    await alerts_service.delete(visit.deps, visit.id)
    return Done(url("/alerts"), f"{before.name} is deleted.", f"alert:{before.id}", _audited(before), None)


def _fields(visit: Visit, stored_target: str) -> dict[str, Any]:
    """What the form holds; an address that is not entered again stays."""
    form = Form(visit)
    fields = {
        "name": form.required("name"),
        "channel": form.choice("channel", _CHANNELS),
        "target": form.text("target", 2048) or stored_target,
        "triggers": [name for name in visit.form.get("triggers", "").split("\n") if name in TRIGGERS],
        "amount": form.amount("amount", 0, _MAX_AMOUNT),
        "minutes": form.required_whole("minutes", 1, _MAX_MINUTES),
        "limit_per_hour": form.required_whole("limit_per_hour", 1, _MAX_PER_HOUR),
    }
    if not fields["target"]:
        form.errors["target"] = ["This must not be empty."]
    if not fields["triggers"]:
        form.errors["triggers"] = ["Choose at least one."]
    form.check()
    return fields


async def _get(visit: Visit) -> Alert:
    async with visit.deps.db.read() as tx:
        return existing(await alerts_db.get(tx, visit.id), "Alert")


def _done(after: Alert, message: str, before: Alert | None) -> Done:
    changes = _audited(before) if before else None
    return Done(url("/alerts"), message, f"alert:{after.id}", changes, _audited(after))


def _audited(alert: Alert) -> dict[str, Any]:
    names = ("name", "channel", "triggers", "amount", "minutes", "limit_per_hour", "muted_until")
    return {name: getattr(alert, name) for name in names}


_FORM = "alert_form.html"
_HERE = "/alerts/{id}"
_DELETED = "It sends nothing more, and what waits to be sent by it is dropped."
PAGES = (
    Page("GET", "/alerts", "read_only", "Alerts", list_alerts, "alerts.html", group="Connect"),
    Page("GET", "/alerts/new", "staff", "Set an alert", show_form, _FORM, under="/alerts"),
    Page("POST", "/alerts/new", "staff", "Set an alert", create, _FORM, under="/alerts", again=show_form),
    Page("GET", f"{_HERE}/edit", "staff", "Change an alert", show_form, _FORM, under="/alerts"),
    Page("POST", f"{_HERE}/edit", "staff", "Change an alert", change, _FORM, under="/alerts", again=show_form),
    Page("POST", f"{_HERE}/mute", "staff", "Mute an alert", mute, under="/alerts"),
    Page("POST", f"{_HERE}/unmute", "staff", "Unmute an alert", unmute, under="/alerts"),
    Page("POST", f"{_HERE}/test", "staff", "Test an alert", test, under="/alerts"),
    Page("POST", f"{_HERE}/delete", "staff", "Delete alert", delete, under="/alerts", confirm=_DELETED),
)
