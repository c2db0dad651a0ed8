"""Coupons over the Store API: what a cart would cost with one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lootkeep.api.http.fields import field
from lootkeep.api.http.routes import Call, ExtensionRoute, Group, Reply, single
from lootkeep.api.http.validation import Body
from lootkeep.api.store.customers import NameText
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.orders import MAX_LINES, MAX_QUANTITY
from lootkeep.services import coupons as coupons_service
from lootkeep.views import coupons as coupons_views


class PreviewLineBody(Body):
    """One line of the cart."""

    product_id: Annotated[int, field("The product.", 9, ge=1)]
    quantity: Annotated[int, field("How many.", 1, ge=1, le=MAX_QUANTITY)]


class PreviewBody(Body):
    """A cart and a code."""

    code: Annotated[NameText, field("What the buyer typed.", "SUMMER-26")]
    customer_id: Annotated[
        Annotated[int, Field(ge=1)] | None,
        field("The buyer; without one, what depends on the buyer is not checked.", 31),
    ] = None
    items: Annotated[list[PreviewLineBody], field("The lines of the cart.", min_length=1, max_length=MAX_LINES)]


async def preview_coupon(call: Call[PreviewBody, None]) -> Reply:
    body = call.body
    lines = tuple(CartLine(line.product_id, line.quantity) for line in body.items)
    cart = Cart(body.customer_id or 0, lines, None, coupon_code=body.code)
    result = await coupons_service.preview(call.deps, cart)
    return Reply(coupons_views.preview(result.reason, result.discount_total, result.total))


GROUP = Group(
    name="Store: coupons",
    description="Coupons at the checkout. An extension of the specification.",
    prefix="/api/store/v1",
    routes=(
        ExtensionRoute(
            "POST",
            "/coupons/preview",
            preview_coupon,
            "store:read",
            "Price a cart with a coupon",
            single(coupons_views.CouponPreviewView),
            description="Reserves nothing. A code that cannot be used is not an error: `valid` is false, `reason` says "
            "why, and `discount_total` is 0.00.",
        ),
    ),
)
