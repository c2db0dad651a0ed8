"""Deliveries over HTTP, beyond the specification: the log, sending again, replay and rotation."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from lootkeep.api.http.fields import QueryDate, Time, field, refuse
from lootkeep.api.http.openapi import events
from lootkeep.api.http.pages import PageQuery, SortDirection
from lootkeep.api.http.routes import Call, ExtensionRoute, Reply, many, paged, single
from lootkeep.api.http.validation import Body
from lootkeep.domain.access import Token
from lootkeep.domain.deliveries import DeliveryStatus
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.domain.webhooks import EVENT_PATTERNS, Webhook
from lootkeep.kernel.errors import existing
from lootkeep.services import webhooks as webhooks_service
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.webhooks import endpoints as endpoints_db, log as log_db, replays as replays_db
from lootkeep.views import webhooks as webhooks_views


def _known_event(name: str) -> str:
    if name not in EVENT_TYPES:
        raise refuse("must be one of: " + ", ".join(EVENT_TYPES))
    return name


EventSubscription = Annotated[str, WithJsonSchema({"type": "string", "enum": [*EVENT_TYPES, *EVENT_PATTERNS]})]
KnownEvent = Annotated[str, AfterValidator(_known_event), WithJsonSchema({"type": "string", "enum": [*EVENT_TYPES]})]


class DeliveryQuery(PageQuery):
    """Filters of the log."""

    status: Annotated[DeliveryStatus | None, field("Only deliveries in this state.")] = None
    event_type: Annotated[KnownEvent | None, field("Only deliveries of this type.")] = None
    from_: Annotated[QueryDate | None, field("The first UTC day.", alias="from")] = None
    sort: Annotated[Literal["created_at"], field("The sort field.")] = "created_at"
    order: SortDirection = "desc"
    to: Annotated[QueryDate | None, field("The last UTC day, inclusive.")] = None


class ReplayBody(Body):
    """What to send again."""

    since: Annotated[Time, field("The start of the events to replay.", "2026-11-14T00:00:00Z")]
    event_types: Annotated[
        Annotated[list[EventSubscription], Field(min_length=1, max_length=len(EVENT_TYPES))] | None,
        field("Only these types; by default those of the subscription.", ["order.paid"]),
    ] = None


async def list_deliveries(call: Call[None, DeliveryQuery]) -> Reply:
    request = call.query.request(webhook_id=call.id)
    async with call.deps.db.read(slow=request.is_slow) as tx:
        existing(await endpoints_db.ROWS.get(tx, call.id), "Webhook")
        deliveries, total = await log_db.LISTING.page(tx, request)
    return Reply([webhooks_views.delivery(delivery) for delivery in deliveries], page=request.page, total=total)


async def get_delivery(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        delivery = existing(await log_db.ROWS.find_one(tx, public_id=call.path["delivery_id"]), "Delivery")
        attempts = await log_db.attempts_of(tx, delivery.id)
        event = existing(await outbox_db.get(tx, delivery.event_id), "Delivery")
        webhook = await endpoints_db.ROWS.get(tx, delivery.webhook_id)
    url = shown_to(call.token, webhook).url if webhook else None
    return Reply(webhooks_views.delivery_detail(delivery, event, url, attempts, is_test=call.deps.is_test))


def shown_to(token: Token, webhook: Webhook) -> Webhook:
    return webhook if token.may("webhooks:write") else webhook.without_secrets


async def redeliver(call: Call[None, None]) -> Reply:
    return Reply(webhooks_views.delivery(await webhooks_service.redeliver(call.deps, call.path["delivery_id"])))


async def replay_events(call: Call[ReplayBody, None]) -> Reply:
    return Reply(
        webhooks_views.replay(await webhooks_service.replay(call.deps, call.id, call.body.since, call.body.event_types))
    )


async def get_replay(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        replay = existing(await replays_db.latest(tx, call.id), "Replay")
    return Reply(webhooks_views.replay(replay))


async def rotate_webhook_secret(call: Call[None, None]) -> Reply:
    webhook, secret = await webhooks_service.rotate_secret(call.deps, call.id)
    return Reply(webhooks_views.webhook_with_secret(webhook, secret))


async def list_event_types(_: Call[None, None]) -> Reply:
    return Reply(
        [webhooks_views.EventTypeView(name, EVENT_TYPES[name], body) for name, body in events.examples().items()]
    )


ROUTES = (
    ExtensionRoute(
        "GET",
        "/webhooks/event-types",
        list_event_types,
        "webhooks:read",
        "List event types",
        many(webhooks_views.EventTypeView),
        description="The types a webhook can subscribe to: when each is sent, with an example.",
    ),
    ExtensionRoute(
        "GET",
        "/webhooks/{id}/deliveries",
        list_deliveries,
        "webhooks:read",
        "List a webhook's deliveries",
        paged(webhooks_views.DeliveryView),
        description="Newest first by default. `total` and `last_page` count at most 10,000 deliveries from the first"
        " one of the page on.",
    ),
    ExtensionRoute(
        "GET",
        "/webhooks/deliveries/{delivery_id}",
        get_delivery,
        "webhooks:read",
        "Read a delivery with its attempts",
        single(webhooks_views.DeliveryDetailView),
        description="The headers and body that were sent, and the result of each attempt. Signatures are not shown.",
    ),
    ExtensionRoute(
        "POST",
        "/webhooks/deliveries/{delivery_id}/redeliver",
        redeliver,
        "webhooks:write",
        "Send a delivery again",
        single(webhooks_views.DeliveryView, "Delivery scheduled again"),
        description="Uses the same id and the same bytes, with new retries.",
    ),
    ExtensionRoute(
        "POST",
        "/webhooks/{id}/replay",
        replay_events,
        "webhooks:write",
        "Send recorded events again",
        single(webhooks_views.ReplayView, "Replay started"),
        description="Events are sent in order and at a limited pace. Existing deliveries keep their ids and bytes.",
        # Counts the events.
        is_foreign=True,
    ),
    ExtensionRoute(
        "GET",
        "/webhooks/{id}/replay",
        get_replay,
        "webhooks:read",
        "Read a replay's progress",
        single(webhooks_views.ReplayView),
        description="The latest replay of the webhook.",
    ),
    ExtensionRoute(
        "POST",
        "/webhooks/{id}/rotate-secret",
        rotate_webhook_secret,
        "webhooks:write",
        "Rotate a webhook's secret",
        single(webhooks_views.WebhookWithSecretView, "Webhook secret rotated"),
        description="The old secret stays valid for 24 hours: until then `webhook-signature` has both signatures.",
    ),
)
