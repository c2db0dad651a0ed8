"""What a payment provider reports about an order over the Store API: declined payments and disputes."""

from __future__ import annotations

from typing import Annotated

from lootkeep.api.http.errors import Forbidden
from lootkeep.api.http.fields import Time, field
from lootkeep.api.http.routes import Call, ExtensionRoute, Reply, single
from lootkeep.api.http.validation import Body
from lootkeep.api.store.customers import IMPORT_SCOPE, NameText
from lootkeep.api.store.payment import PaymentBody
from lootkeep.domain.disputes import DisputeKind, DisputeReason
from lootkeep.services import orders as orders_service
from lootkeep.views import order_reports as order_reports_views

ExternalId = Annotated[
    NameText | None,
    field("The id in the store's own system; sending it again for the order returns the same record.", "pi_123"),
]


class PaymentAttemptBody(Body):
    """A declined payment."""

    reason: Annotated[NameText | None, field("The provider's reason.", "insufficient_funds")] = None
    payment: Annotated[
        PaymentBody | None,
        field("The payment method that was tried. It is not stored: a declined card may be anyone's."),
    ] = None
    external_id: ExternalId = None
    at: Annotated[Time | None, field("History: when it was declined; needs `store:import`.")] = None


class DisputeBody(Body):
    """A disputed payment, reported by the payment provider."""

    kind: Annotated[
        DisputeKind, field("`early_warning` before a dispute, `dispute`, or the outcome of a dispute.", "dispute")
    ]
    reason: Annotated[DisputeReason, field("`fraudulent` if the card holder did not make the purchase.", "fraudulent")]
    at: Annotated[Time | None, field("When it happened; by default now.", "2026-11-15T10:30:00Z")] = None
    evidence_due_at: Annotated[
        Time | None, field("Until when the provider takes evidence, if it says so.", "2026-11-26T23:59:00Z")
    ] = None
    external_id: ExternalId = None


async def report_dispute(call: Call[DisputeBody, None]) -> Reply:
    dispute, is_new = await orders_service.dispute(call.deps, call.id, orders_service.DisputeReport(**call.body.sent()))
    return Reply(order_reports_views.dispute(dispute), is_repeated=not is_new)


async def report_declined_payment(call: Call[PaymentAttemptBody, None]) -> Reply:
    body = call.body
    if body.at is not None and not call.token.may(IMPORT_SCOPE):
        raise Forbidden(IMPORT_SCOPE)
    attempt, is_new = await orders_service.decline(
        call.deps,
        call.id,
        reason=body.reason,
        external_id=body.external_id,
        at=body.at,
    )
    return Reply(order_reports_views.attempt(attempt), is_repeated=not is_new)


ROUTES = (
    ExtensionRoute(
        "POST",
        "/orders/{id}/payment-attempts",
        report_declined_payment,
        "store:write",
        "Report a declined payment",
        single(
            order_reports_views.PaymentAttemptView,
            "Declined payment recorded",
            status=201,
            repeated="The declined payment had been recorded before",
        ),
        description="Many declined payments of an account, a device or an IP address count against later orders.",
    ),
    ExtensionRoute(
        "POST",
        "/orders/{id}/dispute",
        report_dispute,
        "store:write",
        "Report a dispute",
        single(
            order_reports_views.DisputeView,
            "Dispute recorded",
            status=201,
            repeated="The dispute had been recorded before",
        ),
        description="Labels the order as fraud if the reason is `fraudulent`, until the dispute is won. Sending the "
        "same `kind` and `external_id` again returns the same record with 200.",
    ),
)
