"""Pages of a list: the request, and the metadata of the response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

SortDirection = Literal["asc", "desc"]

# No list is that long, and a database can still add to it in 64 bits.
_MAX_OFFSET = 2**62


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The requested page, counted from 1."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        return min((self.number - 1) * self.size, _MAX_OFFSET)


@dataclass(frozen=True, slots=True)
class ListRequest:
    """A request to a list: a page of the rows that match the filters, in a sort order."""

    page: PageRequest
    # Values by filter name; a missing name means no filter.
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
