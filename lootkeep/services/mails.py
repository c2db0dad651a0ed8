"""Mails that ended without being sent, and what is done about them."""

from __future__ import annotations

from collections.abc import Sequence

from lootkeep.deps import Deps
from lootkeep.domain.mail import QueuedMail
from lootkeep.kernel.errors import Conflict, NotFound
from lootkeep.storage import mails
from lootkeep.storage.database import Transaction


async def get(deps: Deps, mail_id: int) -> QueuedMail:
    async with deps.db.read() as tx:
        return await _found(tx, mail_id)


async def retry(deps: Deps, mail_ids: Sequence[int]) -> None:
    """Queues mails again that failed or lie in the outbox: all of them, or none."""
    async with deps.db.write() as tx:
        for mail_id in sorted(set(mail_ids)):
            if not await mails.retry(tx, mail_id, deps.clock.now()):
                status = (await _found(tx, mail_id)).status
                sentence = f"Mail {mail_id} is {status}: only what failed or lies in the outbox is sent again."
                raise Conflict("mail_not_ended", sentence)


async def _found(tx: Transaction, mail_id: int) -> QueuedMail:
    mail = await mails.get(tx, mail_id)
    if mail is None:
        raise NotFound(f"Mail {mail_id}")
    return mail
