"""E-mails: queued by use cases, sent one at a time, and read by people afterwards."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from sqlalchemy import bindparam, or_, select, update

from lootkeep.domain.emails import EmailStatus, NewEmail, QueuedEmail
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.queue import SingleQueue
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import mails

# The purpose that the seal of a body is bound to.
BODY_PURPOSE = "mail body"
# Above every id.
NO_LATER = 2**63 - 1

ROWS = Rows(mails, QueuedEmail)
# Not by state: the planner would use the index of states, and sort the whole queue for each e-mail.
QUEUE = SingleQueue(mails, mails.c.finished_at.is_(None), QueuedEmail)
_EARLIER = select(*columns_of(mails, QueuedEmail)).where(mails.c.id < bindparam("before"))
_BEFORE = _EARLIER.order_by(mails.c.id.desc()).limit(bindparam("size"))
_NEWEST = Query(_BEFORE, QueuedEmail)
_NEWEST_IN_STATE = Query(_BEFORE.where(mails.c.status == bindparam("wanted")), QueuedEmail)
# E-mails that ended unsent; those that wait or are being sent are tried anyway.
_RETRY = Query(
    update(mails)
    .where(mails.c.id == bindparam("email"), or_(mails.c.status == "failed", mails.c.status == "outbox"))
    .values(status="queued", due_at=bindparam("now"), failures=0, reason=None, finished_at=None)
    .returning(mails.c.id)
)


class EmailBodies(msgspec.Struct, frozen=True):
    """Both parts of an e-mail."""

    text: str
    html: str


async def add(tx: Transaction, email: NewEmail, seal: Callable[[str, str], str], now: Instant) -> int:
    """Queues an e-mail in the transaction of the use case: a rollback removes it. `seal` is the vault's."""
    body = msgspec.json.encode(EmailBodies(email.text, email.html)).decode()
    stored = QueuedEmail(
        id=0,
        kind=email.kind,
        to_email=email.to_email,
        to_name=email.to_name,
        from_name=email.from_name,
        reply_to=email.reply_to,
        subject=email.subject,
        body=seal(body, BODY_PURPOSE),
        due_at=now,
        created_at=now,
    )
    tx.wake("mails")
    return (await ROWS.add(tx, stored)).id


def body_of(email: QueuedEmail, unseal: Callable[[str, str], str]) -> EmailBodies:
    return msgspec.json.decode(unseal(email.body, BODY_PURPOSE), type=EmailBodies)


async def newest(tx: Transaction, status: EmailStatus | None, size: int, before: int = NO_LATER) -> list[QueuedEmail]:
    """The latest e-mails with a lower id, of all or in one state."""
    if status is None:
        return await tx.all(_NEWEST, size=size, before=before)
    return await tx.all(_NEWEST_IN_STATE, wanted=status, size=size, before=before)


async def retry(tx: Transaction, email_id: int, now: Instant) -> bool:
    """Queues an e-mail again that failed or is in the outbox; False if it is in another state."""
    tx.wake("mails")
    return await tx.one(_RETRY, email=email_id, now=now) is not None
