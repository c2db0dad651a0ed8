"""The command palette: what was found while someone types, pages by name, and actions with the typed text filled in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup

from lootkeep.console import search
from lootkeep.console.formats import label
from lootkeep.console.lists import ListPage, address
from lootkeep.console.page import Answer, Page, Visit, page_at, url
from lootkeep.domain import coupons as coupons_rules
from lootkeep.kernel.errors import AppError
from lootkeep.storage.access import accounts as accounts_db

# Of each list: the search page has more.
_EACH = 2
_MAX_PAGES = 6
# Forms that begin with what was typed: the path, the field that it goes to, and what is created.
_FILLED = (("/coupons/new", "code", "coupon"), ("/products/new", "name", "product"))
# Columns whose numbers say nothing without their title.
_COUNTED = ("Sold", "Used")
# What is typed before the name of something that does not exist yet; the titles of forms differ.
_VERBS = frozenset({"add", "create", "invite", "issue", "make", "new", "set"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A line to choose: where it leads, its name, and what is known of it."""

    to: str
    name: str
    text: str = ""
    kind: str = "Page"


async def show(pages: Sequence[Page], visit: Visit) -> Answer:
    term = search.term_of(visit)
    groups = await search.find(visit, term)
    entries = [entry for name, (spec, rows) in groups.items() for entry in _found(visit, name, spec, rows)]
    if delivery := await search.delivery_of(visit, term):
        to, text = url(f"/deliveries/{delivery.public_id}"), f"{delivery.event_type} · {label(delivery.status)}"
        entries.append(Entry(to, delivery.public_id, text, "Delivery"))
    return {
        "term": term,
        "found": entries,
        "views": await _views(visit, pages, term),
        # Who types the name of a page means it: it comes before what would be created under that name.
        "actions": [*_by_name(visit, pages, term), *_actions(visit, pages, term, groups)],
    }


def _found(visit: Visit, name: str, spec: ListPage, rows: Sequence[Any]) -> Iterable[Entry]:
    """In the columns of the search, which hide what the visitor must not see."""
    for row in rows[:_EACH]:
        # Every cell is escaped.
        cells = [Markup(column.cell.html(column.value(row), row, visit)) for column in spec.columns]  # noqa: S704
        for index, column in enumerate(spec.columns):
            cells[index] += f" {column.title.lower()}" if column.title in _COUNTED else ""
        assert spec.link is not None
        yield Entry(
            url(spec.link(row)), Markup(" ").join(cells[:2]), Markup(" · ").join(cells[2:]), name.removesuffix("s")
        )


def _actions(visit: Visit, pages: Sequence[Page], term: str, groups: search.Groups) -> Iterable[Entry]:
    allowed = {page.path for page in pages if page.method == "GET" and page.scope and visit.user.may(page.scope)}
    for path, field, noun in _FILLED:
        value = _value(term, noun)
        if value and path in allowed and (field != "code" or _is_code(value)):
            to = url(path) + address({field: value})
            yield Entry(to, f"Create {noun} {value}", "Opens the form with this filled in", "Action")
    if "/products/{id}/keys" in allowed:
        for product in groups.get("Products", (None, ()))[1][:_EACH]:
            if product.delivery_type == "keys":
                yield Entry(url(f"/products/{product.id}/keys"), f"Add keys to {product.name}", kind="Action")


def _new(term: str) -> list[str] | None:
    """The words after *create*; None if it does not begin with that."""
    verb, *words = term.split() or [""]
    return words if verb.lower() in _VERBS else None


def _value(term: str, noun: str) -> str:
    """What a form is filled with: the whole text, or after *create coupon* the remainder."""
    words = _new(term)
    if words is None:
        return term
    return " ".join(words[1:]) if words[:1] and noun == words[0].lower() else ""


def _is_code(term: str) -> bool:
    try:
        coupons_rules.checked_code(term.upper())
    except AppError:
        return False
    return True


async def _views(visit: Visit, pages: Sequence[Page], term: str) -> list[Entry]:
    """What the visitor saved, by any part of its name."""
    async with visit.deps.db.read() as tx:
        views = await accounts_db.VIEWS.find(tx, user_id=visit.user.id)
    entries = []
    for view in views:
        page = page_at(pages, view.path)
        if page and page.scope and visit.user.may(page.scope) and term.lower() in view.name.lower():
            entries.append(Entry(f"{url(view.path)}?{view.list_query}", view.name, page.title, "View"))
    return entries[:_MAX_PAGES]


def _by_name(visit: Visit, pages: Sequence[Page], term: str) -> Iterable[Entry]:
    """Pages that need no record, by any part of their title; forms also by *create* and what they create."""
    words = _new(term.lower())

    def fits(page: Page) -> bool:
        title = page.title.lower()
        is_named = words is not None and page.path.endswith("/new") and all(f" {word}" in title for word in words)
        return is_named or term.lower() in title

    named = [
        Entry(url(page.path), page.title, page.group or "")
        for page in pages
        if page.method == "GET" and "{" not in page.path and page.template and page.path not in _HERE
        if page.scope is not None and visit.user.may(page.scope) and fits(page)
    ]
    return sorted(named, key=lambda entry: not entry.name.lower().startswith(term.lower()))[:_MAX_PAGES]


_HERE = ("/palette", "/search")


def page(pages: Sequence[Page]) -> Page:
    """The row of the palette over these pages."""
    return Page("GET", "/palette", "account", "Search or do", partial(show, pages), "palette.html")
