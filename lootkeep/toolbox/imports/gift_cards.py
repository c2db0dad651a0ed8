"""Gift cards from the rows of a file: with their code and remaining balance."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
from pydantic import create_model

from lootkeep.api.http.fields import Money, PositiveMoney, Time
from lootkeep.api.http.validation import Body, parse
from lootkeep.api.store.customers import NameText
from lootkeep.api.store.gift_cards import NewGiftCardBody
from lootkeep.deps import Deps
from lootkeep.domain.gift_card_codes import check_code, plain
from lootkeep.domain.gift_cards import GiftCardTerms
from lootkeep.engines.card_codes import CardCodes
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, InvalidFields, invalid
from lootkeep.kernel.money import Hundredths
from lootkeep.services import gift_cards as gift_cards_service
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.gift_cards import rows as gift_cards_db
from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import Rows
from lootkeep.toolbox.imports import cells
from lootkeep.toolbox.imports.cells import CellReader
from lootkeep.toolbox.imports.kinds import missing_columns
from lootkeep.toolbox.imports.references import (
    CUSTOMER_FIELDS,
    CustomerReference,
    ExistingIds,
    existing_ids,
    named_customer,
)

_Body: type[Body] = create_model(
    "GiftCardRow",
    __base__=NewGiftCardBody,
    code=(NameText, ...),
    initial_balance=(PositiveMoney | None, None),
    balance=(Money | None, None),
    created_at=(Time | None, None),
    **CUSTOMER_FIELDS,
)
_READERS: Mapping[str, CellReader] = {
    "customer_id": cells.integer,
    **dict.fromkeys(("initial_balance", "balance"), Dialect.number),
    **dict.fromkeys(("starts_at", "expires_at", "created_at"), cells.time),
}


class GiftCardForm(msgspec.Struct, frozen=True):
    """A validated row; the owner of the card is not looked up yet."""

    code: str
    left: Hundredths
    created_at: Instant | None
    customer: CustomerReference | None
    terms: dict[str, Any]


class GiftCards:
    """Identified by their code."""

    noun = "gift cards"
    key_name = "code"
    columns = frozenset(_Body.model_fields)
    readers = _READERS

    def missing(self, columns: Collection[str]) -> str | None:
        if "balance" in columns:
            return missing_columns(("code",), columns)
        return missing_columns(("code", "initial_balance"), columns)

    def combined(self, rows: Rows, dialect: Dialect) -> Rows:
        return rows

    def checked(self, values: dict[str, Any], now: Instant) -> GiftCardForm:
        sent: dict[str, Any] = dict.fromkeys(_Body.model_fields) | parse(values, _Body).sent()
        customer = named_customer(sent)
        code, left, created_at = (sent.pop(name) for name in ("code", "balance", "created_at"))
        if sent["initial_balance"] is None:
            sent["initial_balance"] = left
        if not sent["initial_balance"]:
            raise invalid("initial_balance", "The initial balance field is required, or a balance above 0.")
        left = sent["initial_balance"] if left is None else left
        return GiftCardForm(check_code(code), left, created_at, customer, sent)

    def key(self, form: GiftCardForm) -> str:
        return plain(form.code)

    def unique(self, form: GiftCardForm) -> dict[str, str]:
        return {}

    async def look_up(self, deps: Deps, tx: Transaction, forms: Sequence[GiftCardForm]) -> tuple[set[str], ExistingIds]:
        codes = CardCodes(deps.vault, deps.ids)
        keys = {codes.hashed(form.code): self.key(form) for form in forms}
        stored = await gift_cards_db.ROWS.ids_by(tx, "code_hash", keys)
        return {keys[code_hash] for code_hash in stored}, await existing_ids(tx, (form.customer for form in forms), ())

    async def add(
        self, deps: Deps, tx: Transaction, forms: Sequence[GiftCardForm], existing: ExistingIds
    ) -> list[bool | AppError]:
        return [await _add(deps, tx, form, existing) for form in forms]


async def _add(deps: Deps, tx: Transaction, form: GiftCardForm, existing: ExistingIds) -> bool | AppError:
    errors: dict[str, list[str]] = {}
    customer_id = existing.customer(form.customer, errors) if form.customer else None
    if errors:
        return InvalidFields(errors)
    own = {"customer_id": customer_id, "order_id": None, "currency": form.terms["currency"] or deps.currency}
    try:
        terms = GiftCardTerms(**form.terms | own)
        await gift_cards_service.import_in(deps, tx, terms, form.code, form.left, form.created_at)
    except AppError as reason:
        return reason
    return True
