"""The stock of keys over HTTP: adding, listing, withdrawing, and looking at a whole key."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from lootkeep.api.http.errors import Forbidden
from lootkeep.api.http.fields import PositiveMoney, QueryInteger, field, not_blank, refuse
from lootkeep.api.http.pages import PageQuery, SortDirection
from lootkeep.api.http.routes import (
    MAX_HUGE_BODY,
    MAX_LARGE_BODY,
    Call,
    ExtensionRoute,
    Reply,
    many,
    paged,
    single,
)
from lootkeep.api.http.validation import Body
from lootkeep.domain.goods import MAX_BATCH_NAME, MAX_KEY_LENGTH, MAX_KEYS, KeyStatus
from lootkeep.domain.products import Product
from lootkeep.kernel.errors import existing, invalid
from lootkeep.services import keys as keys_service
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import keys as keys_db
from lootkeep.storage.products import rows as products_db
from lootkeep.views import goods as goods_views


def _key(value: str) -> str:
    key = value.strip()
    if not 1 <= len(key) <= MAX_KEY_LENGTH:
        raise refuse(f"must have 1 to {MAX_KEY_LENGTH} characters")
    return key


Key = Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": MAX_KEY_LENGTH}), AfterValidator(_key)]
BatchName = Annotated[str, Field(min_length=1, max_length=MAX_BATCH_NAME), AfterValidator(not_blank)]


WRITE = "products:write"


class KeysBody(Body):
    """New keys."""

    keys: Annotated[list[Key], field("The keys.", ["EMB4T-9QWXA-7LM2P"], min_length=1, max_length=MAX_KEYS)]
    batch: Annotated[BatchName | None, field("The name of the delivery.", "October")] = None
    unit_cost: Annotated[PositiveMoney | None, field("What one key cost, in the product's currency.", "18.00")] = None


class WithdrawBody(Body):
    """Which keys to withdraw: exactly one of the two."""

    batch: Annotated[BatchName | None, field("All keys of this batch.", "October")] = None
    key_ids: Annotated[
        Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1, max_length=MAX_KEYS)] | None,
        field("These keys.", [7]),
    ] = None


class KeyQuery(PageQuery):
    """Filters and order of the list."""

    status: Annotated[KeyStatus | None, field("Only keys with this status.")] = None
    batch: Annotated[BatchName | None, field("Only keys of this batch.")] = None
    order_id: Annotated[QueryInteger | None, field("Only keys of this order.", ge=1)] = None
    sort: Annotated[Literal["id"], field("The sort field.")] = "id"
    order: SortDirection = "desc"


async def add_keys(call: Call[KeysBody, None]) -> Reply:
    body = call.body
    result = await keys_service.add(call.deps, call.id, body.keys, body.batch, body.unit_cost)
    return Reply(goods_views.KeysAddedView(result.added, result.already_known, result.stock))


async def list_keys(call: Call[None, KeyQuery]) -> Reply:
    query = call.query
    if call.is_csv_asked:
        return await _list_for_supplier(call)
    async with call.deps.db.read(slow=True) as tx:
        product = await _product(tx, call.id)
        request = query.request(product_id=product.id, batch=None)
        if query.batch is not None:
            batch = await keys_db.BATCHES.find_one(tx, product_id=product.id, name=query.batch)
            request = query.request(product_id=product.id, batch=None, batch_id=batch.id if batch else 0)
        rows, total = await keys_db.LISTING.page(tx, request)
    return Reply([goods_views.product_key(row.key, row.batch) for row in rows], page=request.page, total=total)


async def _list_for_supplier(call: Call[None, KeyQuery]) -> Reply:
    """Whole keys: this needs the scope of a change, and is in the audit log."""
    if not call.token.may(WRITE):
        raise Forbidden(WRITE)
    if call.query.status != "revoked":
        raise invalid("status", "The status field must be revoked: only revoked keys are listed whole.")
    keys = await keys_service.list_revoked(call.deps, call.id, user_id=call.token.user_id)
    return Reply(csv=goods_views.supplier_file(keys))


async def list_batches(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        product = await _product(tx, call.id)
        batches = await keys_db.BATCHES.find(tx, product_id=product.id)
        counts = await keys_db.counts(tx, product.id)
    return Reply([goods_views.batch(batch, counts.get(batch.id, {})) for batch in reversed(batches)])


async def withdraw_keys(call: Call[WithdrawBody, None]) -> Reply:
    body = call.body
    if (body.batch is None) == (body.key_ids is None):
        raise invalid("batch", "The batch field is required, or key ids, but not both.")
    done = await keys_service.withdraw(call.deps, call.id, batch=body.batch, key_ids=body.key_ids)
    owned = [goods_views.AssignedKeyView(*pair) for pair in done.already_assigned]
    return Reply(goods_views.KeysWithdrawnView(done.withdrawn, owned))


async def reveal_key(call: Call[None, None]) -> Reply:
    user_id, key_id = call.token.user_id, int(call.path["key_id"])
    key, value = await keys_service.reveal(call.deps, call.id, key_id, user_id=user_id)
    return Reply(goods_views.RevealedKeyView(key.id, value))


async def _product(tx: Transaction, product_id: int) -> Product:
    return existing(await products_db.ROWS.get(tx, product_id), "Product")


ROUTES = (
    ExtensionRoute(
        "POST",
        "/products/{id}/keys",
        add_keys,
        WRITE,
        "Add keys to a product",
        single(goods_views.KeysAddedView, "Keys added successfully", status=201),
        max_body=MAX_HUGE_BODY,
        description="Up to 10,000 keys of 1 to 4,000 characters. A key that the product has, or had, is skipped. Paid "
        "orders that wait for a key are served first, and the rest is added to the stock. Another cost for a known "
        "batch is 422; a product with another delivery type is 409 `not_a_key_product`.",
    ),
    ExtensionRoute(
        "GET",
        "/products/{id}/keys",
        list_keys,
        "products:read",
        "List the keys of a product",
        paged(goods_views.ProductKeyView),
        description="Newest first, masked. With `status=revoked` and the header `Accept: text/csv`, all revoked keys "
        "are returned whole, as a CSV file for the supplier; this needs `products:write`, and is recorded in the audit "
        "log.",
    ),
    ExtensionRoute(
        "GET",
        "/products/{id}/key-batches",
        list_batches,
        "products:read",
        "List the batches of keys",
        many(goods_views.KeyBatchView),
        description="Newest first; the counts add up to `added`.",
    ),
    ExtensionRoute(
        "POST",
        "/products/{id}/keys/withdraw",
        withdraw_keys,
        WRITE,
        "Withdraw keys",
        single(goods_views.KeysWithdrawnView, "Keys withdrawn successfully"),
        max_body=MAX_LARGE_BODY,
        description="Takes what is still available from the stock, for good, and lists the orders that have the "
        "others. Paid orders whose keys were withdrawn wait for the next keys.",
    ),
    ExtensionRoute(
        "POST",
        "/products/{id}/keys/{key_id}/reveal",
        reveal_key,
        WRITE,
        "Show a whole key",
        single(goods_views.RevealedKeyView),
        description="Recorded in the audit log.",
    ),
)
