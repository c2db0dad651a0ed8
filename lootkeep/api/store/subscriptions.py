"""Subscriptions over the Store API: beginning, renewing, cancelling."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lootkeep.api.http.routes import Call, Group, Reply, Route, single
from lootkeep.api.http.validation import Body
from lootkeep.api.store.orders import NoteText
from lootkeep.services import subscriptions as subscriptions_service
from lootkeep.views import subscriptions as subscriptions_views


class SubscriptionBody(Body):
    """Who subscribes to what."""

    customer_id: Annotated[int, Field(ge=1, description="Who subscribes.", examples=[31])]
    product_id: Annotated[int, Field(ge=1, description="A product with recurring billing.", examples=[9])]


class SubscriptionCancelBody(Body):
    """When the subscription ends, and why."""

    at_period_end: Annotated[bool, Field(description="At the end of what is paid, or else now.")] = True
    reason: Annotated[NoteText | None, Field(description="Why it is cancelled.", examples=["plays no more"])] = None


async def create_subscription(call: Call[SubscriptionBody, None]) -> Reply:
    created = await subscriptions_service.create(call.deps, call.body.customer_id, call.body.product_id)
    return Reply(subscriptions_views.paid_period(*created))


async def renew_subscription(call: Call[None, None]) -> Reply:
    return Reply(subscriptions_views.paid_period(*await subscriptions_service.renew(call.deps, call.id)))


async def cancel_subscription(call: Call[SubscriptionCancelBody, None]) -> Reply:
    body = call.body
    cancelled = await subscriptions_service.cancel(
        call.deps, call.id, at_period_end=body.at_period_end, reason=body.reason
    )
    return Reply(subscriptions_views.subscription(*cancelled))


GROUP = Group(
    name="Store: subscriptions",
    description="Products that are paid again every period, as the store's checkout reports them.",
    prefix="/api/store/v1",
    routes=(
        Route(
            "POST",
            "/subscriptions",
            create_subscription,
            "store:write",
            "Create a subscription",
            single(subscriptions_views.PaidPeriodView, "Subscription created successfully", status=201),
            body=SubscriptionBody,
            description="Makes a paid order for the first period. Sends `subscription.created`.",
        ),
        Route(
            "POST",
            "/subscriptions/{id}/renew",
            renew_subscription,
            "store:write",
            "Renew a subscription",
            single(subscriptions_views.PaidPeriodView, "Subscription renewed successfully"),
            description="Makes a paid order for the next period, at the subscription's own price. Before it is due it "
            "is a 409 `subscription_not_due`, so that no call repeated or in parallel pays a period twice. "
            "Sends `subscription.renewed`.",
        ),
        Route(
            "POST",
            "/subscriptions/{id}/cancel",
            cancel_subscription,
            "store:write",
            "Cancel a subscription",
            single(subscriptions_views.SubscriptionView, "Subscription cancelled successfully"),
            body=SubscriptionCancelBody,
            description="At the end of what is paid, unless `at_period_end` is false. Cancelling again changes "
            "nothing. Sends `subscription.cancelled` once, when cancelling is asked.",
        ),
    ),
)
