"""The catalogue: the list of products, one product, its form and its stock."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from lootkeep.console import lists
from lootkeep.console.forms import Form
from lootkeep.console.labels import label
from lootkeep.console.lists import Choice, Column, ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain.products import (
    HIGHEST_PRICE,
    MAX_STOCK,
    MAX_TAGS,
    MAX_WORD_LENGTH,
    PLAIN,
    BillingInterval,
    BillingType,
    DeliveryType,
    Product,
    ProductStatus,
    ProductTerms,
    changed_fields,
    stock_status,
)
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant, iso
from lootkeep.kernel.errors import existing, invalid
from lootkeep.kernel.paging import ListRequest
from lootkeep.kernel.paging import Page as ListedPage
from lootkeep.services import products as products_service
from lootkeep.storage import audit, order_lists, product_lists
from lootkeep.storage import products as products_db

_SHOWN_ORDERS = 8
_MAX_DESCRIPTION = 20_000
_MAX_INTERVALS = 365

_STATUSES = {name: label(name) for name in get_args(ProductStatus)}
_DELIVERIES = {name: label(name) for name in get_args(DeliveryType)}
_BILLINGS = {name: label(name) for name in get_args(BillingType)}
_INTERVALS = {"": "–"} | {name: label(name) for name in get_args(BillingInterval)}

PRODUCTS = ListPage(
    product_lists.LISTING,
    columns=(
        Column("Product", lambda product: product.name, "name"),
        Column("SKU", lambda product: product.sku),
        Column("Category", lambda product: product.category),
        Column("Status", lambda product: label(product.status)),
        Column("Delivery", lambda product: label(product.delivery_type)),
        Column("Price", lambda product: money.decimal(product.price), "price", is_number=True),
        Column("Stock", lambda product: product.stock, "stock", is_number=True),
        Column("Sold", lambda product: product.sales_count, "sales_count", is_number=True),
        Column("Created", lambda product: iso(product.created_at), "created_at", is_number=True),
    ),
    empty="What the store sells will be here. Create the first product, or send it through the Store API.",
    file="products",
    choices=(
        Choice("status", "Status", _STATUSES, is_open=True),
        Choice("out_of_stock", "Stock", {"0": "Out of stock"}, int, is_open=True),
        Choice("delivery_type", "Delivery", _DELIVERIES),
        Choice("billing_type", "Billing", _BILLINGS),
    ),
    linked={"category": ("Category", str), "tag": ("Tag", str)},
    search="Name or SKU",
)


async def list_products(visit: Visit) -> Answer:
    return await lists.show(visit, PRODUCTS)


async def show_product(visit: Visit) -> Answer:
    async with visit.deps.db.read(slow=True) as tx:
        product = existing(await products_db.get(tx, visit.id), "Product")
        request = ListRequest(ListedPage(1, _SHOWN_ORDERS), {"product_id": product.id})
        orders, orders_total = await order_lists.LISTING.page(tx, request)
        sales = await order_lists.sales(tx, orders)
        changes = await audit.changes_since(tx, f"product:{product.id}", Instant(0))
    return {
        "product": product,
        "title": product.name,
        "tags": msgspec.json.decode(product.tags),
        "metadata": msgspec.json.decode(product.metadata),
        "stock_status": stock_status(product.stock),
        "sales": sales,
        "orders_total": orders_total,
        "changes": changes,
    }


async def show_form(visit: Visit) -> Answer:
    """Empty for a new product; else as the product is."""
    values: dict[str, Any] = {"delivery_type": "manual", "status": "active", "billing_type": "one_time"}
    product = None
    if "id" in visit.request.path_params:
        async with visit.deps.db.read() as tx:
            product = existing(await products_db.get(tx, visit.id), "Product")
        values = {name: _entered(getattr(product, name)) for name in ProductTerms.__struct_fields__}
        values |= {name: _amount(getattr(product, name)) for name in ("price", "compare_at_price")}
        values["tags"] = ", ".join(msgspec.json.decode(product.tags))
    return {
        "product": product,
        "values": values,
        "statuses": _STATUSES,
        "deliveries": _DELIVERIES,
        "billings": _BILLINGS,
        "intervals": _INTERVALS,
        "title": f"Edit {product.name}" if product else "New product",
    }


async def create(visit: Visit) -> Answer:
    form = Form(visit)
    fields = _fields(form) | {"stock": form.whole("stock", 0, MAX_STOCK)}
    form.check()
    terms = msgspec.structs.replace(PLAIN, **fields, currency=visit.deps.currency)
    product = await products_service.create(visit.deps, terms)
    return _done(product, "The product is created.", {}, {"name": product.name, "price": money.text(product.price)})


async def edit(visit: Visit) -> Answer:
    before = await _lock(visit)
    visit.check_unchanged(f"product:{before.id}", before.updated_at)
    form = Form(visit)
    fields = _fields(form)
    form.check()
    return _saved(before, await products_service.change(visit.deps, visit.id, fields), "The product is saved.")


async def set_stock(visit: Visit) -> Answer:
    """Orders draw on the stock without touching the product: the form says which stock it showed."""
    before = await _lock(visit)
    form = Form(visit)
    stock = form.whole("stock", 0, MAX_STOCK)
    form.check()
    if visit.form.get("shown", _entered(before.stock)) != _entered(before.stock):
        left = "unlimited" if before.stock is None else f"{before.stock:,}"
        raise invalid("stock", f"The stock changed after you opened this page and is {left} now. Set it again.")
    after = await products_service.change(visit.deps, visit.id, {"stock": stock})
    return _saved(before, after, f"The stock is {'unlimited' if stock is None else f'{stock:,}'}.")


async def delete(visit: Visit) -> Answer:
    product = await _lock(visit)
    visit.check_unchanged(f"product:{product.id}", product.updated_at)
    await products_service.delete(visit.deps, visit.id)
    audited = {"name": product.name, "status": product.status}
    return Done(url("/products"), "The product is deleted.", f"product:{product.id}", audited)


def _fields(form: Form) -> dict[str, Any]:
    """What the form of a new product and that of an existing one share."""
    return {
        "name": form.required("name"),
        "sku": form.text("sku", MAX_WORD_LENGTH),
        "description": form.text("description", _MAX_DESCRIPTION),
        "status": form.choice("status", _STATUSES),
        "category": form.text("category"),
        "tags": msgspec.json.encode(_tags(form)).decode(),
        "price": form.required_amount("price", 0, HIGHEST_PRICE),
        "compare_at_price": form.amount("compare_at_price", 0, HIGHEST_PRICE),
        "delivery_type": form.choice("delivery_type", _DELIVERIES),
        "max_per_order": form.whole("max_per_order", 1, MAX_STOCK),
        "billing_type": form.choice("billing_type", _BILLINGS),
        "billing_interval": form.choice("billing_interval", _INTERVALS) or None,
        "billing_interval_count": form.whole("billing_interval_count", 1, _MAX_INTERVALS),
    }


def _tags(form: Form) -> list[str]:
    words = [word.strip() for word in form.visit.form.get("tags", "").split(",")]
    tags = list(dict.fromkeys(word for word in words if word))
    if len(tags) > MAX_TAGS or any(len(tag) > MAX_WORD_LENGTH for tag in tags):
        form.errors["tags"] = [f"At most {MAX_TAGS} tags of at most {MAX_WORD_LENGTH} characters, with commas between."]
    return tags


async def _lock(visit: Visit) -> Product:
    async with visit.deps.db.write() as tx:
        return existing(await products_db.get_for_update(tx, visit.id), "Product")


def _saved(before: Product, after: Product, message: str) -> Done:
    names = changed_fields(before, after)
    old, new = ({name: getattr(product, name) for name in names} for product in (before, after))
    return _done(after, message if names else "Nothing was different.", old, new)


def _done(product: Product, message: str, before: dict[str, Any], after: dict[str, Any]) -> Done:
    return Done(url(f"/products/{product.id}"), message, f"product:{product.id}", before, after)


def _entered(value: object) -> str:
    return "" if value is None else str(value)


def _amount(amount: money.Hundredths | None) -> str:
    return "" if amount is None else money.text(amount)


_FORM = ("product_form.html", show_form)
_PRODUCT = ("product.html", show_product)
_GONE = "The product leaves the store for good. Orders go on naming it. To pause it, archive it instead."

PAGES = (
    Page("GET", "/products", "read_only", "Products", list_products, "products.html", group="Sell"),
    Page("GET", "/products/new", "staff", "New product", show_form, "product_form.html", under="/products"),
    change("/products/new", "Create a product", create, _FORM),
    Page("GET", "/products/{id}", "read_only", "Product", show_product, "product.html", under="/products"),
    Page("GET", "/products/{id}/edit", "staff", "Edit a product", show_form, "product_form.html", under="/products"),
    change("/products/{id}/edit", "Edit a product", edit, _FORM),
    change("/products/{id}/stock", "Set the stock of a product", set_stock, _PRODUCT),
    change("/products/{id}/delete", "Delete a product", delete, _PRODUCT, _GONE),
)
