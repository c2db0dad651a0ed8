"""Reads past orders from a CSV file: columns by name; missing columns are unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

import msgspec

from lootkeep.domain import identity as identity_rules
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.money import Hundredths
from lootkeep.toolbox.backtest.cells import LABEL_RULE, RULES, CellRule
from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import BadRow, FileOptions, FileRow, opened

COLUMNS = (
    "order_id",
    "customer_id",
    "email",
    "customer_created_at",
    "created_at",
    "ip_address",
    "device_id",
    "billing_country",
    "user_agent",
    "total",
    "signup_device_id",
    "signup_ip_address",
    "payment_fingerprint",
    "payment_country",
    "player",
    "declined_at",
    "disputed_at",
)
# How often progress is reported, in rows.
_STEP = 500


class PastOrder(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A parsed row of the file."""

    order_id: str
    is_fraud: bool
    created_at: Instant | None = None
    customer_id: str | None = None
    customer_created_at: Instant | None = None
    email: str = ""
    ip_address: str | None = None
    device_id: str | None = None
    billing_country: str | None = None
    user_agent: str | None = None
    total: Hundredths | None = None
    # What the account was seen with when it was created.
    signup_device_id: str | None = None
    signup_ip_address: str | None = None
    payment_fingerprint: str | None = None
    payment_country: str | None = None
    # Who got it.
    player: str | None = None
    # When payments of the order were declined.
    declined_at: tuple[Instant, ...] = ()
    # When it became known that the order was fraud.
    disputed_at: Instant | None = None

    @property
    def account(self) -> str | None:
        return self.customer_id or self.mailbox

    @property
    def mailbox(self) -> str | None:
        return identity_rules.mailbox(self.email) if self.email else None


class PastOrders(msgspec.Struct):
    """The content of a file, in its own order."""

    columns: frozenset[str] = frozenset()
    orders: list[PastOrder] = []
    skipped: list[BadRow] = []

    @property
    def missing(self) -> list[str]:
        return [name for name in COLUMNS if name not in self.columns]


def read(file: BinaryIO, label: str, options: FileOptions, advance: Callable[[int], None]) -> PastOrders:
    """Every valid row, and all errors of the others; reports how many bytes it has read."""
    label = label.strip().lower()
    with opened(file, options) as table:
        if label not in table.columns:
            raise StartupError(f"The file has no column named {label}: it has {', '.join(table.columns)}.")
        past_orders = PastOrders(columns=frozenset(table.columns))
        for count, row in enumerate(table.rows()):
            past = row if isinstance(row, BadRow) else _past_order(row, label, past_orders.columns, table.dialect)
            if isinstance(past, BadRow):
                past_orders.skipped.append(past)
            else:
                past_orders.orders.append(past)
            if count % _STEP == 0:
                advance(table.bytes_read)
    if not past_orders.orders:
        raise StartupError(_nothing(past_orders))
    return past_orders


def _past_order(row: FileRow, label: str, columns: frozenset[str], dialect: Dialect) -> PastOrder | BadRow:
    cells = {name: text for name, cell in row.values.items() if (text := cell.strip())}
    # An empty cell is unknown. Only an empty label has a meaning, and an order must have its time.
    values: dict[str, Any] = {name: cells[name] for name in COLUMNS if name in cells}
    errors = list(_check(values, RULES, dialect))
    if "created_at" in columns and "created_at" not in cells:
        errors.append("The created_at field is empty.")
    marked = {label: cells.get(label, "")}
    errors += _check(marked, {label: LABEL_RULE}, dialect)
    if errors:
        return BadRow(row.line, " ".join(errors))
    values.setdefault("order_id", str(row.line))
    return PastOrder(is_fraud=marked[label] is True, **values)


def _check(values: dict[str, Any], rules: Mapping[str, CellRule], dialect: Dialect) -> Iterator[str]:
    """Replaces each text with its parsed value, and returns the errors of those that cannot be parsed."""
    for name, rule in rules.items():
        if name not in values:
            continue
        try:
            values[name] = rule.read(dialect, values[name])
        except (ValueError, KeyError, OverflowError):
            yield f"The {name} field {rule.words}."


def _nothing(past_orders: PastOrders) -> str:
    if not past_orders.skipped:
        return "The file has no orders: there are no rows below the column names."
    first = past_orders.skipped[0]
    return f"None of the {len(past_orders.skipped)} rows can be read. Line {first.line}: {first.reason}"
