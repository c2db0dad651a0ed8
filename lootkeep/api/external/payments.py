"""Payment sources and the events of payment providers over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal

from lootkeep.api.http.fields import Name, QueryInteger, field
from lootkeep.api.http.pages import PageQuery, SortDirection, answer_page
from lootkeep.api.http.routes import Call, ExtensionRoute, Group, Reply, many, only_message, paged, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain.payments.events import PaymentEventStatus
from lootkeep.domain.payments.sources import Provider
from lootkeep.kernel.errors import existing
from lootkeep.services import payments as payments_service
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.views import payments as payments_views

_Secret = Annotated[
    str,
    field(
        "Stripe: the signing secret of the endpoint. PayPal: the webhook id. Never shown again.",
        "whsec_3zq8Yw0Jm5Vb",
        max_length=255,
    ),
]


class _SourceFields(Body):
    name: Annotated[Name, field("The name, for staff.", "Main account")]
    secret: _Secret
    is_test: Annotated[bool, field("Whether events of the provider's test mode are applied.", False)] = False


class PaymentSourceBody(_SourceFields):
    """A new source."""

    provider: Annotated[Provider, field("The payment provider.", "stripe")]


class _ChangedFields(_SourceFields):
    """The fields to change."""

    is_active: Annotated[bool, field("Whether its events are accepted.", True)] = True


PaymentSourceChanges = partial(_ChangedFields, "PaymentSourceChanges")


class PaymentEventQuery(PageQuery):
    """Filters and order of the list."""

    status: Annotated[PaymentEventStatus | None, field("Only events in this state.")] = None
    source_id: Annotated[QueryInteger | None, field("Only events of this source.", ge=1)] = None
    order_id: Annotated[QueryInteger | None, field("Only events of this order.", ge=1)] = None
    type: Annotated[str | None, field("Only events of this type.", max_length=255)] = None
    sort: Annotated[Literal["id"], field("The sort field.")] = "id"
    order: SortDirection = "desc"


class MatchBody(Body):
    """The order that the event belongs to."""

    order_id: Annotated[int, field("The order.", 123, ge=1)]
    accept_difference: Annotated[bool, field("Also if the amount or the currency differs.", False)] = False


async def list_payment_sources(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        sources = await payment_events_db.SOURCES.find(tx)
    return Reply([payments_views.source(source, call.deps.store) for source in sources])


async def create_payment_source(call: Call[PaymentSourceBody, None]) -> Reply:
    body = call.body
    source = await payments_service.create(call.deps, body.provider, body.name, body.secret, is_test=body.is_test)
    return Reply(payments_views.source(source, call.deps.store))


async def get_payment_source(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        source = existing(await payment_events_db.SOURCES.get(tx, call.id), "Payment source")
    return Reply(payments_views.source(source, call.deps.store))


async def update_payment_source(call: Call[Body, None]) -> Reply:
    source = await payments_service.change(call.deps, call.id, call.body.sent())
    return Reply(payments_views.source(source, call.deps.store))


async def delete_payment_source(call: Call[None, None]) -> Reply:
    await payments_service.delete(call.deps, call.id)
    return Reply()


async def list_payment_events(call: Call[None, PaymentEventQuery]) -> Reply:
    return await answer_page(call, payment_events_db.LISTING, payments_views.event)


async def get_payment_event(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        return Reply(payments_views.event(existing(await payment_events_db.ROWS.get(tx, call.id), "Payment event")))


async def match_payment_event(call: Call[MatchBody, None]) -> Reply:
    body = call.body
    accepts = body.accept_difference
    event = await payments_service.match(call.deps, call.id, body.order_id, accept_difference=accepts)
    return Reply(payments_views.event(event))


GROUP = Group(
    name="Payments",
    description="What Stripe and PayPal report themselves. An extension of the specification.",
    routes=(
        ExtensionRoute(
            "GET",
            "/payment-sources",
            list_payment_sources,
            "payments:read",
            "List payment sources",
            many(payments_views.PaymentSourceView),
            description="All sources, oldest first.",
        ),
        ExtensionRoute(
            "POST",
            "/payment-sources",
            create_payment_source,
            "payments:write",
            "Create a payment source",
            single(payments_views.PaymentSourceView, "Payment source created successfully", status=201),
            description="Enter its `url` at the provider. The secret is never shown. A store can have 20 sources.",
        ),
        ExtensionRoute(
            "GET",
            "/payment-sources/{id}",
            get_payment_source,
            "payments:read",
            "Read a payment source",
            single(payments_views.PaymentSourceView),
            description="Says when its last event came.",
        ),
        ExtensionRoute(
            "PUT",
            "/payment-sources/{id}",
            update_payment_source,
            "payments:write",
            "Update a payment source",
            single(payments_views.PaymentSourceView, "Payment source updated successfully"),
            body=PaymentSourceChanges,
            description="Changes only the fields that are sent. After a new `secret` the old one is accepted for 24 "
            "hours, too. The events of an inactive source are refused.",
        ),
        ExtensionRoute(
            "DELETE",
            "/payment-sources/{id}",
            delete_payment_source,
            "payments:write",
            "Delete a payment source",
            only_message("Payment source deleted successfully"),
            description="New events are refused; those that were received stay.",
        ),
        ExtensionRoute(
            "GET",
            "/payment-events",
            list_payment_events,
            "payments:read",
            "List payment events",
            paged(payments_views.PaymentEventView),
            description="Newest first.",
        ),
        ExtensionRoute(
            "GET",
            "/payment-events/{id}",
            get_payment_event,
            "payments:read",
            "Read a payment event",
            single(payments_views.PaymentEventView),
            description="Says what it did to which order, or why not.",
        ),
        ExtensionRoute(
            "POST",
            "/payment-events/{id}/match",
            match_payment_event,
            "payments:write",
            "Apply a payment event to an order",
            single(payments_views.PaymentEventView, "Payment event applied"),
            description="For events that are `waiting` or `unmatched`, else 409. Another amount or currency is 422, "
            "unless `accept_difference` is sent: then a payment pays the order in full, and the event says what was "
            "received.",
            may_conflict=True,
        ),
    ),
)
