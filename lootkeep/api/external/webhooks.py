"""Webhooks over HTTP: the six endpoints of the specification."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo

from lootkeep.api.external import deliveries, event_feed
from lootkeep.api.external.deliveries import EventSubscription
from lootkeep.api.http.fields import field, refuse
from lootkeep.api.http.routes import Call, Group, Reply, Route, many, only_message, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain import webhook_filters as webhook_filters_rules, webhook_headers as webhook_headers_rules
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.domain.fraud.expressions import MAX_LENGTH
from lootkeep.domain.webhook_headers import MAX_HEADERS
from lootkeep.domain.webhooks import check_events, check_url
from lootkeep.kernel.errors import existing
from lootkeep.services import webhooks as webhooks_service
from lootkeep.storage.webhooks import endpoints as endpoints_db
from lootkeep.views import webhooks as webhooks_views


def _reachable(url: str, info: ValidationInfo) -> str:
    if info.context and (error := check_url(url, info.context.webhook_rules)):
        raise refuse(error)
    return url


def _event_types(types: list[str]) -> list[str]:
    if error := check_events(types):
        raise refuse(error)
    return types


def _sendable(headers: dict[str, str | None]) -> dict[str, str | None]:
    if error := webhook_headers_rules.check(headers):
        raise refuse(error)
    return headers


def _understood(expression: str) -> str:
    if error := webhook_filters_rules.check(expression):
        raise refuse(error)
    return expression


class WebhookBody(Body):
    """The fields of a webhook."""

    url: Annotated[
        str,
        field("An HTTPS URL with a public host.", "https://shop.example/hooks/lootkeep"),
        AfterValidator(_reachable),
    ]
    events: Annotated[
        list[EventSubscription],
        field(
            "The event types; `order.*` means all order events of the specification, `*` all its events. "
            "Wildcards are stored and shown as the individual types.",
            ["order.paid", "order.refunded"],
            min_length=1,
            max_length=len(EVENT_TYPES),
        ),
        AfterValidator(_event_types),
    ]

    headers: Annotated[
        dict[str, str | None],
        field(
            "Extension: headers that every request has in addition, all of them; `null` keeps the value "
            "that a header has. Values are never shown again.",
            {"X-Api-Key": "k-77"},
            default_factory=dict,
            max_length=MAX_HEADERS,
        ),
        AfterValidator(_sendable),
    ]
    filter: Annotated[
        Annotated[str, Field(min_length=1, max_length=MAX_LENGTH), AfterValidator(_understood)] | None,
        field(
            "Extension: only events that fit are sent, in the language of fraud rules, with `amount`, "
            "`currency`, `product`, `product_name` and `quantity`.",
            "amount >= 50 and product in (9, 12)",
        ),
    ] = None


class WebhookWithState(WebhookBody):
    """The fields to change."""

    is_active: Annotated[bool, field("Nothing is sent while it is false.", True)]


WebhookChanges = partial(WebhookWithState, "WebhookChanges")


async def list_webhooks(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        webhooks = await endpoints_db.ROWS.find(tx)
    return Reply([webhooks_views.webhook(deliveries.shown_to(call.token, webhook)) for webhook in webhooks])


async def create_webhook(call: Call[WebhookBody, None]) -> Reply:
    body = call.body
    options = {"headers": body.headers, "filter": body.filter}
    webhook, secret = await webhooks_service.create(call.deps, body.url, body.events, **options)
    return Reply(webhooks_views.webhook_with_secret(webhook, secret))


async def get_webhook(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        webhook = existing(await endpoints_db.ROWS.get(tx, call.id), "Webhook")
    return Reply(webhooks_views.webhook(deliveries.shown_to(call.token, webhook)))


async def update_webhook(call: Call[Body, None]) -> Reply:
    return Reply(webhooks_views.webhook(await webhooks_service.change(call.deps, call.id, call.body.sent())))


async def delete_webhook(call: Call[None, None]) -> Reply:
    await webhooks_service.delete(call.deps, call.id)
    return Reply()


async def test_webhook(call: Call[None, None]) -> Reply:
    result = await webhooks_service.test(call.deps, call.id)
    failure = None if result.is_delivered else f"Test webhook delivery failed: {result.reason}"
    return Reply(webhooks_views.test_result(result), message=failure)


GROUP = Group(
    name="Webhooks",
    description="Webhooks, the log of their deliveries, and resending.",
    routes=(
        Route(
            "GET",
            "/webhooks",
            list_webhooks,
            "webhooks:read",
            "List webhooks",
            many(webhooks_views.WebhookView),
            description="All webhooks, oldest first, without secrets. Values in the query of a URL are shown only to "
            "tokens with `webhooks:write`.",
        ),
        Route(
            "POST",
            "/webhooks",
            create_webhook,
            "webhooks:write",
            "Create a webhook",
            single(webhooks_views.WebhookWithSecretView, "Webhook created successfully", status=201),
            description="The `secret` signs every delivery and is shown only here. A store can have 100 webhooks.",
        ),
        Route(
            "GET",
            "/webhooks/{id}",
            get_webhook,
            "webhooks:read",
            "Read a webhook",
            single(webhooks_views.WebhookView),
            description="The secret is not shown, and values in the query of the URL only to tokens with "
            "`webhooks:write`.",
        ),
        Route(
            "PUT",
            "/webhooks/{id}",
            update_webhook,
            "webhooks:write",
            "Update a webhook",
            single(webhooks_views.WebhookView, "Webhook updated successfully"),
            body=WebhookChanges,
            description="Changes only the fields that are sent, at least one. Nothing is sent while `is_active` is "
            "false.",
        ),
        Route(
            "DELETE",
            "/webhooks/{id}",
            delete_webhook,
            "webhooks:write",
            "Delete a webhook",
            only_message("Webhook deleted successfully"),
            description="Nothing more is sent to it, not even pending deliveries.",
        ),
        Route(
            "POST",
            "/webhooks/{id}/test",
            test_webhook,
            "webhooks:write",
            "Send a test delivery",
            single(webhooks_views.TestResultView, "Test webhook delivered successfully"),
            description="Sent immediately, regardless of the subscription, and not retried. The event type is "
            "`webhook.test`. The message reports a failure.",
            is_foreign=True,
        ),
        *deliveries.ROUTES,
        *event_feed.ROUTES,
    ),
)
