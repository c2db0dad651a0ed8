"""Query parameters that all lists share: the page, and the order."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lootkeep.api.http.fields import QueryDate, QueryInteger
from lootkeep.api.http.validation import Query
from lootkeep.kernel import paging
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.paging import ListRequest, Page

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

    def request(self, **filters: Any) -> ListRequest:
        """The page that was asked for, of what passes the filters that were sent."""
        sent = {name: value for name, value in filters.items() if value is not None}
        order = {name: getattr(self, name) for name in ("sort", "order") if name in type(self).model_fields}
        return ListRequest(self.asked, sent, **order)


class LimitQuery(Query):
    """`limit`, for the lists that only show their top."""

    limit: Annotated[QueryInteger, Field(ge=1, le=LARGEST_PAGE, description="How many entries to answer.")] = 10


class ListQuery(PageQuery):
    """What the lists of the back office share: the days of creation, a search, and the direction."""

    from_: Annotated[QueryDate | None, Field(alias="from", description="Created on this UTC day or later.")] = None
    to: Annotated[QueryDate | None, Field(description="Created on this UTC day or earlier.")] = None
    search: Annotated[str | None, Field(max_length=255, description="A text to look for, in any case.")] = None
    order: Annotated[paging.Order, Field(description="The direction of the order.")] = "desc"

    def request(self, **filters: Any) -> ListRequest:
        return super().request(**filters, **days(self.from_, self.to), search=term(self.search))


def in_order(name: str, least: int | None, most: int | None) -> None:
    """Refuses a range whose ends are the wrong way round."""
    if least is not None and most is not None and least > most:
        raise invalid(f"min_{name}", f"The min {name} field must not be greater than max {name}.")


def term(search: str | None) -> str | None:
    """What to look for; blanks alone are nothing."""
    return (search or "").strip() or None


def days(first: Instant | None, last: Instant | None) -> dict[str, Instant | None]:
    """Whole UTC days, both included, as a half-open stretch of time."""
    if first is not None and last is not None and first > last:
        raise invalid("from", "The from field must not lie after to.")
    return {"from": first, "to": None if last is None else Instant(last + DAY)}


Order = Annotated[paging.Order, Field(description="The direction of the order.")]
