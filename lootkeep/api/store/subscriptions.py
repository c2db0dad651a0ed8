"""Subscriptions over the Store API: creating, renewing, cancelling and listing them."""

from __future__ import annotations

from typing import Annotated

from lootkeep.api.http.fields import QueryInteger, field
from lootkeep.api.http.pages import PageQuery
from lootkeep.api.http.routes import Call, Group, Reply, Route, paged, single
from lootkeep.api.http.validation import Body
from lootkeep.api.records.players import PlayerBody, player_of
from lootkeep.api.store.customers import NameText
from lootkeep.api.store.orders import FreeText
from lootkeep.domain.subscriptions import SubscriptionStatus
from lootkeep.kernel.errors import existing
from lootkeep.services import subscriptions as subscriptions_service
from lootkeep.storage import subscriptions as subscriptions_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.views import subscriptions as subscriptions_views


class SubscriptionBody(Body):
    """A new subscription."""

    customer_id: Annotated[int, field("The customer.", 31, ge=1)]
    product_id: Annotated[int, field("A product with recurring billing.", 9, ge=1)]
    external_id: Annotated[NameText | None, field("The id in the store's own system, unique.", "sub_81")] = None
    player: Annotated[PlayerBody | None, field("Extension: who gets it in the game, if not the buyer.", None)] = None


class SubscriptionQuery(PageQuery):
    """Filters of the list."""

    customer_id: Annotated[QueryInteger | None, field("Only subscriptions of this customer.", ge=1)] = None
    status: Annotated[SubscriptionStatus | None, field("Only subscriptions in this state.")] = None
    external_id: Annotated[str | None, field("The subscription with this external id.", max_length=255)] = None


class SubscriptionCancelBody(Body):
    """When the subscription ends, and why."""

    at_period_end: Annotated[bool, field("Whether it ends with the paid period or now.")] = True
    reason: Annotated[FreeText | None, field("Why it is cancelled.", "plays no more")] = None


async def create_subscription(call: Call[SubscriptionBody, None]) -> Reply:
    body = call.body
    created = await subscriptions_service.create(
        call.deps, body.customer_id, body.product_id, body.external_id, player_of(body.player)
    )
    return Reply(subscriptions_views.paid_period(*created))


async def list_subscriptions(call: Call[None, SubscriptionQuery]) -> Reply:
    request = call.query.request()
    async with call.deps.db.read(slow=request.is_slow) as tx:
        subscriptions, total = await subscriptions_db.LISTING.page(tx, request)
        customers = await customers_db.ROWS.get_many(tx, [subscription.customer_id for subscription in subscriptions])
    listed = [subscriptions_views.subscription(record, customers[record.customer_id]) for record in subscriptions]
    return Reply(listed, page=request.page, total=total)


async def get_subscription(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        subscription = existing(await subscriptions_db.ROWS.get(tx, call.id), "Subscription")
        customers = await customers_db.ROWS.get_many(tx, [subscription.customer_id])
    return Reply(subscriptions_views.subscription(subscription, customers[subscription.customer_id]))


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
    description="Recurring purchases reported by the store's back end.",
    prefix="/api/store/v1",
    routes=(
        Route(
            "POST",
            "/subscriptions",
            create_subscription,
            "store:write",
            "Create a subscription",
            single(subscriptions_views.PaidPeriodView, "Subscription created successfully", status=201),
            description="Creates a paid order for the first period. Sends `subscription.created`.",
            may_conflict=True,
        ),
        Route(
            "GET",
            "/subscriptions",
            list_subscriptions,
            "store:read",
            "List subscriptions",
            paged(subscriptions_views.SubscriptionView),
            description="Newest first. `total` and `last_page` count at most 10,000 subscriptions from the first one "
            "of the page on.",
        ),
        Route(
            "GET",
            "/subscriptions/{id}",
            get_subscription,
            "store:read",
            "Read a subscription",
            single(subscriptions_views.SubscriptionView),
            description="Includes its current period, and its end if it is cancelled.",
        ),
        Route(
            "POST",
            "/subscriptions/{id}/renew",
            renew_subscription,
            "store:write",
            "Renew a subscription",
            single(subscriptions_views.PaidPeriodView, "Subscription renewed successfully"),
            description="Creates a paid order for the next period, at the price of the subscription. Before it is due "
            "it returns 409 `subscription_not_due`, so repeated or concurrent calls never pay a period twice. "
            "Sends `subscription.renewed`.",
        ),
        Route(
            "POST",
            "/subscriptions/{id}/cancel",
            cancel_subscription,
            "store:write",
            "Cancel a subscription",
            single(subscriptions_views.SubscriptionView, "Subscription cancelled successfully"),
            description="Ends with the paid period, unless `at_period_end` is false. Cancelling again changes nothing. "
            "Sends `subscription.cancelled` once, at cancellation.",
        ),
    ),
)
