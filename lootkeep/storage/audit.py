"""The audit log: who changed what, written in the transaction of the change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import bindparam, insert, select

from lootkeep.domain.accounts import AuditEntry
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import equals_each, listed, within
from lootkeep.storage.lists import Join, Listing, Sort
from lootkeep.storage.queue import MAX_COUNTED
from lootkeep.storage.rows import columns_of
from lootkeep.storage.schema import audit_log, users

# How many changes of one record are shown next to a form.
_MAX_SHOWN = 20

_COLUMNS = columns_of(audit_log, AuditEntry, user=users)

_ADD = Query(
    insert(audit_log)
    .values({name: bindparam(name) for name in ("user_id", "action", "record", "ip_address", "channel", "created_at")})
    .values(before=bindparam("old"), after=bindparam("new"))
    .inline()
)
_SINCE = Query(
    select(*_COLUMNS)
    .join(users, users.c.id == audit_log.c.user_id, isouter=True)
    .where(audit_log.c.record == bindparam("of_record"), audit_log.c.created_at > bindparam("since"))
    .order_by(audit_log.c.created_at.desc(), audit_log.c.id.desc())
    .limit(_MAX_SHOWN),
    AuditEntry,
)
_TIMES = Query(
    select(audit_log.c.created_at)
    .where(audit_log.c.record == bindparam("of_record"), audit_log.c.action == bindparam("of_action"))
    .order_by(audit_log.c.created_at.desc(), audit_log.c.id.desc())
    .limit(bindparam("size"))
)

LISTING = Listing(
    audit_log,
    AuditEntry,
    {
        **equals_each(audit_log, "record", "action"),
        "area": listed(audit_log.c.action, "area"),
        **equals_each(audit_log, "user_id", "channel"),
        **within(audit_log.c.created_at),
    },
    {"created_at": Sort(audit_log.c.created_at)},
    columns=_COLUMNS,
    joins=(Join(users, users.c.id == audit_log.c.user_id, is_optional=True),),
    max_counted=MAX_COUNTED,
)


async def add(
    tx: Transaction,
    *,
    user_id: int | None,
    action: str,
    record: str,
    now: Instant,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    ip_address: str | None = None,
) -> None:
    await tx.run(
        _ADD,
        user_id=user_id,
        action=action,
        record=record,
        old=msgspec.json.encode(before or {}).decode(),
        new=msgspec.json.encode(after or {}).decode(),
        ip_address=ip_address,
        # Only the console knows an IP address, and only the command line knows nobody.
        channel="console" if ip_address is not None else "command_line" if user_id is None else "token",
        created_at=now,
    )


async def changes_since(tx: Transaction, record: str, since: Instant) -> list[AuditEntry]:
    """The changes that people made to a record after a time, the newest first."""
    return await tx.all(_SINCE, of_record=record, since=since)


async def times(tx: Transaction, record: str, action: str, size: int) -> list[Instant]:
    """When an action on a record was last logged, the newest first."""
    return [at for (at,) in await tx.all(_TIMES, of_record=record, of_action=action, size=size)]
