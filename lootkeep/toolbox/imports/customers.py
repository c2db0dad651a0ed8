"""Customers from the rows of a file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from lootkeep.api.http.validation import parse
from lootkeep.api.store.customers import SignUpBody
from lootkeep.deps import Deps
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, invalid
from lootkeep.services import customers as customers_service
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import Rows
from lootkeep.toolbox.imports import cells
from lootkeep.toolbox.imports.cells import CellReader
from lootkeep.toolbox.imports.kinds import missing_columns

_READERS: Mapping[str, CellReader] = {
    "accepts_marketing": Dialect.boolean,
    "country": Dialect.country,
    "created_at": cells.time,
    "ip_address": Dialect.ip_address,
}


class Customers:
    """Identified by their e-mail."""

    noun = "customers"
    key_name = "e-mail"
    columns = frozenset(SignUpBody.model_fields)
    readers = _READERS

    def missing(self, columns: Collection[str]) -> str | None:
        return missing_columns(("email", "name"), columns)

    def combined(self, rows: Rows, dialect: Dialect) -> Rows:
        return rows

    def checked(self, values: dict[str, Any], now: Instant) -> SignUp:
        form = SignUp(**parse(values, SignUpBody).sent())
        if form.created_at is not None and form.created_at > now:
            raise invalid("created_at", "The created at field must not be in the future.")
        return form

    def key(self, form: SignUp) -> str:
        return form.email

    def unique(self, form: SignUp) -> dict[str, str]:
        return {"external_id": form.external_id} if form.external_id else {}

    async def look_up(self, deps: Deps, tx: Transaction, forms: Sequence[SignUp]) -> tuple[set[str], None]:
        existing = await customers_db.ROWS.ids_by(tx, "email", [form.email for form in forms])
        return set(existing), None

    async def add(self, deps: Deps, tx: Transaction, forms: Sequence[SignUp], existing: None) -> list[bool | AppError]:
        outcomes = await customers_service.sign_up_all(deps, tx, forms)
        return [result if isinstance(result, AppError) else result.is_new for result in outcomes]
