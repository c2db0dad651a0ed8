"""Coupons: the list, one coupon with its orders, revenue and abuse, making them, generating many, and changing them."""

from __future__ import annotations

from collections.abc import Awaitable
from itertools import groupby
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from lootkeep.console import forms, lists
from lootkeep.console.charts import Tile, seen
from lootkeep.console.columns import AGO, CODE, COUNT, LABEL, LAST_DAY, Cell, Column
from lootkeep.console.formats import badge, label, options, rate
from lootkeep.console.forms import Field
from lootkeep.console.orders import ORDERS, newest_orders
from lootkeep.console.page import Answer, Done, Page, Visit, url
from lootkeep.console.records import Record
from lootkeep.domain import coupons as coupons_rules
from lootkeep.domain.coupons import Coupon, CouponTerms
from lootkeep.domain.orders import CouponOrigin
from lootkeep.domain.referrals import DiscountType
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields, existing
from lootkeep.services import coupons as coupons_service
from lootkeep.storage import audit as audit_db, coupons as coupons_db
from lootkeep.storage.products import rows as products_db
from lootkeep.views.money import in_words

T = TypeVar("T")

_SHOWN_ORDERS = 10
_MAX_USES = 1_000_000_000
_TONES = {"active": "ok", "scheduled": "info", "used_up": "quiet", "expired": "quiet", "inactive": "warn"}


def _discount(coupon: Coupon) -> str:
    if coupon.discount_type == "percentage":
        return rate(coupon.value)
    return in_words(coupon.value, coupon.currency)


def _state(coupon: Coupon, _row: Coupon, visit: Visit) -> str:
    state = coupons_rules.state(coupon, visit.now)
    return badge(state, None, _TONES[state])


def _uses(coupon: Coupon) -> str:
    limit = "" if coupon.max_uses is None else f" of {coupon.max_uses:,}"
    return f"{coupon.uses_count:,}{limit}"


COUPONS = lists.ListPage(
    listing=coupons_db.LISTING,
    columns=(
        Column("Code", "code", CODE),
        Column("State", "itself", Cell(_state, lambda coupon: label(coupon.stored_state))),
        Column("Discount", "itself", Cell(lambda coupon, *_: _discount(coupon), _discount, "number")),
        Column("Used", "itself", Cell(lambda coupon, *_: _uses(coupon), lambda coupon: coupon.uses_count, "number")),
        Column("Reserved", "reserved_count", COUNT),
        Column("Made by", "origin", LABEL),
        Column("Ends", "ends_at", LAST_DAY),
        Column("Created", "created_at", AGO, "created_at"),
    ),
    exported=(
        Column("Id", "id"),
        Column("Batch", "batch"),
        Column("Limit", "max_uses"),
        Column("Per customer", "max_uses_per_customer"),
        Column("Customer id", "customer_id"),
        Column("Note", "note"),
    ),
    link=lambda coupon: f"/coupons/{coupon.id}",
    links=(
        lists.Link("/coupons/generate", "Generate many", css=""),
        lists.Link("/coupons/new", "New coupon", key="n"),
    ),
    empty="Coupons of your sales and those that referrals give are here. Make the first one to run a sale.",
    choices=(
        lists.Choice("state", "State", options(coupons_rules.CouponState), is_open=True),
        lists.Choice("origin", "Made by", options(CouponOrigin)),
    ),
    # Those of referrals are many, and nobody runs a sale with them.
    first={"origin": "owner"},
    linked={"batch": ("Batch", str)},
    search="Code or note",
    bulk="coupons",
    bulk_path="/coupons/bulk",
)
_LIMITS = ("max_uses", "max_uses_per_customer", "starts_at", "ends_at", "is_active", "note")
_TERMS = ("code", "discount_type", "currency", "product_ids", "categories", "first_order_only")
COUPON = Record[Coupon](
    "Coupon", "/coupons/{id}", coupons_db.ROWS, (*_TERMS, *_LIMITS), ("discount_value", "min_total")
)
_USES = forms.whole(1, _MAX_USES)
_TAKES = (
    Field("discount_type", "Type", forms.choice(options(DiscountType)), default="percentage"),
    Field(
        "discount_value",
        "Percent or amount",
        forms.amount(1),
        "An amount is in the currency of the store.",
        is_required=True,
        placeholder="20",
    ),
)
_FOR = (
    Field(
        "product_ids",
        "Products",
        forms.tags(coupons_rules.MAX_PRODUCTS, 15, forms.ID),
        "Their numbers, separated by commas. Only lines with them are discounted; leave empty for all.",
    ),
    Field(
        "categories",
        "Categories",
        forms.tags(coupons_rules.MAX_CATEGORIES, forms.MAX_NAME_LENGTH),
        "Separated by commas. Products of these categories are discounted, too.",
    ),
    Field("min_total", "Lowest total", forms.amount(1), "Of the whole order. Leave empty for none."),
    Field("first_order_only", "Only for the first order of a customer", forms.switch()),
)
_WHEN = (
    Field("starts_at", "First day", forms.day(), "Leave empty to begin at once."),
    Field("ends_at", "Last day", forms.day(is_included=True), "Leave empty for no end."),
    Field("is_active", "Switched on", forms.switch(), default="yes"),
    Field("note", "Note for staff", forms.text(coupons_rules.MAX_NOTE_LENGTH, "textarea")),
)
_HOW_OFTEN = (
    Field("max_uses", "Uses in all", _USES, "Leave empty for no limit."),
    Field("max_uses_per_customer", "Uses per customer", _USES, "Leave empty for no limit.", default="1"),
)
_CODE = Field("code", "Code", forms.text(), "4 to 40 letters, digits, - and _. Leave empty to get one.")
FORM = {"Discount": (_CODE, *_TAKES), "What it is for": _FOR, "Limits and dates": (*_HOW_OFTEN, *_WHEN)}
GENERATE = FORM | {
    "Discount": (
        Field("count", "How many", forms.whole(1, coupons_rules.MAX_GENERATED), is_required=True, placeholder="500"),
        Field("prefix", "Prefix", forms.text(coupons_rules.MAX_PREFIX_LENGTH), "What each code begins with."),
        *_TAKES,
    ),
}


def _form_of(coupon: Coupon) -> forms.Fields:
    """What can still change."""
    if coupon.origin != "owner":
        return _WHEN
    return (*_HOW_OFTEN, *_WHEN) if coupon.taken_count else FORM


async def list_coupons(visit: Visit) -> Answer:
    await coupons_service.settle(visit.deps)
    return await lists.show(visit, COUPONS)


async def show_coupon(visit: Visit) -> Answer:
    async with visit.deps.db.read(slow=True) as tx:
        coupon = existing(await coupons_db.ROWS.get(tx, visit.id), "Coupon")
        orders, orders_total = await newest_orders(visit, tx, _SHOWN_ORDERS, coupon_code=coupon.code)
        sums = await coupons_db.sums(tx, coupon)
        traces = await coupons_db.shared_traces(tx, coupon) if visit.user.may("fraud:read") else None
        product_ids = msgspec.json.decode(coupon.product_ids, type=list[int])
        products = await products_db.ROWS.get_many(tx, product_ids)
        changes = await audit_db.changes_since(tx, COUPON.key(coupon.id), Instant(0))
    return {
        "coupon": coupon,
        "title": coupon.code,
        "state": _state(coupon, coupon, visit),
        "discount": _discount(coupon),
        "tiles": seen(_tiles(coupon, sums, visit), visit.user.permissions),
        "products": list(products.values()),
        "categories": msgspec.json.decode(coupon.categories, type=list[str]),
        "table": ORDERS.only("Order", "Customer", "Status", "Total", "Placed", empty="No order has it yet."),
        "orders": orders,
        "orders_total": orders_total,
        "rings": None
        if traces is None
        else [(kind, list(rows)) for (kind, _), rows in groupby(traces, lambda row: (row.kind, row.value))],
        "changes": changes,
    }


def _tiles(coupon: Coupon, sums: list[tuple[str, int, int, int]], visit: Visit) -> list[Tile]:
    own = {row[0]: row for row in sums}.get(visit.deps.currency, (visit.deps.currency, 0, 0, 0))
    others = ", ".join(visit.formats.money(total, currency) for currency, _, total, _ in sums if currency != own[0])
    revenue_text = f"and {others}" if others else "of paid orders, less refunds"
    return [
        Tile("Used", f"{coupon.uses_count:,}", _uses(coupon).partition(" ")[2] or "no limit"),
        Tile("Reserved", f"{coupon.reserved_count:,}", "orders that wait for their payment"),
        Tile("Revenue", visit.formats.money(own[2]), revenue_text, is_revenue=True),
        Tile("Discounts", visit.formats.money(own[3]), "what it took off", is_revenue=True),
    ]


async def create(visit: Visit) -> Answer:
    values = forms.read(visit, FORM)
    code = values.pop("code")
    coupon = await _saved(coupons_service.create(visit.deps, _terms(values), code))
    return COUPON.done(f"The coupon {coupon.code} is created.", None, coupon)


async def generate(visit: Visit) -> Answer:
    values = forms.read(visit, GENERATE)
    count, prefix = values.pop("count"), values.pop("prefix") or ""
    _, batch = await _saved(coupons_service.generate(visit.deps, _terms(values), count, prefix))
    message = f"{count:,} coupons are generated. Export them as CSV to hand them out."
    after = {"count": count, "prefix": prefix, "batch": batch, "discount": money.text(values["discount_value"])}
    return Done(f"{url('/coupons')}?batch={batch}", message, f"coupon_batch:{batch}", after=after)


def _terms(values: dict[str, Any]) -> CouponTerms:
    return replace(coupons_rules.SINGLE_USE, **_stored(values))


def _stored(values: dict[str, Any]) -> dict[str, Any]:
    return {{"discount_value": "value"}.get(name, name): value for name, value in values.items()}


async def _saved(operation: Awaitable[T]) -> T:
    """What is wrong with one of several values is said at their field."""
    try:
        return await operation
    except InvalidFields as error:
        fields = (error.fields or {}).items()
        raise InvalidFields({name.partition(".")[0]: _sentences(name, each) for name, each in fields}) from None


def _sentences(name: str, sentences: Any) -> Any:
    return sentences if "." not in name else ["One of these numbers is not a product of this store."]


async def show_edit(visit: Visit) -> Answer:
    coupon = await COUPON.get(visit)
    text = ""
    if coupon.origin != "owner":
        text = f"Made by: {label(coupon.origin).lower()}. What was promised stays; its dates can change."
    elif coupon.taken_count:
        text = "Orders have it, so what it takes off stays. Limits and dates can change."
    back = f"/coupons/{coupon.id}"
    return forms.show(visit, _form_of(coupon), coupon, title=f"Edit {coupon.code}", back=back, text=text)


async def edit(visit: Visit) -> Answer:
    before = await COUPON.lock(visit)
    values = _stored(forms.read(visit, _form_of(before)))
    values |= {"code": before.code} if values.get("code", "") is None else {}
    # Days are shown, and it may begin or end at any time of one: what is as it was shown does not change.
    days = forms.written(visit, _WHEN[:2], before)
    values = {name: value for name, value in values.items() if days.get(name) != visit.form.get(name, "").strip()}
    after = await _saved(coupons_service.change(visit.deps, visit.id, values))
    return COUPON.saved(visit, _form_of(before), "The coupon is saved.", before, after)


_GONE = "The code is free again. Orders that were cancelled keep its name."

PAGES = (
    Page("GET", "/coupons", "coupons:read", "Coupons", list_coupons, "list.html", group="Sell"),
    *forms.rows("/coupons/new", "coupons:write", "New coupon", forms.new(FORM), create, "Create a coupon"),
    *forms.rows(
        "/coupons/generate",
        "coupons:write",
        "Generate coupons",
        forms.new(GENERATE, back="/coupons", submit="Generate", text="Each can be used on its own, with these terms."),
        generate,
    ),
    Page("GET", "/coupons/{id}", "coupons:read", "Coupon", show_coupon, "coupon.html"),
    *forms.rows("/coupons/{id}/edit", "coupons:write", "Edit a coupon", show_edit, edit),
    COUPON.change(
        "/coupons/{id}/delete",
        "coupons:write",
        "Delete a coupon",
        coupons_service.delete,
        "{0.code} is deleted.",
        _GONE,
    ),
)
