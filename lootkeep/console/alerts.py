"""Alerts: where staff are notified and of what, with a test and a mute."""

from __future__ import annotations

from typing import Any

from lootkeep.console import forms
from lootkeep.console.forms import Field
from lootkeep.console.labels import options
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.console.records import Record
from lootkeep.domain.alerts import TRIGGERS, AlertChannel
from lootkeep.kernel.clock import HOUR, Instant
from lootkeep.kernel.errors import invalid
from lootkeep.services import alerts as alerts_service
from lootkeep.storage import alerts as alerts_db
from lootkeep.views import alerts as alerts_views

_CHANNELS = options(AlertChannel)
_MAX_AMOUNT = 99_999_999
_MAX_MINUTES = 7 * 24 * 60
_MAX_PER_HOUR = 60
_MAX_TARGET = 2048
# For a night; for longer an alert is better deleted.
_MUTED_FOR = 8 * HOUR
ALERT = Record(
    "Alert", "/alerts", alerts_db, ("name", "channel", "triggers", "amount", "minutes", "limit_per_hour", "muted_until")
)
_LATE = "Minutes that a receiver fails or work is late"
FORM = (
    Field("name", "Name", forms.text(), is_required=True),
    Field("channel", "Channel", forms.choice(_CHANNELS), default="discord"),
    Field("target", "Address", forms.text(_MAX_TARGET), "The e-mail address, or the URL of the channel’s webhook."),
    Field("triggers", "When", forms.several(TRIGGERS, "Choose at least one.")),
    Field("amount", "Orders from this amount on", forms.amount(0, _MAX_AMOUNT), "All when empty."),
    Field("minutes", _LATE, forms.whole(1, _MAX_MINUTES), is_required=True, default="15"),
    Field("limit_per_hour", "Messages an hour, at most", forms.whole(1, _MAX_PER_HOUR), is_required=True, default="10"),
)
_TEXT = "What is beyond the limit, or happens while it is muted, comes as one summary."


async def list_alerts(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        alerts = await alerts_db.all_alerts(tx)
    rows = [(alert, alerts_views.hint(alert, alerts_service.target(visit.deps, alert))) for alert in alerts]
    return {"rows": rows, "triggers": TRIGGERS, "channels": _CHANNELS}


async def show_edit(visit: Visit) -> Answer:
    alert = await ALERT.get(visit)
    text = f"{_TEXT} Its address is not shown; empty leaves it as it is."
    shown = {"target": ""}
    return forms.show(visit, FORM, alert, title=f"Edit {alert.name}", text=text, back="/alerts", values=shown)


async def create(visit: Visit) -> Answer:
    alert = await alerts_service.create(visit.deps, _read(visit, "") | {"muted_until": None})
    return ALERT.done(f"{alert.name} is set. Send a test to see whether it arrives.", None, alert)


async def edit(visit: Visit) -> Answer:
    before = await ALERT.lock(visit)
    fields = _read(visit, alerts_service.target(visit.deps, before))
    return ALERT.done("Saved.", before, await alerts_service.change(visit.deps, visit.id, fields))


async def mute(visit: Visit) -> Answer:
    before = await ALERT.lock(visit)
    alert = await alerts_service.change(visit.deps, visit.id, {"muted_until": Instant(visit.now + _MUTED_FOR)})
    return ALERT.done(f"{alert.name} is muted for 8 hours; then you get one summary.", before, alert)


async def unmute(visit: Visit) -> Answer:
    before = await ALERT.lock(visit)
    alert = await alerts_service.change(visit.deps, visit.id, {"muted_until": None})
    return ALERT.done(f"{alert.name} is heard again.", before, alert)


async def test(visit: Visit) -> Answer:
    alert = await alerts_service.test(visit.deps, visit.id)
    return Done(url("/alerts"), "The test is on its way.", ALERT.key(alert.id), after={"test": alert.name})


async def delete(visit: Visit) -> Answer:
    before = await ALERT.lock(visit)
    await alerts_service.delete(visit.deps, visit.id)
    return ALERT.done(f"{before.name} is deleted.", before, None)


def _read(visit: Visit, stored_target: str) -> dict[str, Any]:
    """What the form holds; an address that is not entered again stays."""
    fields = forms.read(visit, FORM)
    fields["target"] = fields["target"] or stored_target
    if not fields["target"]:
        raise invalid("target", "This must not be empty.")
    return fields


_NEW = forms.new(FORM, title="Set an alert", text=_TEXT, back="/alerts")
_DELETED = "It sends nothing more, and what waits to be sent by it is dropped."

PAGES = (
    Page("GET", "/alerts", "read_only", "Alerts", list_alerts, "alerts.html", group="Connect"),
    *forms.rows("/alerts/new", "Set an alert", _NEW, create),
    *forms.rows("/alerts/{id}/edit", "Change an alert", show_edit, edit),
    change("/alerts/{id}/mute", "Mute an alert", mute),
    change("/alerts/{id}/unmute", "Unmute an alert", unmute),
    change("/alerts/{id}/test", "Test an alert", test),
    change("/alerts/{id}/delete", "Delete alert", delete, confirm=_DELETED),
)
