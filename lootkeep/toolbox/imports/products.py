"""Products from the rows of a file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from lootkeep.api.http.validation import parse
from lootkeep.api.store.products import ProductBody, as_recorded
from lootkeep.deps import Deps
from lootkeep.domain.products import ProductTerms
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError
from lootkeep.services import products as products_service
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.products import rows as products_db
from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import Rows
from lootkeep.toolbox.imports import cells
from lootkeep.toolbox.imports.cells import CellReader
from lootkeep.toolbox.imports.kinds import missing_columns

_READERS: Mapping[str, CellReader] = {
    **dict.fromkeys(("price", "compare_at_price"), Dialect.number),
    **dict.fromkeys(("stock", "max_per_order", "billing_interval_count", "valid_days"), cells.integer),
    **dict.fromkeys(("status", "delivery_type", "billing_type", "billing_interval"), cells.word),
    "tags": cells.words,
    "metadata": cells.json,
}


class Products:
    """Identified by their sku."""

    noun = "products"
    key_name = "sku"
    columns = frozenset(ProductBody.model_fields)
    readers = _READERS

    def missing(self, columns: Collection[str]) -> str | None:
        return missing_columns(("name", "price"), columns)

    def combined(self, rows: Rows, dialect: Dialect) -> Rows:
        return rows

    def checked(self, values: dict[str, Any], now: Instant) -> ProductBody:
        return parse(values, ProductBody)

    def key(self, form: ProductBody) -> str | None:
        return form.sku

    def unique(self, form: ProductBody) -> dict[str, str]:
        return {}

    async def look_up(self, deps: Deps, tx: Transaction, forms: Sequence[ProductBody]) -> tuple[set[str], None]:
        return set(await products_db.ROWS.ids_by(tx, "sku", [form.sku for form in forms if form.sku is not None])), None

    async def add(
        self, deps: Deps, tx: Transaction, forms: Sequence[ProductBody], existing: None
    ) -> list[bool | AppError]:
        await products_db.wait_for_skus(tx, [form.sku for form in forms])
        return [await self._add_one(deps, tx, form) for form in forms]

    async def _add_one(self, deps: Deps, tx: Transaction, form: ProductBody) -> bool | AppError:
        sent = {name: getattr(form, name) for name in ProductTerms.__struct_fields__}
        try:
            terms = ProductTerms(**as_recorded(sent, deps.currency))
            if terms.delivery_type == "keys":
                # Its stock is the keys that are imported next.
                terms = replace(terms, stock=None)
            await products_service.add_in(tx, terms, deps.clock.now())
        except AppError as reason:
            return reason
        return True
