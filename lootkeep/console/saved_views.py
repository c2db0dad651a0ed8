"""Saved views of lists: naming what a list shows now, renaming it and deleting it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lootkeep.console import forms
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Done, Page, Visit, change, page_at, url
from lootkeep.domain.saved_views import MAX_NAME_LENGTH, SavedView
from lootkeep.kernel.errors import NotFound
from lootkeep.services import saved_views as saved_views_service
from lootkeep.storage.access import accounts as accounts_db

FORM = (Field("name", "Name", forms.text(MAX_NAME_LENGTH), is_required=True, placeholder="Waits for me"),)


async def show_new(visit: Visit) -> Answer:
    """What the form of a list sent, if something was wrong with it."""
    path, query = (visit.form.get(name, "") for name in ("list", "query"))
    text = "The filter and the order of a list, under a name that only you see."
    page = {"title": "Save a view", "text": text, "back": path or "/account"}
    return forms.show(visit, FORM, None, **page, hidden={"list": path, "query": query})


async def save(pages: Sequence[Page], visit: Visit) -> Answer:
    path, query = (visit.form.get(name, "") for name in ("list", "query"))
    page = page_at(pages, path)
    if page is None or page.scope is None or not visit.user.may(page.scope):
        raise NotFound("List")
    name = forms.read(visit, FORM)["name"]
    before, after = await saved_views_service.save(visit.deps, visit.user.id, name, path, query)
    return _done(f"“{name}” is saved.", before, after)


async def show_views(pages: Sequence[Page], visit: Visit) -> Answer:
    """All of them, with the form of the one that the address names."""
    wanted = visit.request.path_params.get("id") or visit.query.get("edit")
    async with visit.deps.db.read() as tx:
        views = await accounts_db.VIEWS.find(tx, user_id=visit.user.id)
    lists = {view.path: _list_name(pages, view.path) for view in views}
    chosen = next((view for view in views if str(view.id) == wanted), None)
    return {"views": views, "lists": lists, "fields": FORM, "view": chosen}


def _list_name(pages: Sequence[Page], path: str) -> str:
    """As people read it: *Orders*, *Webhook 2*."""
    page = page_at(pages, path)
    return " ".join([page.title if page else path, *(part for part in path.split("/") if part.isdecimal())])


async def rename(visit: Visit) -> Answer:
    name = forms.read(visit, FORM)["name"]
    before, after = await saved_views_service.rename(visit.deps, visit.id, visit.user.id, name)
    return _done(f"The view is now “{name}”.", before, after)


async def delete(visit: Visit) -> Answer:
    view = await saved_views_service.delete(visit.deps, visit.id, visit.user.id)
    return _done(f"“{view.name}” is deleted.", view, None)


def _done(message: str, before: SavedView | None, after: SavedView | None) -> Done:
    """The log has no query: what someone searched for may be a name."""
    view = after or before
    assert view is not None
    to = f"{url(view.path)}?{view.list_query}" if after else url(view.path)
    old, new = ({"name": each.name, "list": each.path} if each else None for each in (before, after))
    return Done(to, message, f"view:{view.id}", old, new)


def pages(listed: Sequence[Page]) -> tuple[Page, ...]:
    """The rows, for views of these pages."""
    return (
        *forms.rows("/account/views/new", "account", "Save a view", show_new, partial(save, listed)),
        Page("GET", "/account/views", "account", "Saved views", partial(show_views, listed), "saved_views.html"),
        change("/account/views/{id}/edit", "account", "Edit a view", rename),
        change("/account/views/{id}/delete", "account", "Delete a view", delete),
    )
