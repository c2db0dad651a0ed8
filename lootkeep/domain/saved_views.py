"""Saved views: the filter and the order of a list, under a name that someone gave them."""

from __future__ import annotations

import msgspec

from lootkeep.kernel.clock import Instant

# Of one person: they are the head of their lists, and part of their palette.
MAX_VIEWS = 50
MAX_NAME_LENGTH = 40
# Of a query; a longer one is no filter that someone chose.
MAX_QUERY_LENGTH = 2_000


class SavedView(msgspec.Struct, frozen=True):
    id: int
    user_id: int
    name: str
    # Of the list, below /console.
    path: str
    # The parameters of its address.
    list_query: str
    created_at: Instant
    updated_at: Instant
