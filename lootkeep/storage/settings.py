"""The store's settings: one JSON document per group, typed by its domain record, with a version."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from sqlalchemy import bindparam, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.kernel.clock import Instant
from lootkeep.storage.database import Transaction
from lootkeep.storage.query import Query
from lootkeep.storage.tables import settings

S = TypeVar("S", bound=msgspec.Struct)

_GET = Query(select(settings.c.value).where(settings.c.name == bindparam("setting")))
_ADD_DEFAULTS = Query(
    postgresql.insert(settings)
    .values(name=bindparam("setting"), version=0, value=bindparam("document"), updated_at=bindparam("now"))
    .on_conflict_do_nothing()
)
_LOCK = Query(select(settings.c.value).where(settings.c.name == bindparam("setting")).with_for_update())
_SET = Query(
    update(settings)
    .where(settings.c.name == bindparam("setting"))
    .values(version=settings.c.version + 1, value=bindparam("document"), updated_at=bindparam("now"))
)


async def get(tx: Transaction, name: str, kind: type[S]) -> S:
    """The stored settings, or the defaults of a new store."""
    found = await tx.one(_GET, setting=name)
    return msgspec.json.decode(found[0], type=kind) if found else kind()


async def get_for_change(tx: Transaction, name: str, kind: type[S], now: Instant) -> S:
    """The settings, held against other writers until the transaction ends: two changes at once both count."""
    await tx.run(_ADD_DEFAULTS, setting=name, document=_text(kind()), now=now)
    found = await tx.one(_LOCK, setting=name)
    return msgspec.json.decode(found[0], type=kind) if found else kind()


async def put(tx: Transaction, name: str, value: msgspec.Struct, now: Instant) -> None:
    await tx.run(_SET, setting=name, document=_text(value), now=now)


def _text(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()
