"""What was handed over, for the store's own pages: the goods of an order with their values, and of a customer."""

from __future__ import annotations

from typing import Annotated

from lootkeep.api.http.fields import QueryBoolean, field
from lootkeep.api.http.pages import PageQuery
from lootkeep.api.http.routes import Call, ExtensionRoute, Reply, many, paged
from lootkeep.services import goods as goods_service
from lootkeep.views import goods as goods_views


class OwnedQuery(PageQuery):
    """Which goods of the customer."""

    active: Annotated[QueryBoolean | None, field("Whether they are delivered, and neither expired nor taken back.")] = (
        None
    )


async def hand_order_goods(call: Call[None, None]) -> Reply:
    goods = await goods_service.hand_to_store(call.deps, call.id)
    return Reply([goods_views.handed(good, value) for good, value in goods])


async def list_customer_goods(call: Call[None, OwnedQuery]) -> Reply:
    page = call.query.asked
    goods, total = await goods_service.of_customer(call.deps, call.id, call.query.active, page)
    return Reply([goods_views.owned(good) for good in goods], page=page, total=total)


ORDER_ROUTES = (
    ExtensionRoute(
        "GET",
        "/orders/{id}/goods",
        hand_order_goods,
        "store:read",
        "Read what an order handed over",
        many(goods_views.HandedGoodView),
        description="One row for each key, gift card, command and other line; empty before the payment. `value` is "
        "the key, or the URL of the file; it is null unless the good is delivered, while a dispute is open, and once "
        "the order was fraud. The first read is recorded as handed to the store.",
    ),
)
CUSTOMER_ROUTES = (
    ExtensionRoute(
        "GET",
        "/customers/{id}/goods",
        list_customer_goods,
        "store:read",
        "List what a customer owns",
        paged(goods_views.OwnedGoodView),
        description="The goods of all orders, newest first, without their values.",
    ),
)
