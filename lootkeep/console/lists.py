"""The list component: filters, order and page in the URL, driven by a Listing of the storage."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any
from urllib.parse import parse_qsl, quote_plus

from markupsafe import Markup

from lootkeep.console.columns import EMAIL, Column, Table
from lootkeep.console.formats import country, label
from lootkeep.console.page import PREFIX, Answer, Page, Visit, url
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.codes import country_code
from lootkeep.domain.roles import Scope
from lootkeep.domain.saved_views import SavedView
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.paging import ListRequest, PageRequest, SortDirection
from lootkeep.services import bulk as bulk_service
from lootkeep.storage.access import accounts as accounts_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.lists import Listing

PAGE_SIZE = 25
# The value of a filter that lets everything pass, where the list opens with another one.
ANY = "any"
_MAX_PAGE = 1_000_000
_MAX_TERM = 255

# The parameters of a list that are no filters.
_NO_FILTERS = frozenset({"sort", "order", "page", "columns"})

# The filters of a list are the same words again and again.
_quoted = lru_cache(maxsize=1024)(partial(quote_plus, safe=","))

Load = Callable[[Visit, Transaction, Sequence[Any]], Awaitable[Sequence[Any]]]


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter with few values: what the URL says, and what people read. `parse` gives the Listing's value."""

    name: str
    label: str
    options: Mapping[str, str]
    parse: Callable[[str], Any] = str
    # All values side by side; else they unfold.
    is_open: bool = False

    def read(self, text: str) -> Any:
        if text not in self.options:
            raise ValueError("not one of the options")
        return self.parse(text)


def is_yes(value: str) -> bool:
    return value == "yes"


@dataclass(frozen=True, slots=True)
class Link:
    """A button in the head of a list, for those who may open its page."""

    path: str
    text: str
    css: str = "main"
    key: str = ""
    # What follows the path; `{user}` is the id of who asks.
    query: str = ""


@dataclass(frozen=True, kw_only=True)
class ListPage(Table):
    """What a page lists, and how."""

    listing: Listing[Any]
    # What the head of the page says.
    text: str = ""
    links: Sequence[Link] = ()
    choices: Sequence[Choice] = ()
    # Filters that only links set: the name, its label and how its value is read.
    linked: Mapping[str, tuple[str, Callable[[str], Any]]] = field(default_factory=dict)
    # The filters of an address that names none.
    first: Mapping[str, str] = field(default_factory=dict)
    # What the search looks through; there is none when it is empty.
    search: str = ""
    has_dates: bool = True
    # Of the default sort, unless the address names another.
    order: SortDirection = "desc"
    # From the records of a page to what its rows show.
    load: Load | None = None
    # Columns that only the file has.
    exported: Sequence[Column] = ()
    # What its rows are, where new ones are announced: one, and after a bar several, unless they only have an s more.
    news: str = ""
    # The page refreshes itself after this many seconds.
    live: int | None = None
    # The area of the acts on many of its rows and the path of their pages, the id of a row, and the filters that only
    # the page sets.
    bulk: str = ""
    bulk_path: str = ""
    key: Callable[[Any], int] = attrgetter("id")
    fixed: Sequence[str] = ()

    def as_file(self) -> Table:
        return replace(self, columns=(*self.exported, *self.columns))


@dataclass(frozen=True, slots=True)
class Shown:
    """A page of a list as the template shows it."""

    spec: ListPage
    rows: Sequence[Any]
    total: int
    request: ListRequest
    query: Mapping[str, str]
    visit: Visit
    # Those that the visitor saved of this list.
    views: Sequence[SavedView] = ()

    @property
    def body(self) -> Markup:
        table = Table(columns=self.columns, empty="", link=self.spec.link)
        return table.body(self.rows, self.visit, self.spec.key if self.acts else None)

    @property
    def columns(self) -> Sequence[Column]:
        """The first and those that the address names, however little room there is; all if it names none."""
        first, *others = self.spec.columns
        titles = self.query.get("columns", "").split(",")
        named = [replace(column, is_extra=False) for column in others if column.title in titles]
        return [first, *named] if named or first.title in titles else self.spec.columns

    @property
    def acts(self) -> list[bulk_service.Act]:
        """What the visitor can do to many of the rows."""
        return [act for act in bulk_service.acts_of(self.spec.bulk) if self.visit.user.may(act.scope)]

    @property
    def bulk_url(self) -> str:
        """Where the ticked rows are sent to, with the filter."""
        fixed = {name: self.request.filters[name] for name in self.spec.fixed}
        return url(self.spec.bulk_path) + self.url(**fixed)

    @property
    def is_filtered(self) -> bool:
        filters = {name: value for name, value in self.query.items() if name not in _NO_FILTERS}
        return filters not in ({}, self.spec.first, dict.fromkeys(self.spec.first, ANY))

    @property
    def path(self) -> str:
        return self.visit.request.url.path.removeprefix(PREFIX)

    @property
    def view(self) -> SavedView | None:
        """The saved view that is shown."""
        parameters = {name: value for name, value in self.query.items() if name != "page"}
        return next((view for view in self.views if dict(parse_qsl(view.list_query)) == parameters), None)

    @property
    def cleared(self) -> str:
        """The list as it opens, with the chosen columns."""
        return address({"columns": self.query.get("columns")})

    @property
    def everything(self) -> str:
        """The list without any filter."""
        return address({**dict.fromkeys(self.spec.first, ANY), "columns": self.query.get("columns")})

    def chosen(self, name: str) -> str:
        """What people read for the value of a filter that only links set."""
        said: dict[str, Callable[[str], str]] = {"country": lambda text: country(country_code(text))}
        return (said | {"payment_method": label}).get(name, str)(self.query[name])

    def without(self, name: str) -> str:
        """The list without this filter."""
        return self.url(**{name: ANY if name in self.spec.first else None})

    def url(self, **changes: str | int | None) -> str:
        """The same list with some of its parameters changed; None removes one, and any change begins at page 1."""
        return address({name: value for name, value in self.query.items() if name != "page"} | changes)

    @property
    def heads(self) -> list[tuple[Column, str, str]]:
        """Each column that is shown, its direction for `aria-sort`, and the address that sorts by it, if it can."""
        sorts, heads = _sorts(self.visit, self.spec), []
        for column in self.columns:
            is_sorted = column.sort is not None and column.sort == self.request.sort
            direction = f"{self.request.order}ending" if is_sorted else "none"
            other = "asc" if direction == "descending" else "desc"
            heads.append((column, direction, self.url(sort=column.sort, order=other) if column.sort in sorts else ""))
        return heads

    @property
    def choices(self) -> list[tuple[str, bool]]:
        """The titles of the columns after the first, each with whether it is shown."""
        titles = {column.title for column in self.columns}
        return [(column.title, column.title in titles) for column in self.spec.columns[1:]]

    def others(self, *names: str) -> list[tuple[str, str]]:
        """The parameters that a form for these must send along."""
        return [(name, value) for name, value in self.query.items() if name not in (*names, "page")]


def address(values: Mapping[str, str | int | None]) -> str:
    """The part of a URL from the question mark on."""
    pairs = [f"{_quoted(name)}={_quoted(str(value))}" for name, value in values.items() if value is not None]
    return "?" + "&".join(pairs)


async def show(visit: Visit, spec: ListPage, **fixed: Any) -> dict[str, Any]:
    """The page of the list that the URL asks for, under the name `list`; the edge exports it with `format=csv`."""
    query, request = asked(visit, spec, **fixed)
    async with visit.deps.db.read(slow=request.is_slow) as tx:
        rows, total = await _load(visit, tx, spec, request)
        listed = Shown(spec, rows, total, request, query, visit)
        views = await accounts_db.VIEWS.find(tx, user_id=visit.user.id, path=listed.path)
    return {"list": replace(listed, views=views), "live": spec.live}


def asked(visit: Visit, spec: ListPage, **fixed: Any) -> tuple[dict[str, str], ListRequest]:
    """What the URL says of a list, and what that asks for."""
    query = {name: value for name, value in visit.query.items() if value}
    query.pop("format", None)
    if columns := visit.request.query_params.getlist("columns"):
        query["columns"] = ",".join(columns)
    if not query.keys() - _NO_FILTERS:
        query = {**spec.first, **query}
    return query, _request(visit, spec, query, fixed)


def page(
    path: str,
    scope: Scope,
    title: str,
    spec: ListPage,
    group: str | None = None,
    template: str = "list.html",
) -> Page:
    """The row of a page that shows a list and nothing else."""

    async def handler(visit: Visit) -> Answer:
        return await show(visit, spec)

    return Page("GET", path, scope, title, handler, template, group=group)


async def newest(visit: Visit, tx: Transaction, spec: ListPage, size: int, **filters: Any) -> tuple[Sequence[Any], int]:
    """The newest rows of a list, for another page, and how many there are."""
    return await _load(visit, tx, spec, ListRequest(PageRequest(1, size), filters))


async def _load(visit: Visit, tx: Transaction, spec: ListPage, request: ListRequest) -> tuple[Sequence[Any], int]:
    rows, total = await spec.listing.page(tx, request)
    return (await spec.load(visit, tx, rows) if spec.load else rows), total


def _request(visit: Visit, spec: ListPage, query: Mapping[str, str], fixed: Mapping[str, Any]) -> ListRequest:
    filters: dict[str, Any] = dict(fixed)
    for choice in spec.choices:
        if (value := query.get(choice.name, ANY)) != ANY:
            filters[choice.name] = _parsed(choice.name, choice.label, choice.read, value)
    for name, (title, parse) in spec.linked.items():
        if name in query:
            filters[name] = _parsed(name, title, parse, query[name])
    if spec.search and (term := query.get("search", "").strip()):
        filters |= searching(visit, term[:_MAX_TERM])
    if spec.has_dates:
        for name, is_included in (("from", False), ("to", True)):
            if name in query:
                read = partial(inputs_rules.day, timezone=visit.options.timezone, is_included=is_included)
                filters[name] = _parsed(name, name.capitalize(), read, query[name])
    default = next(iter(spec.listing.sorts))
    sort = query["sort"] if query.get("sort") in _sorts(visit, spec) else default
    number = max(1, min(inputs_rules.integer(query.get("page", "")) or 1, _MAX_PAGE))
    order: SortDirection = "asc" if query.get("order", spec.order) == "asc" else "desc"
    return ListRequest(PageRequest(number, PAGE_SIZE), filters, sort, order)


def _sorts(visit: Visit, spec: ListPage) -> set[str]:
    """Sorted by e-mail, the letters of masked ones could be guessed."""
    masks = visit.user.permissions.masks_emails
    return {column.sort for column in spec.columns if column.sort and not (masks and column.cell is EMAIL)}


def searching(visit: Visit, term: str) -> dict[str, Any]:
    """The filter of a search, which must not guess e-mails part by part for someone whose role masks them."""
    return {"search": term} | ({"masks": True} if visit.user.permissions.masks_emails else {})


def _parsed(name: str, label: str, parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except ValueError:
        raise invalid(name, f"The filter {label} in the address cannot be read.") from None
