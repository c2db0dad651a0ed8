"""Query parameters that all lists share: the page and the sort order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from lootkeep.api.http.fields import QueryDate, QueryInteger, field
from lootkeep.api.http.routes import Call, Reply
from lootkeep.api.http.validation import QueryParameters
from lootkeep.kernel import paging
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.storage.lists import Listing

R = TypeVar("R")

MAX_PAGE = 100
_NO_FILTERS = frozenset({"page", "per_page", "sort", "order"})


class PageQuery(QueryParameters):
    """`page` and `per_page`, refused rather than clamped when out of range."""

    page: Annotated[QueryInteger, field("The page, from 1.", ge=1)] = 1
    per_page: Annotated[QueryInteger, field("The number of items per page.", ge=1, le=MAX_PAGE)] = 15

    @property
    def asked(self) -> PageRequest:
        return PageRequest(self.page, self.per_page)

    def request(self, **changed: Any) -> ListRequest:
        """The page that was asked for, of what passes the filters that were sent; some are stored in another form."""
        filters = {name: value for name, value in vars(self).items() if name not in _NO_FILTERS}
        if "search" in filters:
            filters["search"] = term(filters["search"])
        if "from_" in filters:
            filters |= days(filters.pop("from_"), filters.pop("to"))
        filters |= changed
        order = {name: getattr(self, name) for name in ("sort", "order") if name in type(self).model_fields}
        return ListRequest(self.asked, {name: value for name, value in filters.items() if value is not None}, **order)


class LimitQuery(QueryParameters):
    """`limit`, for the lists that only show their top."""

    limit: Annotated[QueryInteger, field("The number of entries to return.", ge=1, le=MAX_PAGE)] = 10


class ListQuery(PageQuery):
    """What the lists of the back office share: the days of creation, a search, and the direction."""

    from_: Annotated[QueryDate | None, field("Created on this UTC day or later.", alias="from")] = None
    to: Annotated[QueryDate | None, field("Created on this UTC day or earlier.")] = None
    search: Annotated[str | None, field("The text to search for, case-insensitive.", max_length=255)] = None
    order: Annotated[paging.SortDirection, field("The sort direction.")] = "desc"


async def answer_page(call: Call[Any, Any], listing: Listing[R], view: Callable[[R], Any], **changed: Any) -> Reply:
    """The page of a list that the query asks for."""
    request = call.query.request(**changed)
    async with call.deps.db.read(slow=request.is_slow) as tx:
        records, total = await listing.page(tx, request)
    return Reply([view(record) for record in records], page=request.page, total=total)


def in_order(name: str, least: int | None, most: int | None) -> None:
    """Rejects a range that ends before it starts."""
    if least is not None and most is not None and least > most:
        raise invalid(f"min_{name}", f"The min {name} field must not be greater than max {name}.")


def term(search: str | None) -> str | None:
    """The search term; None if it is blank."""
    return (search or "").strip() or None


def days(first: Instant | None, last: Instant | None) -> dict[str, Instant | None]:
    """Whole UTC days, both included, as a half-open range of time."""
    if first is not None and last is not None and first > last:
        raise invalid("from", "The from field must not be after to.")
    return {"from": first, "to": None if last is None else Instant(last + DAY)}


SortDirection = Annotated[paging.SortDirection, field("The sort direction.")]
