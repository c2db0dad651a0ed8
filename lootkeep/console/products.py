"""The catalogue: the list of products, one product, its form and its stock."""

from __future__ import annotations

import msgspec

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, BADGE, CODE, COUNT, LABEL, NAME, Cell, Column, amount
from lootkeep.console.formats import badge, options
from lootkeep.console.forms import Field
from lootkeep.console.orders import ORDERS, newest_orders
from lootkeep.console.page import Answer, Page, Visit, change
from lootkeep.console.records import DELETED, Record
from lootkeep.domain import products as products_rules
from lootkeep.domain.goods import MAX_VALID_DAYS
from lootkeep.domain.product_commands import commands_of
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import existing, invalid
from lootkeep.services import products as products_service
from lootkeep.storage import audit as audit_db
from lootkeep.storage.goods import servers as servers_db
from lootkeep.storage.products import lists as product_lists_db, rows as products_db

_SHOWN_ORDERS = 8
_MAX_DESCRIPTION = 20_000
_MAX_INTERVALS = 365
_MAX_URL = 2048


def _https(text: str) -> str:
    if not text.startswith("https://") or not text.isprintable() or " " in text or len(text) > _MAX_URL:
        raise ValueError
    return text


def _stock(stock: int | None, _row: products_rules.Product, _visit: Visit) -> str:
    if stock is None:
        return '<span class="muted">unlimited</span>'
    return f"{stock:,}" if stock else badge("out_of_stock", "0")


PRODUCTS = lists.ListPage(
    listing=product_lists_db.LISTING,
    columns=(
        Column("Product", "name", NAME, "name"),
        Column("SKU", "sku", CODE, is_extra=True),
        Column("Category", "category", NAME, is_extra=True),
        Column("Status", "status", BADGE),
        Column("Delivery", "delivery_type", LABEL, is_extra=True),
        Column("Price", "price", amount("currency"), "price"),
        Column("Stock", "stock", Cell(_stock, css="number"), "stock"),
        Column("Sold", "sales_count", COUNT, "sales_count"),
        Column("Created", "created_at", AGO, "created_at"),
    ),
    exported=(Column("Id", "id"), Column("Currency", "currency")),
    link=lambda product: f"/products/{product.id}",
    links=(lists.Link("/products/new", "New product", key="n"),),
    empty="No products yet. Create the first one here or through the Store API.",
    choices=(
        lists.Choice("status", "Status", options(products_rules.ProductStatus), is_open=True),
        lists.Choice("out_of_stock", "Stock", {"0": "Out of stock"}, int, is_open=True),
        lists.Choice("delivery_type", "Delivery", options(products_rules.DeliveryType)),
        lists.Choice("billing_type", "Billing", options(products_rules.BillingType)),
    ),
    linked={"category": ("Category", str), "tag": ("Tag", str)},
    search="Name or SKU",
)
_AMOUNTS = ("price", "compare_at_price")
PRODUCT = Record[products_rules.Product](
    "Product", "/products/{id}", products_db.ROWS, products_rules.PUBLIC_FIELDS, _AMOUNTS
)
_TAGS = forms.tags(products_rules.MAX_TAGS, products_rules.MAX_WORD_LENGTH)
_PRICE = forms.amount(0, products_rules.HIGHEST_PRICE)
_FILE = forms.parsed(_https, "This must be an https address.", "url")
_DAYS = forms.whole(1, MAX_VALID_DAYS)
_STATUS = forms.choice(options(products_rules.ProductStatus))
_INTERVALS = {"": "–"} | options(products_rules.BillingInterval)
STOCK = Field("stock", "Stock", forms.whole(0, products_rules.MAX_STOCK), "Leave empty for unlimited stock.")
FORM = {
    "What customers see": (
        Field("name", "Name", forms.text(), is_required=True),
        Field("description", "Description", forms.text(_MAX_DESCRIPTION, "textarea")),
        Field("category", "Category", forms.text()),
        Field("tags", "Tags", _TAGS, "Separated by commas. The list can filter by them."),
    ),
    "Price": (
        Field("price", "Price", _PRICE, is_required=True, placeholder="12.50"),
        Field("compare_at_price", "Original price", _PRICE, "Shown struck through; must be above the price."),
        Field("billing_type", "Billing", forms.choice(options(products_rules.BillingType)), default="one_time"),
        Field("billing_interval_count", "Every", forms.whole(1, _MAX_INTERVALS), "Only when recurring."),
        Field("billing_interval", "Period", forms.choice(_INTERVALS)),
    ),
    "Selling": (
        Field("status", "Status", _STATUS, "Only active products can be bought.", default="active"),
        Field("delivery_type", "Delivery", forms.choice(options(products_rules.DeliveryType)), default="manual"),
        Field("file_url", "File", _FILE, "What a file product hands over."),
        Field("valid_days", "Valid for days", _DAYS, "After the delivery; forever when empty."),
        Field("sku", "SKU", forms.text(products_rules.MAX_WORD_LENGTH), "Your own number, unique in the store."),
        Field(
            "max_per_order", "Per order at most", forms.whole(1, products_rules.MAX_STOCK), "Leave empty for no limit."
        ),
    ),
}
_NEW_FORM = FORM | {"Selling": (*FORM["Selling"], STOCK)}


async def show_product(visit: Visit) -> Answer:
    async with visit.deps.db.read(slow=True) as tx:
        product = existing(await products_db.ROWS.get(tx, visit.id), "Product")
        sales, orders_total = await newest_orders(visit, tx, _SHOWN_ORDERS, product_id=product.id)
        changes = await audit_db.changes_since(tx, PRODUCT.key(product.id), Instant(0))
        commands = commands_of(product.commands)
        servers = await servers_db.ROWS.get_many(tx, {command.server_id for command in commands}) if commands else {}
    return {
        "product": product,
        "title": product.name,
        "tags": msgspec.json.decode(product.tags),
        "metadata": msgspec.json.decode(product.metadata),
        "stock_status": products_rules.stock_status(product.stock),
        "sales": sales,
        "orders_total": orders_total,
        "orders": ORDERS.only("Order", "Customer", "Status", "Total", "Placed", empty="Nobody has ordered it yet."),
        "changes": changes,
        "commands": [(command, servers[command.server_id].name) for command in commands],
        "whole": {"description": product.description or ""},
    }


async def create(visit: Visit) -> Answer:
    values = forms.read(visit, _NEW_FORM)
    terms = msgspec.structs.replace(products_rules.PLAIN, **values, currency=visit.deps.currency)
    return PRODUCT.done("The product is created.", None, await products_service.create(visit.deps, terms))


async def set_stock(visit: Visit) -> Answer:
    """Orders draw on the stock without touching the product: the form says which stock it showed."""
    before = await PRODUCT.lock(visit)
    changes = forms.read(visit, [STOCK])
    stored = forms.written(visit, [STOCK], before)["stock"]
    if visit.form.get("shown", stored) != stored:
        left = _left(before.stock)
        raise invalid("stock", f"The stock changed after you opened this page and is {left} now. Set it again.")
    after = await products_service.change(visit.deps, visit.id, changes)
    return PRODUCT.done(f"The stock is {_left(after.stock)}.", before, after)


def _left(stock: int | None) -> str:
    return "unlimited" if stock is None else f"{stock:,}"


_GONE = "The product is deleted permanently; its orders keep its name. To pause it, archive it instead."

PAGES = (
    lists.page("/products", "products:read", "Products", PRODUCTS, "Sell"),
    *forms.rows("/products/new", "products:write", "New product", forms.new(_NEW_FORM), create, "Create a product"),
    Page("GET", "/products/{id}", "products:read", "Product", show_product, "product.html"),
    *PRODUCT.edit("/products/{id}/edit", "products:write", "Edit a product", FORM, products_service.change),
    change("/products/{id}/stock", "products:write", "Set the stock of a product", set_stock),
    PRODUCT.change(
        "/products/{id}/delete", "products:write", "Delete a product", products_service.delete, DELETED, _GONE
    ),
)
