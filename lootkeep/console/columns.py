"""The columns of lists and tables: one declaration makes the cells of a page and those of a CSV file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, Self

from markupsafe import Markup, escape

from lootkeep.console.formats import Formats, badge, country, label, risk
from lootkeep.console.page import PREFIX, Visit
from lootkeep.domain.orders import order_number
from lootkeep.kernel import money

_TAGS = re.compile(r"<[^>]*>")
# A phone leaves it out.
_NOTHING = '<span class="muted none">–</span>'


@dataclass(frozen=True, slots=True)
class Cell:
    """How a kind of value is shown, as HTML that is escaped, and what a CSV file holds of it."""

    html: Callable[[Any, Any, Visit], str]
    csv: Callable[[Any], object] = lambda value: value
    # The class of the cell; a column of numbers is aligned to the right, its head too.
    css: str = ""
    # A moment; files hold it in the store's zone.
    is_time: bool = False
    # An amount: files for those who must not see revenue leave it out, because all of them make a sum.
    is_money: bool = False


def _text(value: object, _row: object, _visit: Visit) -> str:
    return _NOTHING if value is None or value == "" else f"<bdi>{escape(value)}</bdi>"


def _code(value: object, _row: object, _visit: Visit) -> str:
    return _NOTHING if value is None else f"<code>{escape(value)}</code>"


TEXT = Cell(_text)
NAME = Cell(_text, css="name")
EMAIL = Cell(_text, css="name email")
CODE = Cell(_code)
ORDER = Cell(lambda value, row, visit: _code(order_number(value), row, visit), order_number)
# By name on a page, with the code for those who ask; a file has the code.
COUNTRY = Cell(lambda code, *_: f'<span title="{escape(code)}">{escape(country(code))}</span>' if code else _NOTHING)
LABEL = Cell(lambda value, _row, _visit: escape(label(value)), label)
BADGE = Cell(
    lambda value, _row, _visit: badge(value) if value else _NOTHING, lambda value: label(value) if value else None
)
YES_OR_NO = Cell(lambda value, *_: "yes" if value else "no", lambda value: "yes" if value else "no", "muted")
COUNT = Cell(lambda value, _row, _visit: f"{value:,}", css="number")
AGO = Cell(lambda at, _row, visit: visit.formats.ago(at, visit.now), css="number muted", is_time=True)
DAY = Cell(lambda at, _row, visit: visit.formats.day(at) if at else "never", css="number muted", is_time=True)
# Of what ends with a day.
LAST_DAY = replace(DAY, html=lambda end, _row, visit: visit.formats.last_day(end) if end else "never")
RISK = Cell(lambda check, *_: risk(check), lambda check: check.risk_score if check else None)


def amount(currency: str | None = None, css: str = "number") -> Cell:
    """An amount in the currency that the row has under this name, else in the store's."""
    get = attrgetter(currency) if currency else lambda _: None
    return Cell(lambda value, row, visit: visit.formats.money(value, get(row)), money.decimal, css, is_money=True)


@dataclass(frozen=True)
class Column:
    """A column: its head, the value of a row by the name of an attribute, and the sort of the Listing behind the head.

    `itself` names the row as a whole.
    """

    title: str
    name: str
    cell: Cell = TEXT
    sort: str | None = None
    # Left out where a table has little room, unless someone chose it: the page of the record has it.
    is_extra: bool = False

    @cached_property
    def value(self) -> Callable[[Any], Any]:
        return (lambda row: row) if self.name == "itself" else attrgetter(self.name)

    @property
    def is_number(self) -> bool:
        return self.cell.css.startswith("number")

    @property
    def head_css(self) -> str:
        return " ".join(["number"] * self.is_number + ["extra"] * self.is_extra)


@dataclass(frozen=True, kw_only=True)
class Table:
    """What a table shows of records."""

    columns: Sequence[Column]
    # What will be here, and how to get it.
    empty: str
    # The path of a row's page; the first column that is no number links to it.
    link: Callable[[Any], str] | None = None

    def only(self, *titles: str, empty: str = "") -> Self:
        """The same with some of the columns."""
        by_title = {column.title: column for column in self.columns}
        return replace(self, columns=[by_title[title] for title in titles], empty=empty or self.empty)

    def seen_by(self, visit: Visit) -> Self:
        """Without amounts if revenue is hidden from who asks."""
        if not visit.user.permissions.hides_revenue:
            return self
        return replace(self, columns=[column for column in self.columns if not column.cell.is_money])

    def csv(self, rows: Sequence[Any], visit: Visit) -> list[list[object]]:
        """The lines of a file, the titles first."""
        table, formats = self.seen_by(visit), visit.formats
        return [table.head(formats), *(table.line(row, formats) for row in rows)]

    def head(self, formats: Formats) -> list[object]:
        return [f"{column.title} ({formats.zone})" if column.cell.is_time else column.title for column in self.columns]

    def line(self, row: Any, formats: Formats) -> list[object]:
        return [_in_file(column.cell, column.value(row), formats) for column in self.columns]

    def body(self, rows: Sequence[Any], visit: Visit, key: Callable[[Any], int] | None = None) -> Markup:
        """With a key, every row begins with a box to tick."""
        columns = [(column.value, column.cell.html, _tag(column)) for column in self.columns]
        linked = next(number for number, column in enumerate(self.columns) if not column.is_number)
        html = []
        for row in rows:
            cells = [cell(value(row), row, visit) for value, cell, _ in columns]
            if self.link:
                cells[linked] = f'<a class="row" href="{PREFIX}{self.link(row)}">{cells[linked]}</a>'
            if key:
                cells[0] = _box(key(row), cells[linked]) + cells[0]
            filled = [f"{tag}{cell}</td>" for (_, _, tag), cell in zip(columns, cells, strict=True)]
            html.append(f"<tr>{''.join(filled)}</tr>")
        return Markup("".join(html))  # noqa: S704  every cell is escaped


def _box(record_id: int, name: str) -> str:
    # What is left of a cell is escaped as it was.
    spoken = _TAGS.sub("", name)
    return (
        f'<input class="tick" type="checkbox" form="bulk" name="ids" value="{record_id}" aria-label="Select {spoken}">'
    )


def _in_file(cell: Cell, value: Any, formats: Formats) -> object:
    if cell.is_time:
        return None if value is None else formats.stamp(value)
    return cell.csv(value)


def _tag(column: Column) -> str:
    """With the title, for narrow boxes where a row is a block."""
    classes = " ".join(filter(None, (column.cell.css, "extra" if column.is_extra else "")))
    css = f' class="{classes}"' if classes else ""
    return f'<td{css} data-title="{escape(column.title)}">'
