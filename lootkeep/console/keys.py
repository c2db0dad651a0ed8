"""The keys of a product: what is left, its batches, adding and withdrawing; a look at a whole key is written down."""

from __future__ import annotations

from lootkeep.console import forms
from lootkeep.console.charts import Tile
from lootkeep.console.formats import Formats, options
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.goods import MAX_BATCH_NAME, MAX_KEY_LENGTH, MAX_KEYS, KeyBatch, KeyStatus
from lootkeep.domain.products import Product, stock_status
from lootkeep.kernel.errors import existing, invalid
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.kernel.wording import plural
from lootkeep.services import keys as keys_service
from lootkeep.storage.goods import keys as keys_db, waiting as waiting_db
from lootkeep.storage.products import rows as products_db

_SHOWN = 25
_PASTED = forms.text(16 * 1024 * 1024, "tall")
ADD = (
    Field("keys", "Keys, one in a line", _PASTED, f"Up to {MAX_KEYS:,} at once.", is_required=True),
    Field("batch", "Batch", forms.text(MAX_BATCH_NAME), "To find them again, such as the supplier and the month."),
    Field("unit_cost", "Cost of one", forms.amount(1), placeholder="17.50"),
)


async def show_keys(visit: Visit) -> Answer:
    status = visit.query.get("status", "")
    statuses = options(KeyStatus)
    number = max(1, inputs_rules.integer(visit.query.get("page", "1")) or 1)
    async with visit.deps.db.read(slow=True) as tx:
        product = existing(await products_db.ROWS.get(tx, visit.id), "Product")
        batches = await keys_db.BATCHES.find(tx, product_id=product.id)
        counts = await keys_db.counts(tx, product.id)
        filters = {"product_id": product.id} | ({"status": status} if status in statuses else {})
        request = ListRequest(PageRequest(min(number, 1_000_000), _SHOWN), filters, "id")
        keys, total = await keys_db.LISTING.page(tx, request)
        waiting = await waiting_db.count(tx, product.id)
    return {
        "product": product,
        "title": f"Keys of {product.name}",
        "stock_status": stock_status(product.stock),
        "tiles": _tiles(product, batches, counts, waiting, visit.formats),
        "batches": [(batch, counts.get(batch.id, {})) for batch in reversed(batches)],
        "keys": keys,
        "total": total,
        "request": request,
        "status": status,
        "statuses": {name: sum(by.get(name, 0) for by in counts.values()) for name in statuses},
        "form": ADD,
    }


def _tiles(
    product: Product, batches: list[KeyBatch], counts: dict[int, dict[str, int]], waiting: int, formats: Formats
) -> list[Tile]:
    left = {batch.id: counts.get(batch.id, {}).get("available", 0) for batch in batches}
    value = sum(left[batch.id] * (batch.unit_cost or 0) for batch in batches)
    available, reserved = product.keys_available or 0, product.keys_reserved or 0
    return [
        Tile("To sell", f"{product.stock or 0:,}", f"{available:,} available, {reserved:,} reserved by orders"),
        Tile("Sold", f"{product.sales_count:,}", "all orders, with imported ones"),
        Tile("Orders that wait for a key", f"{waiting:,}", "served first when keys come", "bad" if waiting else ""),
        Tile("Value of the stock", formats.money(value, product.currency), "what the available keys cost"),
    ]


async def add(visit: Visit) -> Answer:
    values = forms.read(visit, ADD)
    keys = [line.strip() for line in values["keys"].splitlines() if line.strip()]
    if len(keys) > MAX_KEYS:
        raise invalid("keys", f"These are {len(keys):,} keys: add at most {MAX_KEYS:,} at once.")
    if any(len(key) > MAX_KEY_LENGTH for key in keys):
        raise invalid("keys", f"A key has at most {MAX_KEY_LENGTH:,} characters.")
    result = await keys_service.add(visit.deps, visit.id, keys, values["batch"], values["unit_cost"])
    note = plural(result.already_known, "was known before and is skipped", "were known before and are skipped")
    skipped = f" {note}." if result.already_known else ""
    message = f"{plural(result.added, 'key is', 'keys are')} added.{skipped} {result.stock:,} can be sold."
    after = {"added": result.added, "batch": values["batch"], "stock": result.stock}
    return Done(url(f"/products/{visit.id}/keys"), message, f"product:{visit.id}", after=after)


async def withdraw(visit: Visit) -> Answer:
    """The keys of a batch, or one key."""
    key_id = inputs_rules.integer(visit.form.get("key_id", ""))
    keys = {"key_ids": [key_id]} if key_id else {"batch": visit.form.get("batch", "")}
    done = await keys_service.withdraw(visit.deps, visit.id, **keys)
    owned = f" Buyers have {len(done.already_assigned):,} others." if done.already_assigned else ""
    message = f"{plural(done.withdrawn, 'key is', 'keys are')} withdrawn.{owned}"
    after = {"withdrawn": done.withdrawn, "batch": visit.form.get("batch", "")}
    return Done(url(f"/products/{visit.id}/keys"), message, f"product:{visit.id}", after=after)


async def show_key(visit: Visit) -> Answer:
    return await revealed(visit, visit.id, f"/products/{visit.id}/keys")


async def revealed(visit: Visit, product_id: int, back: str) -> Done:
    """The whole key, shown at once; the service writes the entry of the audit log."""
    key_id = inputs_rules.integer(visit.form.get("key_id", "")) or 0
    key, value = await keys_service.reveal(visit.deps, product_id, key_id, user_id=visit.user.id, ip_address=visit.ip)
    secret_page = {
        "title": f"Key {key.masked_key}",
        "sentence": "That you looked at this key is in the audit log.",
        "secret": value,
        "again": "yes",
    }
    return Done(url(back), secret_page=secret_page)


_GONE = "What is still available is taken from the stock for good. Keys that buyers have stay with them."

PAGES = (
    Page("GET", "/products/{id}/keys", "products:read", "Keys of a product", show_keys, "keys.html"),
    change("/products/{id}/keys", "products:write", "Add keys", add),
    change("/products/{id}/keys/withdraw", "products:write", "Withdraw keys", withdraw, _GONE),
    change("/products/{id}/keys/show", "products:write", "Show a key", show_key),
)
