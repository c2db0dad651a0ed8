"""Canned replies for tickets."""

from __future__ import annotations

from sqlalchemy import select

from lootkeep.domain.canned_replies import CannedReply
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.lists import Listing, Sort
from lootkeep.storage.rows import Rows
from lootkeep.storage.schema import canned_replies

ROWS = Rows(canned_replies, CannedReply)
LISTING = Listing(canned_replies, CannedReply, {}, {"name": Sort(canned_replies.c.name)})
_NAMES = Query(select(canned_replies.c.id, canned_replies.c.name).order_by(canned_replies.c.name))


async def names(tx: Transaction) -> dict[int, str]:
    """By id, in the order of their names."""
    return dict(await tx.all(_NAMES))
