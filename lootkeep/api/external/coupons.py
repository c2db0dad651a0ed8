"""Coupons over HTTP: the list, making them one by one or many at once, changing, deleting, and their uses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace
from pydantic import AfterValidator, Field

from lootkeep.api.http.fields import Currency, PositiveMoney, Time, distinct, field
from lootkeep.api.http.pages import ListQuery, PageQuery, answer_page
from lootkeep.api.http.routes import Call, ExtensionRoute, Group, Reply, only_message, paged, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain.coupons import (
    MAX_CATEGORIES,
    MAX_GENERATED,
    MAX_NOTE_LENGTH,
    MAX_PRODUCTS,
    SINGLE_USE,
    CouponState,
    CouponTerms,
)
from lootkeep.domain.orders import CouponOrigin
from lootkeep.domain.products import MAX_WORD_LENGTH
from lootkeep.domain.referrals import DiscountType
from lootkeep.kernel.errors import existing
from lootkeep.services import coupons as coupons_service
from lootkeep.storage import coupons as coupons_db
from lootkeep.views import coupons as coupons_views

_NO_IDS: list[int] = []
_NO_WORDS: list[str] = []
_MAX_USES = 1_000_000_000

Uses = Annotated[int, Field(ge=1, le=_MAX_USES)]
CodeText = Annotated[str, Field(max_length=255)]
Categories = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=255)]],
    Field(max_length=MAX_CATEGORIES),
    AfterValidator(distinct),
]


class CouponTermsBody(Body):
    """The terms of a coupon."""

    discount_type: Annotated[DiscountType, field("The type of the discount.", "percentage")]
    discount_value: Annotated[PositiveMoney, field("Percent, at most 100, or an amount in `currency`.", "20.00")]
    currency: Annotated[Currency | None, field("Of a fixed discount; by default the store's.")] = None
    product_ids: Annotated[
        Annotated[list[Annotated[int, Field(ge=1)]], Field(max_length=MAX_PRODUCTS)],
        field("Only these products are discounted, and those of `categories`; by default all."),
    ] = _NO_IDS
    categories: Annotated[Categories, field("Only products of these categories are discounted.")] = _NO_WORDS
    min_total: Annotated[PositiveMoney | None, field("The lowest subtotal of an order.", "10.00")] = None
    first_order_only: Annotated[bool, field("Only for customers without a paid order.")] = False
    max_uses: Annotated[Uses | None, field("How often it can be used; null: without a limit.")] = None
    max_uses_per_customer: Annotated[Uses | None, field("The same for each customer.")] = 1
    starts_at: Annotated[Time | None, field("Valid from; null: at once.")] = None
    ends_at: Annotated[Time | None, field("Valid until; null: without an end.", "2026-11-30T23:00:00Z")] = None
    is_active: Annotated[bool, field("Whether it is switched on.")] = True
    note: Annotated[Annotated[str, Field(max_length=MAX_NOTE_LENGTH)] | None, field("For staff only.")] = None


class CouponBody(CouponTermsBody):
    """A new coupon."""

    code: Annotated[
        CodeText | None,
        field("4 to 40 of A-Z, 0-9, - and _; stored in upper case, without blanks. By default generated.", "SUMMER-26"),
    ] = None


class GenerateBody(CouponTermsBody):
    """Many coupons with the same terms."""

    count: Annotated[int, field("How many.", 500, ge=1, le=MAX_GENERATED)]
    prefix: Annotated[CodeText, field("What their codes begin with, up to 20 characters.")] = ""


class CouponQuery(ListQuery):
    """Filters of the list."""

    state: Annotated[CouponState | None, field("Only coupons in this state.")] = None
    origin: Annotated[CouponOrigin | None, field("Only coupons made by this.")] = None
    batch: Annotated[Annotated[str, Field(max_length=MAX_WORD_LENGTH)] | None, field("Only coupons of this batch.")] = (
        None
    )
    sort: Annotated[Literal["id", "created_at", "uses_count"], field("The sort field.")] = "created_at"


CouponChanges = partial(CouponBody, "CouponChanges")


def _stored(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields as the record has them."""
    stored = dict(fields)
    if "discount_value" in stored:
        stored["value"] = stored.pop("discount_value")
    for name in stored.keys() & {"product_ids", "categories"}:
        stored[name] = msgspec.json.encode(list(dict.fromkeys(stored[name]))).decode()
    return stored


def terms_of(body: CouponTermsBody) -> CouponTerms:
    return replace(SINGLE_USE, **_stored({name: getattr(body, name) for name in CouponTermsBody.model_fields}))


async def list_coupons(call: Call[None, CouponQuery]) -> Reply:
    now = call.deps.clock.now()
    if call.query.state is not None:
        await coupons_service.settle(call.deps)
    return await answer_page(call, coupons_db.LISTING, lambda coupon: coupons_views.coupon(coupon, now))


async def create_coupon(call: Call[CouponBody, None]) -> Reply:
    coupon = await coupons_service.create(call.deps, terms_of(call.body), call.body.code)
    return Reply(coupons_views.coupon(coupon, call.deps.clock.now()))


async def generate_coupons(call: Call[GenerateBody, None]) -> Reply:
    body = call.body
    coupons, batch = await coupons_service.generate(call.deps, terms_of(body), body.count, body.prefix)
    return Reply(coupons_views.GeneratedCouponsView(len(coupons), batch))


async def get_coupon(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        coupon = existing(await coupons_db.ROWS.get(tx, call.id), "Coupon")
    return Reply(coupons_views.coupon(coupon, call.deps.clock.now()))


async def update_coupon(call: Call[Body, None]) -> Reply:
    changes = _stored(call.body.sent())
    if changes.get("code", "") is None:
        del changes["code"]
    coupon = await coupons_service.change(call.deps, call.id, changes)
    return Reply(coupons_views.coupon(coupon, call.deps.clock.now()))


async def delete_coupon(call: Call[None, None]) -> Reply:
    await coupons_service.delete(call.deps, call.id)
    return Reply()


async def list_coupon_uses(call: Call[None, PageQuery]) -> Reply:
    async with call.deps.db.read() as tx:
        coupon = existing(await coupons_db.ROWS.get(tx, call.id), "Coupon")
    return await answer_page(call, coupons_db.USES, coupons_views.use, coupon_code=coupon.code)


GROUP = Group(
    name="Coupons",
    description="Coupons of the owner, of creators and of the referral program. An extension of the specification.",
    routes=(
        ExtensionRoute(
            "GET",
            "/coupons",
            list_coupons,
            "coupons:read",
            "List coupons",
            paged(coupons_views.CouponDetailsView),
            description="Newest first by default. The search looks at codes and notes.",
        ),
        ExtensionRoute(
            "POST",
            "/coupons",
            create_coupon,
            "coupons:write",
            "Create a coupon",
            single(coupons_views.CouponDetailsView, "Coupon created successfully", status=201),
            description="Only lines that match are discounted, and never gift cards.",
        ),
        ExtensionRoute(
            "POST",
            "/coupons/generate",
            generate_coupons,
            "coupons:write",
            "Generate coupons",
            single(coupons_views.GeneratedCouponsView, "Coupons created successfully", status=201),
            description="Up to 10,000 at once, each with eight random characters after the prefix.",
        ),
        ExtensionRoute(
            "GET",
            "/coupons/{id}",
            get_coupon,
            "coupons:read",
            "Read a coupon",
            single(coupons_views.CouponDetailsView),
            description="With its state and how often it was used.",
        ),
        ExtensionRoute(
            "PUT",
            "/coupons/{id}",
            update_coupon,
            "coupons:write",
            "Update a coupon",
            single(coupons_views.CouponDetailsView, "Coupon updated successfully"),
            body=CouponChanges,
            description="Changes only the fields that are sent. Once an order has it, only limits, dates, `is_active` "
            "and the note can change. Coupons of referrals and creators keep their limits, too.",
            may_conflict=True,
        ),
        ExtensionRoute(
            "DELETE",
            "/coupons/{id}",
            delete_coupon,
            "coupons:write",
            "Delete a coupon",
            only_message("Coupon deleted successfully"),
            description="409 if it was used or an order reserves it: deactivate it instead.",
            may_conflict=True,
        ),
        ExtensionRoute(
            "GET",
            "/coupons/{id}/uses",
            list_coupon_uses,
            "coupons:read",
            "List the uses of a coupon",
            paged(coupons_views.CouponUseView),
            description="The orders that reserve it or have used it, newest first.",
        ),
    ),
)
