"""Customers from the rows of a file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec.structs import replace
from pydantic import Field, create_model

from lootkeep.api.http.validation import Body, parse
from lootkeep.api.records.customers import CustomerNote, Tag
from lootkeep.api.store.customers import SignUpBody
from lootkeep.deps import Deps
from lootkeep.domain.customers import MAX_TAGS
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


class CustomerForm(NamedTuple):
    """A validated row."""

    sign_up: SignUp
    tags: str
    note: str | None


# The API's rules of a sign-up, and of the fields that only staff set.
_Body: type[Body] = create_model(
    "CustomerRow",
    __base__=SignUpBody,
    tags=(Annotated[list[Tag], Field(max_length=MAX_TAGS)], []),
    note=(CustomerNote | None, None),
)
_READERS: Mapping[str, CellReader] = {
    "accepts_marketing": Dialect.boolean,
    "country": Dialect.country,
    "created_at": cells.time,
    "ip_address": Dialect.ip_address,
    "tags": cells.words,
}


class Customers:
    """Identified by their e-mail."""

    noun = "customers"
    key_name = "e-mail"
    columns = frozenset(_Body.model_fields)
    readers = _READERS

    def missing(self, columns: Collection[str]) -> str | None:
        return missing_columns(("email", "name"), columns)

    def combined(self, rows: Rows, dialect: Dialect) -> Rows:
        return rows

    def checked(self, values: dict[str, Any], now: Instant) -> CustomerForm:
        sent = parse(values, _Body).sent()
        tags, note = msgspec.json.encode(sent.pop("tags", [])).decode(), sent.pop("note", None)
        form = SignUp(**sent)
        if form.created_at is not None and form.created_at > now:
            raise invalid("created_at", "The created at field must not be in the future.")
        return CustomerForm(form, tags, note)

    def key(self, form: CustomerForm) -> str:
        return form.sign_up.email

    def unique(self, form: CustomerForm) -> dict[str, str]:
        return {"external_id": form.sign_up.external_id} if form.sign_up.external_id else {}

    async def look_up(self, deps: Deps, tx: Transaction, forms: Sequence[CustomerForm]) -> tuple[set[str], None]:
        existing = await customers_db.ROWS.ids_by(tx, "email", [form.sign_up.email for form in forms])
        return set(existing), None

    async def add(
        self, deps: Deps, tx: Transaction, forms: Sequence[CustomerForm], existing: None
    ) -> list[bool | AppError]:
        outcomes = await customers_service.sign_up_all(deps, tx, [form.sign_up for form in forms])
        for form, result in zip(forms, outcomes, strict=True):
            if not isinstance(result, AppError) and result.is_new and (form.tags != "[]" or form.note):
                after = replace(result.customer, tags=form.tags, note=form.note)
                await customers_db.save(tx, result.customer, after)
        return [result if isinstance(result, AppError) else result.is_new for result in outcomes]
