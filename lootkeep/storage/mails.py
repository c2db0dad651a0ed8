"""The queue of mails: written by deeds, claimed by workers one at a time, settled; the rows are the queue."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from sqlalchemy import bindparam, case, delete, insert, or_, select, update

from lootkeep.domain.mail import LEASE, Mail, MailStatus, QueuedMail, Settlement
from lootkeep.kernel.clock import Instant
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import WakeWorkers
from lootkeep.storage.query import Query
from lootkeep.storage.tables import mails

# What the seal of a body is bound to.
BODY_PURPOSE = "mail body"
_PURGED_AT_ONCE = 500
# Above every id.
NO_LATER = 2**63 - 1

_MAIL = [mails.c[name] for name in QueuedMail.__struct_fields__]
_GIVEN = ("kind", "to_email", "to_name", "from_name", "reply_to", "subject", "body")

_ADD = Query(
    insert(mails)
    .values(
        {
            **{name: bindparam(name) for name in _GIVEN},
            "status": "queued",
            "due_at": bindparam("now"),
            "attempts_count": 0,
            "failures": 0,
            "perhaps_twice": False,
            "created_at": bindparam("now"),
        }
    )
    .returning(mails.c.id)
)
# Not by its state: the index of states would be taken, and all that is queued sorted for each mail.
_IS_OPEN = mails.c.finished_at.is_(None)
_WAS_HELD = mails.c.status == "sending"
# What is still held when it falls due was given up by its worker, and may have arrived.
_CLAIM = Query(
    update(mails)
    .where(
        mails.c.id.in_(
            select(mails.c.id)
            .where(_IS_OPEN, mails.c.due_at <= bindparam("now"))
            .order_by(mails.c.due_at)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
    )
    .values(
        status="sending",
        lease=bindparam("held"),
        due_at=bindparam("until"),
        attempts_count=mails.c.attempts_count + 1,
        failures=mails.c.failures + case((_WAS_HELD, 1), else_=0),
        perhaps_twice=or_(mails.c.perhaps_twice, _WAS_HELD),
    )
    .returning(*_MAIL),
    QueuedMail,
)
# Fenced by lease and number: an attempt that was given up cannot overwrite what its successor found.
_SETTLE = Query(
    update(mails)
    .where(
        mails.c.id == bindparam("mail"),
        mails.c.lease == bindparam("held"),
        mails.c.attempts_count == bindparam("attempt"),
    )
    .values(
        status=bindparam("new_status"),
        due_at=bindparam("due"),
        lease=None,
        failures=bindparam("failed"),
        perhaps_twice=bindparam("doubtful"),
        reason=bindparam("why"),
        finished_at=bindparam("finished"),
    )
)
# In the order of the index, so that it ends at the first row.
_NEXT = Query(select(mails.c.due_at).where(_IS_OPEN).order_by(mails.c.due_at).limit(1))
_GET = Query(select(*_MAIL).where(mails.c.id == bindparam("mail")), QueuedMail)
_BEFORE = select(*_MAIL).where(mails.c.id < bindparam("before")).order_by(mails.c.id.desc()).limit(bindparam("size"))
_NEWEST = Query(_BEFORE, QueuedMail)
_NEWEST_IN_STATE = Query(_BEFORE.where(mails.c.status == bindparam("wanted")), QueuedMail)
# What has ended and was not sent; what waits or is under way is tried anyway.
_RETRY = Query(
    update(mails)
    .where(mails.c.id == bindparam("mail"), or_(mails.c.status == "failed", mails.c.status == "outbox"))
    .values(status="queued", due_at=bindparam("now"), failures=0, reason=None, finished_at=None)
    .returning(mails.c.id)
)
_WAKE = Query(WakeWorkers())
_PURGE = Query(
    delete(mails)
    .where(
        mails.c.id.in_(
            select(mails.c.id)
            .where(mails.c.finished_at < bindparam("before"))
            .order_by(mails.c.finished_at)
            .limit(_PURGED_AT_ONCE)
        )
    )
    .returning(mails.c.id)
)


class Body(msgspec.Struct, frozen=True):
    """Both parts of a mail."""

    text: str
    html: str


async def add(tx: Transaction, mail: Mail, seal: Callable[[str, str], str], now: Instant) -> int:
    """Queues a mail in the deed's own transaction: rolled back, it was never written. `seal` is the vault's."""
    body = msgspec.json.encode(Body(mail.text, mail.html)).decode()
    ((mail_id,),) = await tx.all(
        _ADD,
        kind=mail.kind,
        to_email=mail.to_email,
        to_name=mail.to_name,
        from_name=mail.from_name,
        reply_to=mail.reply_to,
        subject=mail.subject,
        body=seal(body, BODY_PURPOSE),
        now=now,
    )
    return int(mail_id)


def body_of(mail: QueuedMail, unseal: Callable[[str, str], str]) -> Body:
    return msgspec.json.decode(unseal(mail.body, BODY_PURPOSE), type=Body)


async def claim(tx: Transaction, lease: str, now: Instant) -> QueuedMail | None:
    """Takes the mail that has been due for longest, and writes down the attempt before it is made."""
    return await tx.one(_CLAIM, held=lease, now=now, until=now + LEASE)


async def settle(tx: Transaction, lease: str, mail: QueuedMail, settlement: Settlement, now: Instant) -> None:
    await tx.run(
        _SETTLE,
        mail=mail.id,
        held=lease,
        attempt=mail.attempts_count,
        new_status=settlement.status,
        due=settlement.due_at,
        failed=settlement.failures,
        doubtful=settlement.perhaps_twice,
        why=settlement.reason,
        finished=None if settlement.status == "queued" else now,
    )


async def next_due(tx: Transaction) -> Instant | None:
    """When there will be something to send."""
    found = await tx.one(_NEXT)
    return None if found is None else Instant(found[0])


async def get(tx: Transaction, mail_id: int) -> QueuedMail | None:
    return await tx.one(_GET, mail=mail_id)


async def newest(tx: Transaction, status: MailStatus | None, size: int, before: int = NO_LATER) -> list[QueuedMail]:
    """The latest mails, of all or in one state, with a lower id: those in the outbox are looked at by people."""
    if status is None:
        return await tx.all(_NEWEST, size=size, before=before)
    return await tx.all(_NEWEST_IN_STATE, wanted=status, size=size, before=before)


async def retry(tx: Transaction, mail_id: int, now: Instant) -> bool:
    """Queues a mail again that failed or lies in the outbox; False when it is in another state."""
    await tx.run(_WAKE)
    return await tx.one(_RETRY, mail=mail_id, now=now) is not None


async def purge(tx: Transaction, before: Instant) -> int:
    """Removes some that ended before; tells how many."""
    return len(await tx.all(_PURGE, before=before))
