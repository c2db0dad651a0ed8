"""A store to import into, on either engine, and what is in it afterwards."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Table, select

from lootkeep import wiring
from lootkeep.deps import Deps
from lootkeep.domain.products import ProductTerms
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.money import Hundredths
from lootkeep.services import customers as customers_service, products as products_service, recount as recount_service
from lootkeep.settings import Settings
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import (
    counters,
    customers as customer_table,
    events,
    order_items,
    orders,
    referrals,
    refunds,
    sightings,
)
from tests.cli.terminal import KEY, CommandResult, Terminal

T = TypeVar("T")

# The tables that an import writes.
WRITTEN = (customer_table, orders, order_items, refunds, referrals, sightings, counters, events)

CUSTOMER = {"email": "ada@a.example", "name": "Ada", "created_at": "2024-01-02T03:04:05Z"}
ORDER = {
    "external_id": "o1",
    "customer_email": "ada@a.example",
    "items": "SWORD:1@10.00",
    "created_at": "2024-02-01T10:00:00Z",
    "paid_at": "2024-02-01T10:01:00Z",
    "completed_at": "2024-02-02T10:00:00Z",
}


@dataclass
class ImportedStore:
    """Runs imports and looks at the tables."""

    terminal: Terminal
    settings: dict[str, str]

    def run(self, kind: str, content: str | bytes, *options: str, name: str = "") -> CommandResult:
        """Imports a file of that content; CSV unless it is named otherwise."""
        name = name or f"{kind}.csv"
        raw = content if isinstance(content, bytes) else content.encode()
        (self.terminal.folder / name).write_bytes(raw)
        return self.terminal.call("import", kind, name, *options, **self.settings)

    def tally(self, kind: str, content: str | bytes, *options: str, name: str = "") -> tuple[int, int, int]:
        """How many were imported, skipped and refused."""
        outcome = self.run(kind, content, "--json", *options, name=name)
        summary = json.loads(outcome.out)
        assert outcome.code == (1 if summary["refused"] else 0), outcome
        return summary["imported"], summary["skipped"], summary["refused"]

    def reason(self, kind: str, content: str | bytes, *, name: str = "") -> str:
        """The reason for the only rejected row."""
        outcome = self.run(kind, content, name=name)
        assert outcome.code == 1, outcome
        (line,) = [line for line in outcome.err.splitlines() if line.startswith("Line ")]
        return line

    def rows(self, table: Table) -> list[dict[str, Any]]:
        query = Query(select(table).order_by(*table.primary_key.columns))

        async def read(deps: Deps) -> list[Any]:
            async with deps.db.read() as tx:
                return await tx.all(query)

        return [dict(zip(table.c.keys(), row, strict=True)) for row in self.within(read)]

    def everything(self) -> dict[str, list[dict[str, Any]]]:
        return {table.name: self.rows(table) for table in WRITTEN}

    def wrong_totals(self) -> dict[str, int]:
        return {name: count for name, count in self.within(recount_service.check).items() if count}

    def product(self, sku: str, **terms: Any) -> int:
        plain: dict[str, Any] = dict.fromkeys(ProductTerms.__struct_fields__) | {
            "name": sku,
            "sku": sku,
            "delivery_type": "manual",
            "billing_type": "one_time",
            "status": "active",
            "price": Hundredths(10_00),
            "currency": "USD",
            "tags": "[]",
            "metadata": "{}",
            "commands": "[]",
        }
        return self.within(lambda deps: products_service.create(deps, ProductTerms(**plain | terms))).id

    def referrer(self) -> str:
        """The code of a customer who was there before."""
        form = SignUp(email="first@first.example", name="First")
        return self.within(lambda deps: customers_service.sign_up(deps, form)).customer.referral_code

    def within(self, operation: Callable[[Deps], Awaitable[T]]) -> T:
        async def run() -> T:
            async with wiring.opened(Settings(_env_file=None, **self.settings)) as deps:  # type: ignore[arg-type]
                return await operation(deps)

        return asyncio.run(run())


def settings_for(db_location: Path | str) -> dict[str, str]:
    url = db_location if isinstance(db_location, str) else f"sqlite:///{db_location}"
    return {"database_url": url, "secret_key": KEY}


def csv_text(rows: Iterable[dict[str, Any]], columns: Sequence[str] | None = None, end: str = "\n") -> str:
    """The rows under a header."""
    records = list(rows)
    text = io.StringIO()
    writer = csv.DictWriter(
        text, columns or list(dict.fromkeys(key for row in records for key in row)), lineterminator=end
    )
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


def ndjson(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def customers_csv(count: int, *codes: str) -> str:
    """This many customers; some of them came with one of the codes."""
    rows = [
        {
            "email": f"player{number}@mail{number % 7}.example",
            "name": f"Player {number}",
            "external_id": f"c{number}",
            "referral_code": codes[number % len(codes)] if codes and number % 3 else "",
            "ip_address": f"198.51.{number // 250}.{number % 250}",
            "created_at": f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}T10:00:00Z",
        }
        for number in range(count)
    ]
    return csv_text(rows)


def orders_csv(count: int, customers: int) -> str:
    """This many paid orders of SWORD and SHIELD by those customers."""
    rows = [
        {
            "external_id": f"o{number}",
            "customer_external_id": f"c{number * 7 % customers}",
            "items": "SWORD:2@9.50;SHIELD:1@5.00" if number % 2 else "SWORD:1@9.50",
            "created_at": f"2025-{number % 12 + 1:02}-{number % 28 + 1:02}T10:00:00Z",
            "paid_at": f"2025-{number % 12 + 1:02}-{number % 28 + 1:02}T11:00:00Z" if number % 5 else "",
        }
        for number in range(count)
    ]
    return csv_text(rows)
