"""Alerts, which are also their own queue, and the notices that wait for them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import BigInteger, Text, bindparam, delete, exists, func, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.domain.alerts import Alert, AlertTrigger, Notice
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import IsListed
from lootkeep.storage.engine.query import Query
from lootkeep.storage.queue import SingleQueue
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import alert_notices as notices, alerts

# The maximum number of notices in one message, and of those one transaction removes.
_BATCH = 500
# Larger than any limit: for triggers without a limit.
NO_LIMIT = 2**62

ROWS = Rows(alerts, Alert)
_THIS = alerts.c.id == bindparam("alert")
_IS_WAITED_FOR = exists().where(notices.c.alert_id == alerts.c.id, notices.c.sent_at.is_(None))
QUEUE = SingleQueue(alerts, _IS_WAITED_FOR, Alert)

# Due immediately: it may have been unmuted, or have another target. While it is being sent, its due time protects it.
_RECONSIDER = Query(update(alerts).where(_THIS, alerts.c.status != "sending").values(due_at=bindparam("now")))
_REMOVE_NOTICES = Query(delete(notices).where(notices.c.alert_id == bindparam("alert")))
_wanting = select(
    alerts.c.id,
    bindparam("trigger", type_=Text),
    bindparam("key", type_=Text),
    bindparam("text", type_=Text),
    bindparam("path", type_=Text),
    bindparam("now", type_=BigInteger),
).where(
    IsListed(bindparam("wanted", type_=Text), alerts.c.triggers),
    func.coalesce(alerts.c.amount, 0) <= bindparam("of_amount", type_=BigInteger),
    alerts.c.minutes <= bindparam("of_minutes", type_=BigInteger),
)
# ON CONFLICT reads the same in both dialects; SQLAlchemy spells it in the dialect modules only.
_RAISE = Query(
    postgresql.insert(notices)
    .from_select(["alert_id", "trigger", "key", "text", "path", "created_at"], _wanting)
    .on_conflict_do_nothing()
    .returning(notices.c.id)
)
_ADD_NOTICE = Query(
    postgresql.insert(notices)
    .values(
        alert_id=bindparam("alert"),
        trigger=bindparam("trigger"),
        key=bindparam("key"),
        text=bindparam("text"),
        path=bindparam("path"),
        created_at=bindparam("now"),
    )
    .on_conflict_do_nothing()
)
_WAITING = Query(
    select(*columns_of(notices, Notice))
    .where(notices.c.alert_id == bindparam("alert"), notices.c.sent_at.is_(None))
    .order_by(notices.c.id)
    .limit(_BATCH),
    Notice,
)
_MARK_SENT = Query(
    update(notices).where(IsListed(notices.c.id, bindparam("ids", type_=Text))).values(sent_at=bindparam("now"))
)
_COUNT_SENT = Query(
    update(alerts).where(_THIS).values(hour_started_at=bindparam("hour"), sent_in_hour=bindparam("sent"))
)
_OLD = select(notices.c.id).where(notices.c.created_at < bindparam("before")).order_by(notices.c.created_at)
_FREE = _OLD.limit(_BATCH).with_for_update(skip_locked=True)
_PURGE = Query(delete(notices).where(notices.c.id.in_(_FREE)).returning(notices.c.id))


async def add(tx: Transaction, alert: Alert) -> Alert:
    return await ROWS.add(tx, alert, status="idle", due_at=alert.created_at)


async def save(tx: Transaction, before: Alert, after: Alert) -> Alert:
    """And has it looked at again."""
    await ROWS.save(tx, before, after)
    await tx.run(_RECONSIDER, alert=after.id, now=after.updated_at)
    tx.wake("alerts")
    return after


async def remove(tx: Transaction, alert: Alert) -> None:
    """With everything that waits for it."""
    await tx.run(_REMOVE_NOTICES, alert=alert.id)
    await ROWS.remove(tx, alert)


async def raise_notice(
    tx: Transaction,
    trigger: AlertTrigger,
    key: str,
    text: str,
    path: str,
    now: Instant,
    *,
    amount: Hundredths | None = None,
    minutes: int = NO_LIMIT,
) -> None:
    """Notifies every alert with this trigger, in the transaction of the cause; each sends the same key once."""
    is_raised = await tx.all(
        _RAISE,
        trigger=trigger,
        wanted=trigger,
        key=key,
        text=text,
        path=path,
        now=now,
        of_amount=NO_LIMIT if amount is None else amount,
        of_minutes=minutes,
    )
    if is_raised:
        tx.wake("alerts")


async def add_notice(tx: Transaction, alert_id: int, key: str, text: str, now: Instant) -> None:
    """For one alert, regardless of its triggers."""
    await tx.run(_ADD_NOTICE, alert=alert_id, trigger="test", key=key, text=text, path="/alerts", now=now)
    await tx.run(_RECONSIDER, alert=alert_id, now=now)
    tx.wake("alerts")


async def waiting(tx: Transaction, alert_id: int) -> list[Notice]:
    """The content of the next message, the oldest first."""
    return await tx.all(_WAITING, alert=alert_id)


async def mark_sent(
    tx: Transaction, alert_id: int, sent: Sequence[Notice], hour: tuple[Instant, int], now: Instant
) -> None:
    ids = msgspec.json.encode([notice.id for notice in sent]).decode()
    await tx.run(_MARK_SENT, ids=ids, now=now)
    await tx.run(_COUNT_SENT, alert=alert_id, hour=hour[0], sent=hour[1])


async def purge(tx: Transaction, before: Instant) -> int:
    """Removes some old notices, even those that could never be sent, and returns how many."""
    return len(await tx.all(_PURGE, before=before))
