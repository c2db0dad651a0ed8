"""The sandbox: its location, and how to remove everything except its tokens."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import func, select

from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import EmptyTables
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, events, metadata, orders, products, tokens, users, webhooks

# On PostgreSQL it is a schema of the store's database.
SCHEMA = "lootkeep_sandbox"

_STAYING = {tokens.name, users.name}
_EMPTY = Query(EmptyTables(*(table.name for table in reversed(metadata.sorted_tables) if table.name not in _STAYING)))
_COUNTED = (tokens, customers, products, orders, webhooks, events)
_COUNTS = {table.name: Query(select(func.count()).select_from(table)) for table in _COUNTED}


def path_of(store: Path) -> Path:
    """The file next to that of an embedded store: lootkeep-sandbox.db for lootkeep.db."""
    return store.with_name(f"{store.stem}-sandbox{store.suffix}")


async def empty(tx: Transaction) -> None:
    await tx.run(_EMPTY)


async def counts(tx: Transaction) -> dict[str, int]:
    """How much the sandbox contains; it is small enough to be counted."""
    return {name: (await tx.all(query))[0][0] for name, query in _COUNTS.items()}
