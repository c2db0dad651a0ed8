"""Orders over HTTP, as the back office and the game servers see them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from lootkeep.api.external import evidence
from lootkeep.api.http.fields import Country, EmailAddress, Money, QueryInteger, field, not_blank
from lootkeep.api.http.pages import ListQuery, in_order
from lootkeep.api.http.routes import Call, ExtensionRoute, Group, Reply, Route, many, paged, single
from lootkeep.api.http.validation import Body
from lootkeep.api.records import orders as order_records
from lootkeep.domain.customers import plain_code
from lootkeep.domain.fraud.score import RiskLevel
from lootkeep.domain.fulfilment import DeliveredQuantity
from lootkeep.domain.orders import MAX_LINES, MAX_QUANTITY, OrderStatus
from lootkeep.services import goods as goods_service, orders as orders_service
from lootkeep.views import goods as goods_views, orders as orders_views

_Text = Annotated[str, Field(min_length=1, max_length=255)]


class OrderQuery(ListQuery):
    """Filters and order of the list."""

    status: Annotated[OrderStatus | None, field("Only orders in this state.")] = None
    customer_id: Annotated[QueryInteger | None, field("Only orders of this customer.", ge=1)] = None
    email: Annotated[EmailAddress | None, field("Only orders of the customer with this e-mail address.")] = None
    external_id: Annotated[_Text | None, field("The order with this id in the store's own system.")] = None
    product_id: Annotated[QueryInteger | None, field("Only orders with this product.", ge=1)] = None
    coupon_code: Annotated[_Text | None, field("Only orders with this coupon.")] = None
    payment_method: Annotated[_Text | None, field("Only orders with this payment method.")] = None
    country: Annotated[Country | None, field("The billing country, ISO 3166-1 alpha-2.")] = None
    min_total: Annotated[Money | None, field("At least this total.")] = None
    max_total: Annotated[Money | None, field("At most this total.")] = None
    risk_level: Annotated[RiskLevel | None, field("Only orders with this risk level.")] = None
    sort: Annotated[
        Literal["id", "created_at", "paid_at", "total"], field("The sort field; unpaid orders count as earliest.")
    ] = "created_at"


class DeliveredBody(Body):
    """The quantity of a line that was delivered."""

    item_id: Annotated[int, field("The line: `id` in the order's `items`.", 41, ge=1)]
    quantity: Annotated[int, field("The quantity delivered now.", 1, ge=1, le=MAX_QUANTITY)]


class FulfillBody(Body):
    """What was delivered; by default everything that is left."""

    items: Annotated[
        Annotated[list[DeliveredBody], Field(min_length=1, max_length=MAX_LINES)] | None,
        field("Only these lines; by default everything that is left.", [{"item_id": 41, "quantity": 1}]),
    ] = None
    note: Annotated[
        Annotated[str, Field(max_length=2000)] | None, field("Stored with the order.", "given out on server eu-3")
    ] = None


class ReplaceKeyBody(Body):
    """The key that does not work."""

    key_id: Annotated[int, field("The key of that line.", 7, ge=1)]
    reason: Annotated[
        str,
        field("Why, for the supplier.", "already redeemed", min_length=1, max_length=2000),
        AfterValidator(not_blank),
    ]


async def list_orders(call: Call[None, OrderQuery]) -> Reply:
    query = call.query
    in_order("total", query.min_total, query.max_total)
    request = query.request(coupon_code=plain_code(query.coupon_code) if query.coupon_code else None)
    return await order_records.answer_page(call, request)


async def get_order(call: Call[None, None]) -> Reply:
    return await order_records.read(call)


async def fulfill_order(call: Call[FulfillBody, None]) -> Reply:
    body = call.body
    delivered = None if body.items is None else [DeliveredQuantity(part.item_id, part.quantity) for part in body.items]
    details, is_new = await orders_service.fulfill(call.deps, call.id, delivered, body.note)
    message = None
    if not is_new:
        message = "The order had been fulfilled before"
    elif details.order.completed_at is None:
        message = "Order fulfilled in part"
    return Reply(orders_views.order(details), message=message)


async def list_goods(call: Call[None, None]) -> Reply:
    return Reply([goods_views.good(good) for good in await goods_service.of_order(call.deps, call.id)])


async def replace_key(call: Call[ReplaceKeyBody, None]) -> Reply:
    body, item_id = call.body, int(call.path["item_id"])
    new_id = await orders_service.replace_key(call.deps, call.id, item_id, body.key_id, body.reason)
    return Reply(goods_views.ReplacedKeyView(body.key_id, new_id))


GROUP = Group(
    name="Orders",
    description="Orders, their status, and marking them as delivered.",
    routes=(
        Route(
            "GET",
            "/orders",
            list_orders,
            "orders:read",
            "List orders",
            paged(orders_views.OrderView),
            description="Newest first by default. `search` covers the customer's name and e-mail address, and finds a "
            "complete order number, external id or transaction id.",
        ),
        Route(
            "GET",
            "/orders/{id}",
            get_order,
            "orders:read",
            "Read an order",
            single(orders_views.OrderView),
            description="Includes lines, customer, payment, refunds and fraud check.",
        ),
        Route(
            "POST",
            "/orders/{id}/fulfill",
            fulfill_order,
            "orders:write",
            "Mark an order as fulfilled",
            single(orders_views.OrderView, "Order fulfilled successfully"),
            description="Delivers the given lines, or everything that is left. Sends `order.completed` when everything "
            "is delivered. Repeating it on a completed order returns 200 and changes nothing.",
        ),
        ExtensionRoute(
            "GET",
            "/orders/{id}/goods",
            list_goods,
            "orders:read",
            "List what an order handed over",
            many(goods_views.OrderGoodView),
            description="One row for each key, gift card, command and other line; empty before the payment.",
        ),
        ExtensionRoute(
            "POST",
            "/orders/{id}/items/{item_id}/replace-key",
            replace_key,
            "orders:write",
            "Replace a key of an order",
            single(goods_views.ReplacedKeyView, "Key replaced successfully"),
            description="Gives the line another key that no order has reserved; both are remembered. Without one: 409 "
            "`no_keys_left`.",
        ),
        *evidence.ROUTES,
    ),
)
