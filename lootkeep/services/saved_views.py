"""Saved views of lists: everyone has their own."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import access as access_rules
from lootkeep.domain.saved_views import MAX_QUERY_LENGTH, MAX_VIEWS, SavedView
from lootkeep.kernel.errors import Unprocessable, existing, invalid
from lootkeep.storage.access import accounts as accounts_db
from lootkeep.storage.engine.database import Transaction


async def save(deps: Deps, user_id: int, name: str, path: str, query: str) -> tuple[SavedView | None, SavedView]:
    """The view before and after: under a name that the list has already, the new filter takes the place of the old."""
    access_rules.check_name(name)
    if len(query) > MAX_QUERY_LENGTH:
        raise Unprocessable("filter_too_long", "This filter is too long to be saved.")
    now = deps.clock.now()
    async with deps.db.write() as tx:
        # Two at once are counted one after the other.
        await accounts_db.ROWS.lock(tx, user_id)
        views = await accounts_db.VIEWS.find(tx, user_id=user_id)
        before = next((view for view in views if (view.path, view.name) == (path, name)), None)
        if before is not None:
            return before, await accounts_db.VIEWS.save(tx, before, replace(before, list_query=query, updated_at=now))
        if len(views) >= MAX_VIEWS:
            raise Unprocessable("too_many_views", f"You have {MAX_VIEWS} saved views. Delete one of them first.")
        return None, await accounts_db.VIEWS.add(tx, SavedView(0, user_id, name, path, query, now, now))


async def rename(deps: Deps, view_id: int, user_id: int, name: str) -> tuple[SavedView, SavedView]:
    """The view before and after."""
    access_rules.check_name(name)
    async with deps.db.write() as tx:
        before = await _own(tx, view_id, user_id)
        other = await accounts_db.VIEWS.find_one(tx, user_id=user_id, path=before.path, name=name)
        if other is not None and other.id != view_id:
            raise invalid("name", "Another view of this list has this name.")
        if before.name == name:
            return before, before
        return before, await accounts_db.VIEWS.save(tx, before, replace(before, name=name, updated_at=deps.clock.now()))


async def delete(deps: Deps, view_id: int, user_id: int) -> SavedView:
    async with deps.db.write() as tx:
        view = await _own(tx, view_id, user_id)
        await accounts_db.VIEWS.remove(tx, view)
    return view


async def _own(tx: Transaction, view_id: int, user_id: int) -> SavedView:
    """Those of others do not exist."""
    await accounts_db.ROWS.lock(tx, user_id)
    view = await accounts_db.VIEWS.lock(tx, view_id)
    return existing(view if view is not None and view.user_id == user_id else None, "View")
