"""Orders with one row per line, as many shops export them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lootkeep.kernel import money
from lootkeep.kernel.money import Hundredths
from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import BadRow, FileRow, Rows
from lootkeep.toolbox.imports import cells

# The columns of one line and its subtotal; everything else comes from the order's first row.
LINE_COLUMNS = frozenset({"item_sku", "item_quantity", "item_price", "item_subtotal"})
_UNREADABLE = "Another row of this order cannot be read."


def combined(rows: Rows, dialect: Dialect) -> Rows:
    """Adjacent rows with the same external id are one order."""
    group: list[FileRow] = []
    unreadable: BadRow | None = None
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            unreadable = row if group else None
            continue
        key = row.values.get("external_id")
        is_line = bool(LINE_COLUMNS & row.values.keys())
        if group and is_line and key is not None and key == group[0].values.get("external_id"):
            group.append(row)
            continue
        yield from _order(group, unreadable, dialect)
        group, unreadable = [row], None
    yield from _order(group, unreadable, dialect)


def _order(group: list[FileRow], unreadable: BadRow | None, dialect: Dialect) -> Iterator[FileRow | BadRow]:
    if not group:
        return
    first, records = group[0], [record for row in group for record in row.records]
    if unreadable is not None and group[-1].line > unreadable.line:
        yield BadRow(first.line, _UNREADABLE, records)
        return
    lines = [line for row in group for line in _lines(row.values, dialect)]
    order = {name: value for name, value in first.values.items() if name not in LINE_COLUMNS}
    yield FileRow(first.line, order | ({"items": lines} if lines else {}), records)


def _lines(values: dict[str, Any], dialect: Dialect) -> list[dict[str, Any]]:
    """The line of a row; two lines if the units of a line cannot all have the same price."""
    named = {"sku": values["item_sku"]} if "item_sku" in values else {}
    own = cells.read(values, _READERS, dialect)
    quantity, price = own.get("item_quantity"), own.get("item_price")
    subtotal = own.get("item_subtotal")
    if price is None and isinstance(subtotal, int) and isinstance(quantity, int) and quantity:
        each, remainder = divmod(subtotal, quantity)
        shares = [(quantity - remainder, each), (remainder, each + 1)]
        return [named | {"quantity": count, "price": money.text(Hundredths(cost))} for count, cost in shares if count]
    values = {"quantity": quantity, "price": price}
    line = named | {name: value for name, value in values.items() if value is not None}
    return [line] if line else []


def _hundredths(dialect: Dialect, text: str) -> Hundredths:
    return money.parse(dialect.number(text))


_READERS = {"item_quantity": cells.integer, "item_price": Dialect.number, "item_subtotal": _hundredths}
