"""Lists that are counted per day while writing: nothing is counted at reading, and far pages are not walked to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from lootkeep.kernel.paging import Order, Page
from lootkeep.storage import counters
from lootkeep.storage.database import Transaction
from lootkeep.storage.lists import Listing

R = TypeVar("R")

# Skipping so many index entries is cheaper than looking up where to start.
_FEW = 1000


async def page(
    tx: Transaction,
    listing: Listing[R],
    names: Sequence[str],
    asked: Page,
    wanted: Mapping[str, Any],
    sort: str,
    order: Order,
) -> tuple[list[R], int]:
    """A page, and how many there are in all; the counters named count what is wanted, but for the days."""
    days = {"since": wanted.get("from"), "until": wanted.get("to")}
    total = await counters.total(tx, names, **days)
    size = min(asked.size, total - asked.offset)
    skip = asked.offset if order == "desc" else total - asked.offset - size
    if size > 0 and sort == "created_at" and min(skip, total - skip) >= _FEW:
        _, place = await counters.place(tx, names, skip, **days)
        if place:
            found = await listing.stretch(tx, {**wanted, "to": place.end}, size, place.skip)
            return (found if order == "desc" else found[::-1]), total
    return await listing.page(tx, asked, wanted, sort, order, total), total
