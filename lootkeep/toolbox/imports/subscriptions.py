"""Subscriptions from the rows of a file: they continue where they were."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from pydantic import Field, create_model

from lootkeep.api.http.fields import Currency, Time
from lootkeep.api.http.validation import Body, parse
from lootkeep.api.store.customers import NameText
from lootkeep.api.store.orders import FreeText
from lootkeep.api.store.products import Price
from lootkeep.deps import Deps
from lootkeep.domain.products import BillingInterval
from lootkeep.domain.subscriptions import PastTerms, SubscriptionStatus
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, InvalidFields
from lootkeep.services import subscriptions as subscriptions_service
from lootkeep.storage import subscriptions as subscriptions_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import Rows
from lootkeep.toolbox.imports import cells
from lootkeep.toolbox.imports.cells import CellReader
from lootkeep.toolbox.imports.kinds import missing_columns
from lootkeep.toolbox.imports.references import (
    CUSTOMER_FIELDS,
    CustomerReference,
    ExistingIds,
    PositiveId,
    ProductName,
    existing_ids,
    missing_customer,
    named_product,
    require_customer,
)

_Body: type[Body] = create_model(
    "SubscriptionRow",
    __base__=Body,
    sku=(NameText | None, None),
    product_id=(PositiveId | None, None),
    created_at=(Time, ...),
    status=(SubscriptionStatus, "active"),
    price=(Price | None, None),
    currency=(Currency | None, None),
    interval=(BillingInterval | None, None),
    interval_count=(Annotated[int, Field(ge=1, le=365)] | None, None),
    current_period_end=(Time | None, None),
    cancelled_at=(Time | None, None),
    cancel_reason=(FreeText | None, None),
    **CUSTOMER_FIELDS,
)
_READERS: Mapping[str, CellReader] = {
    **dict.fromkeys(("customer_id", "product_id", "interval_count"), cells.integer),
    **dict.fromkeys(("created_at", "current_period_end", "cancelled_at"), cells.time),
    **dict.fromkeys(("status", "interval"), cells.word),
    "price": Dialect.number,
}


class SubscriptionForm(msgspec.Struct, frozen=True):
    """A validated row; its references are not looked up yet."""

    customer: CustomerReference
    product: ProductName
    terms: PastTerms


class Subscriptions:
    """Identified by their customer, product and start."""

    noun = "subscriptions"
    key_name = "beginning"
    columns = frozenset(_Body.model_fields)
    readers = _READERS

    def missing(self, columns: Collection[str]) -> str | None:
        if "sku" not in columns and "product_id" not in columns:
            return "a column named sku or product_id"
        return missing_customer(columns) or missing_columns(("created_at",), columns)

    def combined(self, rows: Rows, dialect: Dialect) -> Rows:
        return rows

    def checked(self, values: dict[str, Any], now: Instant) -> SubscriptionForm:
        sent = parse(values, _Body).sent()
        return SubscriptionForm(require_customer(sent), named_product(sent), PastTerms(**sent))

    def key(self, form: SubscriptionForm) -> str:
        return f"{form.customer.name} {form.product.sku} {form.product.id} {form.terms.created_at}"

    def unique(self, form: SubscriptionForm) -> dict[str, str]:
        return {}

    async def look_up(
        self, deps: Deps, tx: Transaction, forms: Sequence[SubscriptionForm]
    ) -> tuple[set[str], ExistingIds]:
        existing = await existing_ids(tx, (form.customer for form in forms), (form.product for form in forms))
        starts = {self.key(form): (*_ids(form, existing, {}), form.terms.created_at) for form in forms}
        stored = await subscriptions_db.started(tx, starts.values())
        return {key for key, start in starts.items() if start in stored}, existing

    async def add(
        self, deps: Deps, tx: Transaction, forms: Sequence[SubscriptionForm], existing: ExistingIds
    ) -> list[bool | AppError]:
        return [await _add(deps, tx, form, existing) for form in forms]


def _ids(form: SubscriptionForm, existing: ExistingIds, errors: dict[str, list[str]]) -> tuple[int, int]:
    return existing.customer(form.customer, errors), existing.product(form.product, "", errors)


async def _add(deps: Deps, tx: Transaction, form: SubscriptionForm, existing: ExistingIds) -> bool | AppError:
    errors: dict[str, list[str]] = {}
    ids = _ids(form, existing, errors)
    if errors:
        return InvalidFields(errors)
    try:
        await subscriptions_service.import_in(deps, tx, *ids, form.terms)
    except AppError as reason:
        return reason
    return True
