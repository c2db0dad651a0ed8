"""The filters of lists: one condition each, and how its index helps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import BindParameter, Column, Table, Text, bindparam

from lootkeep.kernel.search import folded
from lootkeep.storage.engine.dialect import MIN_INDEXED_TERM, Contains, ContainsShort, HidesEmail, IsListed, Unindexed

# The end of the name of a filter for someone who must not see e-mails.
MASKED = "_masked"


@dataclass(frozen=True)
class Filter:
    """One condition, and how its index, if it has one, helps.

    "sorted" returns the matches in the default order of the list, "unsorted" only finds them. Without its own index a
    filter is checked along the index of another filter or of the sort.
    """

    condition: Callable[[Any], Any]
    column: Any
    index: Literal["sorted", "unsorted"] | None = "unsorted"

    def clause(self, *, is_indexed: bool) -> Any:
        return self.condition(self.column if is_indexed or self.index is None else Unindexed(self.column))


def equals(column: Any, name: str, index: Literal["sorted", "unsorted"] | None = "sorted") -> Filter:
    return Filter(lambda it: it == _columns_wanted(name, column), column, index)


def equals_each(table: Table, *names: str, index: Literal["sorted", "unsorted"] | None = "sorted") -> dict[str, Filter]:
    """Filters that have the names of their columns."""
    return {name: equals(table.c[name], name, index) for name in names}


def at_least(column: Any, name: str) -> Filter:
    return Filter(lambda it: it >= _columns_wanted(name, column), column)


def at_most(column: Any, name: str) -> Filter:
    return Filter(lambda it: it <= _columns_wanted(name, column), column)


def within(column: Any) -> dict[str, Filter]:
    """The filters `from`, and `to`, which is exclusive."""
    before = Filter(lambda it: it < _columns_wanted("to", column), column)
    return {"from": at_least(column, "from"), "to": before}


def subquery(column: Any, keys: Any) -> Filter:
    return Filter(lambda _: column.in_(keys), column)


def listed(column: Any, name: str = "ids") -> Filter:
    """A filter whose value is a JSON array."""
    return Filter(lambda it: IsListed(it, bindparam(f"wanted_{name}", type_=Text)), column)


def contains(text: Column[str], name: str = "search") -> Filter:
    """The filter `search`; a short term, which has no index, is `search_short`."""
    return Filter(lambda _: _contains(Contains, text, name), text)


def contains_short(text: Column[str], name: str = "search_short") -> Filter:
    return Filter(lambda _: _contains(ContainsShort, text, name), text)


def _contains(condition: type[Contains], text: Column[str], name: str) -> Any:
    """For someone who must not see e-mails, `search_masked` and `search_short_masked` find one by the whole of it."""
    term = _columns_wanted(name, text)
    return condition(text, term) & HidesEmail(text, term) if name.endswith(MASKED) else condition(text, term)


def _columns_wanted(name: str, column: Any) -> BindParameter[Any]:
    return bindparam(f"wanted_{name}", type_=column.type)


def term_filters(term: str) -> dict[str, Any]:
    """The filter for this search term, by name."""
    term = folded(term)
    return {"search" if len(term) >= MIN_INDEXED_TERM else "search_short": term}
