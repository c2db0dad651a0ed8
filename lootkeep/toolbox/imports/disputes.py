"""Disputes from the rows of a file, each of an order in the store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from pydantic import Field, create_model

from lootkeep.api.http.validation import parse
from lootkeep.api.store.customers import NameText
from lootkeep.api.store.order_reports import DisputeBody
from lootkeep.deps import Deps
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, invalid
from lootkeep.services import orders as orders_service
from lootkeep.services.orders import DisputeReport
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.orders import rows as orders_db
from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import Rows
from lootkeep.toolbox.imports import cells
from lootkeep.toolbox.imports.cells import CellReader

_REFERENCES = ("order_id", "order_external_id")
_Row = create_model(
    "DisputeRow",
    __base__=DisputeBody,
    order_id=(Annotated[int, Field(ge=1)] | None, None),
    order_external_id=(NameText | None, None),
)


class DisputeForm(msgspec.Struct, frozen=True):
    """A validated row; an order given by external id is not looked up yet."""

    order: int | str
    report: DisputeReport


class Disputes:
    """Identified by order, kind and external id."""

    noun = "disputes"
    key_name = "external id"
    columns = frozenset(_Row.model_fields)
    readers: Mapping[str, CellReader] = {
        "order_id": cells.integer,
        "at": cells.time,
        "evidence_due_at": cells.time,
        "kind": cells.word,
    }

    def missing(self, columns: Collection[str]) -> str | None:
        absent = [name for name in ("kind", "reason") if name not in columns]
        if not any(name in columns for name in _REFERENCES):
            absent.append(" or ".join(_REFERENCES))
        return f"a column named {' and one named '.join(absent)}" if absent else None

    def combined(self, rows: Rows, dialect: Dialect) -> Rows:
        return rows

    def checked(self, values: dict[str, Any], now: Instant) -> DisputeForm:
        sent = parse(values, _Row).sent()
        order_id, external_id = (sent.pop(name, None) for name in _REFERENCES)
        order = order_id if order_id is not None else external_id
        if order is None:
            raise invalid("order_id", "The order id field is required, or an order external id.")
        return DisputeForm(order, DisputeReport(**sent))

    def key(self, form: DisputeForm) -> str | None:
        report = form.report
        return None if report.external_id is None else f"{form.order} {report.kind} {report.external_id}"

    def unique(self, form: DisputeForm) -> dict[str, str]:
        return {}

    async def look_up(
        self, deps: Deps, tx: Transaction, forms: Sequence[DisputeForm]
    ) -> tuple[set[str], Mapping[str, int]]:
        """Existing disputes are detected when they are added."""
        names = [form.order for form in forms if isinstance(form.order, str)]
        return set(), await orders_db.ROWS.ids_by(tx, "external_id", names)

    async def add(
        self, deps: Deps, tx: Transaction, forms: Sequence[DisputeForm], existing: Mapping[str, int]
    ) -> list[bool | AppError]:
        outcomes: list[bool | AppError] = []
        for form in forms:
            order_id = existing.get(form.order, 0) if isinstance(form.order, str) else form.order
            try:
                outcomes.append(await orders_service.import_dispute(tx, order_id, form.report, deps.clock.now()))
            except AppError as reason:
                outcomes.append(reason)
        return outcomes
