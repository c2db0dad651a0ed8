"""Query parameters that all lists share: the page, and the order."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lootkeep.api.http.fields import QueryInteger
from lootkeep.api.http.validation import Query
from lootkeep.kernel import paging
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.paging import Page

LARGEST_PAGE = 100
# Pages beyond this hold nothing: no list has so many items.
_LAST_PAGE = 1_000_000_000


class PageQuery(Query):
    """`page` and `per_page`, refused rather than clamped when out of range."""

    page: Annotated[QueryInteger, Field(ge=1, le=_LAST_PAGE, description="The page, from 1.")] = 1
    per_page: Annotated[QueryInteger, Field(ge=1, le=LARGEST_PAGE, description="How many items a page holds.")] = 15

    @property
    def asked(self) -> Page:
        return Page(self.page, self.per_page)


class LimitQuery(Query):
    """`limit`, for the lists that only show their top."""

    limit: Annotated[QueryInteger, Field(ge=1, le=LARGEST_PAGE, description="How many entries to answer.")] = 10


def days(first: Instant | None, last: Instant | None) -> dict[str, Instant | None]:
    """Whole UTC days, both included, as a half-open stretch of time."""
    if first is not None and last is not None and first > last:
        raise invalid("from", "The from field must not lie after to.")
    return {"from": first, "to": None if last is None else Instant(last + DAY)}


Order = Annotated[paging.Order, Field(description="The direction of the order.")]
