"""Customers as a row of a file brings them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from pydantic import create_model

from lootkeep.api.http.fields import QueryBoolean
from lootkeep.api.http.validation import parse
from lootkeep.api.store.customers import SignUpBody
from lootkeep.deps import Deps
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, invalid
from lootkeep.services import customers as customers_service
from lootkeep.storage import natural_keys
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.totals.changes import CounterDeltas

# The same rules; only that a text says true or false.
_TextBody = create_model("CustomerRow", __base__=SignUpBody, accepts_marketing=(QueryBoolean, False))


class Customers:
    """Known again by their e-mail."""

    noun = "customers"
    columns = frozenset(SignUpBody.model_fields)

    def missing(self, columns: Collection[str]) -> str | None:
        absent = [name for name in ("email", "name") if name not in columns]
        return f"a column named {' and one named '.join(absent)}" if absent else None

    def checked(self, values: dict[str, Any], now: Instant, *, is_text: bool) -> SignUp:
        form = SignUp(**parse(values, _TextBody if is_text else SignUpBody).sent())
        if form.created_at is not None and form.created_at > now:
            raise invalid("created_at", "The created at field must not be in the future.")
        return form

    def key(self, form: SignUp) -> str:
        return form.email

    def unique(self, form: SignUp) -> dict[str, str]:
        return {"external_id": form.external_id} if form.external_id else {}

    async def look_up(self, tx: Transaction, forms: Sequence[SignUp]) -> tuple[set[str], None]:
        existing = await natural_keys.customers_by_email(tx, [form.email for form in forms])
        return set(existing), None

    async def add(
        self, deps: Deps, tx: Transaction, forms: Sequence[SignUp], existing: None, changes: CounterDeltas
    ) -> list[bool | AppError]:
        outcomes = await customers_service.sign_up_all(deps, tx, forms, changes)
        return [result if isinstance(result, AppError) else result.is_new for result in outcomes]
