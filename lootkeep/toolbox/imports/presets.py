"""The column names in the exports of known shops, as their help pages and APIs suggest them."""

from __future__ import annotations

import html
import re
from enum import StrEnum

from lootkeep.toolbox.imports.game_shops import GAME_SHOPS
from lootkeep.toolbox.imports.preset import CellValues, Preset


class ShopSoftware(StrEnum):
    shopify = "shopify"
    woocommerce = "woocommerce"
    tebex = "tebex"
    craftingstore = "craftingstore"
    sellauth = "sellauth"


_TAGS = re.compile(r"<[^>]+>")
_SHOPIFY_STATUS = {
    "paid": "paid",
    "partially_refunded": "partially_refunded",
    "refunded": "refunded",
    **dict.fromkeys(("voided", "expired"), "cancelled"),
}
_WOOCOMMERCE_STATUS = {
    "processing": "paid",
    "completed": "completed",
    "refunded": "refunded",
    "cancelled": "cancelled",
    "failed": "cancelled",
}


def _shopify_order(values: CellValues) -> CellValues:
    """The financial status gives the outcome; fulfilled orders are delivered."""
    status = _SHOPIFY_STATUS.get(str(values.pop("financial_status", "")).lower().replace(" ", "_"))
    fulfilled_at = values.pop("fulfilled_at", None)
    for line in values.get("items", ()):
        _without_apostrophe(line, "sku")
    if status is None:
        values.pop("paid_at", None)
        status = "cancelled" if "cancelled_at" in values else None
    elif status != "cancelled" and fulfilled_at:
        values["completed_at"] = fulfilled_at
        status = "completed" if status == "paid" else status
    return _with_status(values, status)


def _woocommerce_order(values: CellValues) -> CellValues:
    status = _WOOCOMMERCE_STATUS.get(str(values.pop("order_status", "")).lower().removeprefix("wc-"))
    if status is None:
        values.pop("paid_at", None)
    return _with_status(values, status)


def _with_status(values: CellValues, status: str | None) -> CellValues:
    if status == "cancelled":
        for name in ("paid_at", "completed_at", "refunds"):
            values.pop(name, None)
    else:
        values.pop("cancelled_at", None)
    return values | ({"status": status} if status else {})


def _shopify_customer(values: CellValues) -> CellValues:
    names = (values.pop(name, "").strip() for name in ("first_name", "last_name"))
    name = " ".join(filter(None, names)) or values.get("email", "").partition("@")[0]
    _without_apostrophe(values, "external_id")
    return values | {"name": name}


def _without_apostrophe(values: CellValues, name: str) -> None:
    """Spreadsheets do not change a number after one, so Shopify writes it before numbers that are text."""
    if name in values:
        values[name] = values[name].lstrip("'")


class _ShopifyProducts:
    """A variant is a product; the name is only in the first row of a product, and images have separate rows."""

    def __init__(self) -> None:
        self._handle: str | None = None
        self._shared: CellValues = {}

    def __call__(self, values: CellValues) -> CellValues | None:
        handle, tracker, policy = (values.pop(name, "") for name in ("handle", "tracker", "policy"))
        options = filter(None, [values.pop(name, "") for name in _SHOPIFY_OPTIONS])
        if handle != self._handle:
            shared = ("name", "description", "category", "tags", "status", "image_url")
            self._handle, self._shared = handle, {name: values[name] for name in shared if name in values}
        if "price" not in values:
            return None
        values = self._shared | values
        _without_apostrophe(values, "sku")
        variant = " / ".join(options)
        if variant != "Default Title":
            values["name"] = f"{values.get('name', '')} {variant}".strip()
        return _as_text(_with_stock(values, is_limited=bool(tracker) and policy.lower() != "continue"))


def _woocommerce_product(values: CellValues) -> CellValues | None:
    """Parents of variations have no price."""
    kinds = values.pop("type", "").lower()
    if "variable" in kinds or "grouped" in kinds:
        return None
    regular, sale = values.pop("regular_price", None), values.pop("sale_price", None)
    if sale and regular and sale != regular:
        values["compare_at_price"] = regular
    values["price"] = sale or regular or ""
    values["status"] = "active" if values.pop("published", "1") == "1" else "draft"
    values["delivery_type"] = "file" if "downloadable" in kinds else "manual"
    for name in ("category", "image_url"):
        if name in values:
            values[name] = values[name].partition(",")[0].strip()
    return _as_text(_with_stock(values, is_limited=values.pop("backorders", "0") == "0"))


def _with_stock(values: CellValues, *, is_limited: bool) -> CellValues:
    """Less than nothing is in stock if more was sold than there was."""
    stock = values.pop("stock", None)
    return values | {"stock": "0" if stock.startswith("-") else stock} if stock and is_limited else values


def _as_text(values: CellValues) -> CellValues:
    if "description" in values:
        values["description"] = html.unescape(_TAGS.sub(" ", values["description"])).strip()
    return values


def preset_of(shop: ShopSoftware, noun: str) -> Preset | None:
    """New for each run: it remembers related rows of a file."""
    if (shop, noun) == (ShopSoftware.shopify, "products"):
        return Preset(_SHOPIFY_PRODUCTS, _SHOPIFY_DERIVED, _ShopifyProducts())
    return _PRESETS.get((shop, noun))


_SHOPIFY_DERIVED = frozenset(
    {"price / international", "compare at price / international", "compare-at price / international"}
)
_SHOPIFY_OPTIONS = ("option1", "option2", "option3")
# Under the headings until 2025, and those since.
_SHOPIFY_PRODUCTS = {
    "handle": "handle",
    "url handle": "handle",
    "title": "name",
    "body (html)": "description",
    "description": "description",
    "type": "category",
    "tags": "tags",
    "status": "status",
    **{f"{option} value": option for option in _SHOPIFY_OPTIONS},
    "variant sku": "sku",
    "sku": "sku",
    "variant price": "price",
    "price": "price",
    "variant compare at price": "compare_at_price",
    "compare-at price": "compare_at_price",
    "variant inventory tracker": "tracker",
    "inventory tracker": "tracker",
    "variant inventory policy": "policy",
    "continue selling when out of stock": "policy",
    "variant inventory qty": "stock",
    "inventory quantity": "stock",
    "image src": "image_url",
    "product image url": "image_url",
}

_PRESETS: dict[tuple[ShopSoftware, str], Preset] = {
    (ShopSoftware.shopify, "orders"): Preset(
        {
            "name": "external_id",
            "email": "customer_email",
            "financial status": "financial_status",
            "created at": "created_at",
            "paid at": "paid_at",
            "fulfilled at": "fulfilled_at",
            "cancelled at": "cancelled_at",
            "currency": "currency",
            "total": "total",
            "discount amount": "discount",
            "refunded amount": "refunds",
            "payment method": "payment_method",
            "billing country": "billing_country",
            "lineitem sku": "item_sku",
            "lineitem quantity": "item_quantity",
            "lineitem price": "item_price",
            "device id": "",
        },
        frozenset(
            {"subtotal", "outstanding balance", "lineitem discount", "lineitem compare at price"}
            | {f"tax {number} value" for number in range(1, 6)}
        ),
        _shopify_order,
    ),
    (ShopSoftware.shopify, "customers"): Preset(
        {
            "customer id": "external_id",
            "email": "email",
            "first name": "first_name",
            "last name": "last_name",
            "accepts email marketing": "accepts_marketing",
            "accepts marketing": "accepts_marketing",
            "default address country code": "country",
            "country code": "country",
            "country": "country",
            "tags": "tags",
            "note": "note",
        },
        frozenset({"total spent", "total orders"}),
        _shopify_customer,
    ),
    (ShopSoftware.woocommerce, "orders"): Preset(
        {
            "order_number": "external_id",
            "order_id": "external_id",
            "billing_email": "customer_email",
            "customer_email": "customer_email",
            "customer_id": "",
            "status": "order_status",
            "date": "created_at",
            "order_date": "created_at",
            "paid_date": "paid_at",
            "order_currency": "currency",
            "order_total": "total",
            "discount_total": "discount",
            "refunded_total": "refunds",
            "refunds": "",
            "payment_method": "payment_method",
            "billing_country": "billing_country",
            "customer_ip_address": "ip_address",
            "customer_user_agent": "user_agent",
            "item_sku": "item_sku",
            "item_quantity": "item_quantity",
            "item_subtotal": "item_subtotal",
            "item_price": "",
        },
        frozenset({"order_subtotal", "cart_discount", "item_total", "item_refunded", "item_refunded_qty"}),
        _woocommerce_order,
    ),
    (ShopSoftware.woocommerce, "products"): Preset(
        {
            "type": "type",
            "sku": "sku",
            "name": "name",
            "published": "published",
            "description": "description",
            "short description": "",
            "regular price": "regular_price",
            "sale price": "sale_price",
            "stock": "stock",
            "backorders allowed?": "backorders",
            "categories": "category",
            "tags": "tags",
            "images": "image_url",
        },
        frozenset({"low stock amount"}),
        _woocommerce_product,
    ),
    (ShopSoftware.tebex, "products"): Preset(
        {"id": "sku", "name": "name", "description": "description", "price": "price", "image_url": "image_url"},
        convert=_as_text,
    ),
    **{(ShopSoftware(shop), noun): preset for (shop, noun), preset in GAME_SHOPS.items()},
}
