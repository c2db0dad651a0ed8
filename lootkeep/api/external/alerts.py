"""Alerts over HTTP: which events notify staff, and where."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lootkeep.api.http.fields import Money, Name, Time, field
from lootkeep.api.http.routes import Call, ExtensionRoute, Group, Reply, many, only_message, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain.alerts import TRIGGERS, Alert, AlertChannel, AlertTrigger
from lootkeep.kernel.errors import existing
from lootkeep.services import alerts as alerts_service
from lootkeep.storage import alerts as alerts_db
from lootkeep.views import alerts as alerts_views

MAX_MINUTES = 7 * 24 * 60
MAX_PER_HOUR = 60


class AlertBody(Body):
    """The fields of an alert."""

    name: Annotated[Name, field("The name, for the staff.", "Staff channel")]
    channel: Annotated[AlertChannel, field("Where messages go.", "email")]
    target: Annotated[
        str,
        field(
            "An e-mail address, or the URL of the channel's webhook; stored encrypted.",
            "staff@shop.example",
            min_length=1,
            max_length=2048,
        ),
    ]
    triggers: Annotated[
        list[AlertTrigger],
        field("What the alert reports.", ["order_held", "ticket_created"], min_length=1, max_length=len(TRIGGERS)),
    ]
    amount: Annotated[Money | None, field("Only orders with at least this total; null means all.", "100.00")] = None
    minutes: Annotated[
        Annotated[int, Field(ge=1, le=MAX_MINUTES)],
        field("How long a receiver must fail, or work must be late, before it is reported."),
    ] = 15
    limit_per_hour: Annotated[
        Annotated[int, Field(ge=1, le=MAX_PER_HOUR)],
        field("Messages per hour; the rest is summarised at the end of the hour."),
    ] = 10
    muted_until: Annotated[Time | None, field("Nothing is sent before this time; then one summary.")] = None


AlertChanges = partial(AlertBody, "AlertChanges")


async def list_alerts(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        alerts = await alerts_db.ROWS.find(tx)
    return Reply([_view(call, alert) for alert in alerts])


async def create_alert(call: Call[AlertBody, None]) -> Reply:
    fields = {name: getattr(call.body, name) for name in AlertBody.model_fields}
    return Reply(_view(call, await alerts_service.create(call.deps, fields)))


async def get_alert(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        return Reply(_view(call, existing(await alerts_db.ROWS.get(tx, call.id), "Alert")))


async def update_alert(call: Call[Body, None]) -> Reply:
    return Reply(_view(call, await alerts_service.change(call.deps, call.id, call.body.sent())))


async def delete_alert(call: Call[None, None]) -> Reply:
    await alerts_service.delete(call.deps, call.id)
    return Reply()


async def test_alert(call: Call[None, None]) -> Reply:
    return Reply(_view(call, await alerts_service.test(call.deps, call.id)))


def _view(call: Call[None, None] | Call[AlertBody, None] | Call[Body, None], alert: Alert) -> alerts_views.AlertView:
    return alerts_views.alert(alert, alerts_service.target(call.deps, alert))


GROUP = Group(
    name="Alerts",
    description="Notifications for the staff on Discord, Slack, by e-mail or to a webhook. An extension of the "
    "specification.",
    routes=(
        ExtensionRoute(
            "GET",
            "/alerts",
            list_alerts,
            "alerts:read",
            "List alerts",
            many(alerts_views.AlertView),
            description="All alerts, oldest first. Only the host of a URL is shown.",
        ),
        ExtensionRoute(
            "POST",
            "/alerts",
            create_alert,
            "alerts:write",
            "Create an alert",
            single(alerts_views.AlertView, "Alert created successfully", status=201),
            description="A store can have 50 alerts.",
        ),
        ExtensionRoute(
            "GET",
            "/alerts/{id}",
            get_alert,
            "alerts:read",
            "Read an alert",
            single(alerts_views.AlertView),
            description="Includes the error if the last attempt failed.",
        ),
        ExtensionRoute(
            "PUT",
            "/alerts/{id}",
            update_alert,
            "alerts:write",
            "Update an alert",
            single(alerts_views.AlertView, "Alert updated successfully"),
            body=AlertChanges,
            description="Changes only the fields that are sent. `muted_until` mutes the alert; null unmutes it.",
        ),
        ExtensionRoute(
            "DELETE",
            "/alerts/{id}",
            delete_alert,
            "alerts:write",
            "Delete an alert",
            only_message("Alert deleted successfully"),
            description="Deletes the alert with its pending messages.",
        ),
        ExtensionRoute(
            "POST",
            "/alerts/{id}/test",
            test_alert,
            "alerts:write",
            "Send a test alert",
            single(alerts_views.AlertView, "Test alert queued"),
            description="Queues a test message. Returns 409 while the alert is muted, and `no_mail_server` if it is an "
            "e-mail and there is none.",
            may_conflict=True,
        ),
    ),
)
