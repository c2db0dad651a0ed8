"""Responses stored under their idempotency keys."""

from __future__ import annotations

import msgspec
from sqlalchemy import bindparam, delete, insert, select, tuple_, update

from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import idempotency_keys as keys

# One purge never holds the write lock for long.
_PURGED_AT_ONCE = 1000


class StoredResponse(msgspec.Struct, frozen=True):
    fingerprint: str
    status: int
    answer: str
    created_at: Instant
    # The operation is in progress; there is no response yet.
    leased_until: Instant | None = None


_THIS = (
    keys.c.token_id == bindparam("token_id"),
    keys.c.path == bindparam("called"),
    keys.c.key == bindparam("idempotency_key"),
)
_GET = Query(select(*(keys.c[name] for name in StoredResponse.__struct_fields__)).where(*_THIS), StoredResponse)
_REMOVE = Query(delete(keys).where(*_THIS))
_ADD = Query(
    insert(keys).values(
        token_id=bindparam("token_id"),
        path=bindparam("called"),
        key=bindparam("idempotency_key"),
        fingerprint=bindparam("fingerprint"),
        status=bindparam("status"),
        answer=bindparam("answer"),
        created_at=bindparam("now"),
        leased_until=bindparam("lease"),
    )
)
_LEASED = (*_THIS, keys.c.leased_until == bindparam("lease"))
_SETTLE = Query(
    update(keys).where(*_LEASED).values(status=bindparam("answered"), answer=bindparam("sealed"), leased_until=None)
)
_RELEASE = Query(delete(keys).where(*_LEASED))
_KEY = (keys.c.token_id, keys.c.path, keys.c.key)
_OLDEST = select(*_KEY).where(keys.c.created_at < bindparam("before")).order_by(keys.c.created_at)
_FREE = _OLDEST.limit(_PURGED_AT_ONCE).with_for_update(skip_locked=True)
_PURGE = Query(delete(keys).where(tuple_(*_KEY).in_(_FREE)).returning(keys.c.created_at))


async def get(tx: Transaction, token_id: int, path: str, key: str) -> StoredResponse | None:
    return await tx.one(_GET, token_id=token_id, called=path, idempotency_key=key)


async def remove(tx: Transaction, token_id: int, path: str, key: str) -> None:
    await tx.run(_REMOVE, token_id=token_id, called=path, idempotency_key=key)


async def add(tx: Transaction, token_id: int, path: str, key: str, response: StoredResponse) -> None:
    await tx.run(
        _ADD,
        token_id=token_id,
        called=path,
        idempotency_key=key,
        fingerprint=response.fingerprint,
        status=response.status,
        answer=response.answer,
        now=response.created_at,
        lease=response.leased_until,
    )


async def settle(tx: Transaction, token_id: int, path: str, key: str, lease: Instant, status: int, answer: str) -> None:
    """Stores the response of an operation in progress, unless its lease expired and another one started."""
    await tx.run(
        _SETTLE, token_id=token_id, called=path, idempotency_key=key, lease=lease, answered=status, sealed=answer
    )


async def release(tx: Transaction, token_id: int, path: str, key: str, lease: Instant) -> None:
    """Frees the key of an operation that failed."""
    await tx.run(_RELEASE, token_id=token_id, called=path, idempotency_key=key, lease=lease)


async def purge(tx: Transaction, before: Instant) -> int:
    """Removes some older keys; returns how many, so the caller continues until there are none."""
    return len(await tx.all(_PURGE, before=before))
