"""Pages of a list: which one is asked for, and what is said of it in the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Order = Literal["asc", "desc"]


@dataclass(frozen=True, slots=True)
class Page:
    """The page asked for, counted from 1."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        return (self.number - 1) * self.size


def last_page(total: int, size: int) -> int:
    """The number of the last page; an empty list still has one."""
    return max(1, -(-total // size))
