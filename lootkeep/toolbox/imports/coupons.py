"""Coupons from the rows of a file: what a sale takes off, for whom and how often."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import create_model

from lootkeep.api.external.coupons import CodeText, CouponBody, terms_of
from lootkeep.api.http.validation import Body, parse
from lootkeep.deps import Deps
from lootkeep.domain.coupons import CouponTerms, checked_code
from lootkeep.domain.customers import plain_code
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError
from lootkeep.services import coupons as coupons_service
from lootkeep.storage import coupons as coupons_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import Rows
from lootkeep.toolbox.imports import cells
from lootkeep.toolbox.imports.cells import CellReader
from lootkeep.toolbox.imports.kinds import missing_columns

_Body: type[Body] = create_model("CouponRow", __base__=CouponBody, code=(CodeText, ...))
_READERS: Mapping[str, CellReader] = {
    "discount_type": cells.word,
    "product_ids": lambda dialect, text: [cells.integer(dialect, part) for part in cells.words(dialect, text)],
    "categories": cells.words,
    **dict.fromkeys(("discount_value", "min_total"), Dialect.number),
    **dict.fromkeys(("first_order_only", "is_active"), Dialect.boolean),
    **dict.fromkeys(("max_uses", "max_uses_per_customer"), cells.integer),
    **dict.fromkeys(("starts_at", "ends_at"), cells.time),
}

# A checked row: the plain code, and the terms.
CouponForm = tuple[str, CouponTerms]


class Coupons:
    """Identified by their code."""

    noun = "coupons"
    key_name = "code"
    columns = frozenset(_Body.model_fields)
    readers = _READERS

    def missing(self, columns: Collection[str]) -> str | None:
        return missing_columns(("code", "discount_type", "discount_value"), columns)

    def combined(self, rows: Rows, dialect: Dialect) -> Rows:
        return rows

    def checked(self, values: dict[str, Any], now: Instant) -> CouponForm:
        body: Any = parse(values, _Body)
        return checked_code(plain_code(body.code)), terms_of(body)

    def key(self, form: CouponForm) -> str:
        return form[0]

    def unique(self, form: CouponForm) -> dict[str, str]:
        return {}

    async def look_up(self, deps: Deps, tx: Transaction, forms: Sequence[CouponForm]) -> tuple[set[str], None]:
        return set(await coupons_db.ROWS.ids_by(tx, "code", [code for code, _ in forms])), None

    async def add(
        self, deps: Deps, tx: Transaction, forms: Sequence[CouponForm], existing: None
    ) -> list[bool | AppError]:
        return [await _add(deps, tx, *form) for form in forms]


async def _add(deps: Deps, tx: Transaction, code: str, terms: CouponTerms) -> bool | AppError:
    try:
        await coupons_service.create_in(deps, tx, terms, code)
    except AppError as reason:
        return reason
    return True
