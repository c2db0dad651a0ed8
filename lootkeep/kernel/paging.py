"""Pages of a list: which one is asked for, and what is said of it in the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

SortDirection = Literal["asc", "desc"]


@dataclass(frozen=True, slots=True)
class Page:
    """The page asked for, counted from 1."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        return (self.number - 1) * self.size


@dataclass(frozen=True, slots=True)
class ListRequest:
    """What is asked of a list: a page of the rows that pass the filters, in an order."""

    page: Page
    # Values by the name of their filter; a name that is missing filters nothing.
    filters: Mapping[str, Any] = field(default_factory=dict)
    sort: str = "created_at"
    order: SortDirection = "desc"

    @property
    def is_slow(self) -> bool:
        """The first page of a plain list takes microseconds; anything else may take milliseconds."""
        return bool(self.filters) or self.page.number > 1


def last_page(total: int, size: int) -> int:
    """The number of the last page; an empty list still has one."""
    return max(1, -(-total // size))
