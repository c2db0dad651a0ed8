"""The store's settings: one JSON document per group, typed by its domain record, with a version."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

import msgspec
from sqlalchemy import bindparam, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import settings

S = TypeVar("S", bound=msgspec.Struct)

_GET = Query(select(settings.c.value).where(settings.c.name == bindparam("setting")))
_CURRENT = Query(select(settings.c.version, settings.c.value).where(settings.c.name == bindparam("setting")))
_CHANGED_AT = Query(select(settings.c.updated_at).where(settings.c.name == bindparam("setting")))
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
    .returning(settings.c.version)
)


async def get(tx: Transaction, name: str, kind: type[S]) -> S:
    """The stored settings, or the defaults of a new store."""
    row = await tx.one(_GET, setting=name)
    return msgspec.json.decode(row[0], type=kind) if row else kind()


async def current(tx: Transaction, name: str, kind: type[S]) -> tuple[int, S]:
    """The settings with their version, for frequent operations: unchanged settings are not parsed again."""
    row = await tx.one(_CURRENT, setting=name)
    return parsed(row[0], row[1], kind) if row else (0, kind())


def parsed(version: int | None, document: str | None, kind: type[S]) -> tuple[int, S]:
    """The same, of what another statement has read."""
    return (0, kind()) if version is None or document is None else (version, _parsed(document, kind))


async def changed_at(tx: Transaction, name: str) -> Instant:
    """When the settings were last changed; 0 in a new store."""
    row = await tx.one(_CHANGED_AT, setting=name)
    return Instant(row[0] if row else 0)


async def get_for_update(tx: Transaction, name: str, kind: type[S], now: Instant) -> S:
    """The settings, locked against other writers until the transaction ends: two concurrent changes both count."""
    await tx.run(_ADD_DEFAULTS, setting=name, document=_text(kind()), now=now)
    row = await tx.one(_LOCK, setting=name)
    return msgspec.json.decode(row[0], type=kind) if row else kind()


async def put(tx: Transaction, name: str, value: msgspec.Struct, now: Instant) -> int:
    """Returns the current version of the settings."""
    ((version,),) = await tx.all(_SET, setting=name, document=_text(value), now=now)
    return int(version)


@lru_cache(maxsize=8)
def _parsed(document: str, kind: type[S]) -> S:
    return msgspec.json.decode(document, type=kind)


def _text(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()
