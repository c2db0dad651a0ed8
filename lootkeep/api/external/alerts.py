"""Alerts over HTTP: where staff are notified, and of what."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from lootkeep.api.http.fields import Money, Name, Time, refuse
from lootkeep.api.http.routes import Call, Group, Reply, Route, many, only_message, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain.alerts import TRIGGERS, Alert, AlertChannel, AlertTrigger
from lootkeep.kernel.errors import existing
from lootkeep.kernel.money import Hundredths
from lootkeep.services import alerts as alerts_service
from lootkeep.storage import alerts as alerts_db
from lootkeep.views import alerts as alerts_views

MAX_MINUTES = 7 * 24 * 60
MAX_PER_HOUR = 60


def _not_negative(amount: Hundredths) -> Hundredths:
    if amount < 0:
        raise refuse("must be at least 0")
    return amount


class AlertBody(Body):
    """An alert as it is sent."""

    name: Annotated[Name, Field(description="For the store's own eyes.", examples=["Staff channel"])]
    channel: Annotated[AlertChannel, Field(description="Where messages go.", examples=["email"])]
    target: Annotated[
        str,
        Field(
            min_length=1,
            max_length=2048,
            description="An e-mail address, or the URL of the channel's webhook; stored encrypted.",
            examples=["staff@shop.example"],
        ),
    ]
    triggers: Annotated[
        list[AlertTrigger],
        Field(
            min_length=1,
            max_length=len(TRIGGERS),
            description="What it reports.",
            examples=[["order_held", "ticket_created"]],
        ),
    ]
    amount: Annotated[
        Annotated[Money, AfterValidator(_not_negative)] | None,
        Field(description="Only orders of at least this total; all when null.", examples=["100.00"]),
    ] = None
    minutes: Annotated[
        Annotated[int, Field(ge=1, le=MAX_MINUTES)],
        Field(description="How long a receiver fails, or work is late, before it is reported."),
    ] = 15
    limit_per_hour: Annotated[
        Annotated[int, Field(ge=1, le=MAX_PER_HOUR)],
        Field(description="Messages an hour; what is beyond is one summary at its end."),
    ] = 10
    muted_until: Annotated[Time | None, Field(description="Nothing is sent before; then one summary.")] = None


AlertChanges = partial(AlertBody, "AlertChanges")


async def list_alerts(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        alerts = await alerts_db.all_alerts(tx)
    return Reply([_shown(call, alert) for alert in alerts])


async def create_alert(call: Call[AlertBody, None]) -> Reply:
    fields = {name: getattr(call.body, name) for name in AlertBody.model_fields}
    return Reply(_shown(call, await alerts_service.create(call.deps, fields)))


async def get_alert(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        return Reply(_shown(call, existing(await alerts_db.get(tx, call.id), "Alert")))


async def update_alert(call: Call[Body, None]) -> Reply:
    return Reply(_shown(call, await alerts_service.change(call.deps, call.id, call.body.sent())))


async def delete_alert(call: Call[None, None]) -> Reply:
    await alerts_service.delete(call.deps, call.id)
    return Reply()


async def test_alert(call: Call[None, None]) -> Reply:
    return Reply(_shown(call, await alerts_service.test(call.deps, call.id)))


def _shown(call: Call[None, None] | Call[AlertBody, None] | Call[Body, None], alert: Alert) -> alerts_views.AlertView:
    return alerts_views.alert(alert, alerts_service.target(call.deps, alert))


GROUP = Group(
    name="Alerts",
    description="Messages to the store's own people, in Discord, Slack, by e-mail or to a webhook. "
    "Beyond the specification.",
    routes=(
        Route(
            "GET",
            "/alerts",
            list_alerts,
            "alerts:read",
            "List alerts",
            many(alerts_views.AlertView),
            description="All of them, oldest first. Of a URL only the host is shown.",
            is_extension=True,
        ),
        Route(
            "POST",
            "/alerts",
            create_alert,
            "alerts:write",
            "Create an alert",
            single(alerts_views.AlertView, "Alert created successfully", status=201),
            body=AlertBody,
            description="At most 50.",
            is_extension=True,
        ),
        Route(
            "GET",
            "/alerts/{id}",
            get_alert,
            "alerts:read",
            "Read an alert",
            single(alerts_views.AlertView),
            description="With the reason when its last attempt failed.",
            is_extension=True,
        ),
        Route(
            "PUT",
            "/alerts/{id}",
            update_alert,
            "alerts:write",
            "Update an alert",
            single(alerts_views.AlertView, "Alert updated successfully"),
            body=AlertChanges,
            description="Only the fields sent are changed. `muted_until` mutes it; null lets it be heard again.",
            is_extension=True,
        ),
        Route(
            "DELETE",
            "/alerts/{id}",
            delete_alert,
            "alerts:write",
            "Delete an alert",
            only_message("Alert deleted successfully"),
            description="With what waits to be sent by it.",
            is_extension=True,
        ),
        Route(
            "POST",
            "/alerts/{id}/test",
            test_alert,
            "alerts:write",
            "Send a test alert",
            single(alerts_views.AlertView, "Test alert queued"),
            description="Takes the same way as any message. 409 while the alert is muted.",
            may_conflict=True,
            is_extension=True,
        ),
    ),
)
