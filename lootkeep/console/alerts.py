"""Alerts: where staff are notified and of what, with a test and a mute."""

from __future__ import annotations

from lootkeep.console import forms
from lootkeep.console.formats import options
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Page, Visit, change
from lootkeep.console.records import DELETED, Record
from lootkeep.deps import Deps
from lootkeep.domain.alerts import TRIGGERS, Alert, AlertChannel
from lootkeep.kernel.clock import HOUR, Instant
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
ALERT = Record[Alert](
    "Alert",
    "/alerts",
    alerts_db.ROWS,
    ("name", "channel", "triggers", "amount", "minutes", "limit_per_hour", "muted_until"),
)
_LATE = "Minutes that a receiver fails or work is late"
_WHERE = "The e-mail address, or the URL of the channel’s webhook."
FORM = (
    Field("name", "Name", forms.text(), is_required=True),
    Field("channel", "Channel", forms.choice(_CHANNELS), default="discord"),
    Field("target", "Address", forms.text(_MAX_TARGET), _WHERE, is_required=True),
    Field("triggers", "When", forms.several(TRIGGERS, "Choose at least one.", "sentences")),
    Field("amount", "Orders from this amount on", forms.amount(0, _MAX_AMOUNT), "All when empty."),
    Field("minutes", _LATE, forms.whole(1, _MAX_MINUTES), is_required=True, default="15"),
    Field("limit_per_hour", "Messages an hour, at most", forms.whole(1, _MAX_PER_HOUR), is_required=True, default="10"),
)
_TEXT = "Messages beyond the limit, or while the alert is muted, are combined into one summary."


async def list_alerts(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        waiting = {alert: len(await alerts_db.waiting(tx, alert.id)) for alert in await alerts_db.ROWS.find(tx)}
    rows = [
        (alert, alerts_views.hint(alert, alerts_service.target(visit.deps, alert)), count)
        for alert, count in waiting.items()
    ]
    return {"rows": rows, "triggers": TRIGGERS, "channels": _CHANNELS, "live": 2 if any(waiting.values()) else 10}


async def create(visit: Visit) -> Answer:
    alert = await alerts_service.create(visit.deps, forms.read(visit, FORM) | {"muted_until": None})
    return ALERT.done(f"{alert.name} is set. Send a test to see whether it arrives.", None, alert)


async def mute(deps: Deps, alert_id: int) -> Alert:
    until = Instant(deps.clock.now() + _MUTED_FOR)
    return await alerts_service.change(deps, alert_id, {"muted_until": until})


async def unmute(deps: Deps, alert_id: int) -> Alert:
    return await alerts_service.change(deps, alert_id, {"muted_until": None})


async def test(visit: Visit) -> Answer:
    alert = await alerts_service.test(visit.deps, visit.id)
    return ALERT.noted(visit, "The test is being sent; below you see whether it was.", tone="info", test=alert.name)


_MUTED = "{0.name} is muted for 8 hours; then you get one summary."
_DELETED = "It sends no more messages, and messages that are waiting are dropped."

PAGES = (
    Page("GET", "/alerts", "alerts:read", "Alerts", list_alerts, "alerts.html", group="Connect"),
    *forms.rows("/alerts/new", "alerts:write", "Set an alert", forms.new(FORM, text=_TEXT), create),
    *ALERT.edit(
        "/alerts/{id}/edit",
        "alerts:write",
        "Change an alert",
        FORM,
        alerts_service.change,
        text=_TEXT,
        kept=("target",),
    ),
    ALERT.change("/alerts/{id}/mute", "alerts:write", "Mute an alert", mute, _MUTED),
    ALERT.change("/alerts/{id}/unmute", "alerts:write", "Unmute an alert", unmute, "{0.name} is heard again."),
    change("/alerts/{id}/test", "alerts:write", "Test an alert", test),
    ALERT.change("/alerts/{id}/delete", "alerts:write", "Delete alert", alerts_service.delete, DELETED, _DELETED),
)
