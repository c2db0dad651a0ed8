"""E-mails that were not sent, and how to send them again."""

from __future__ import annotations

from collections.abc import Sequence

from lootkeep.deps import Deps
from lootkeep.domain.emails import QueuedEmail
from lootkeep.kernel.errors import Conflict, existing
from lootkeep.storage import emails as emails_db
from lootkeep.storage.engine.database import Transaction


async def get(deps: Deps, email_id: int) -> QueuedEmail:
    async with deps.db.read() as tx:
        return await _get(tx, email_id)


async def retry(deps: Deps, eemail_ids: Sequence[int]) -> None:
    """Queues e-mails again that failed or are in the outbox: all of them, or none."""
    async with deps.db.write() as tx:
        for email_id in sorted(set(eemail_ids)):
            if not await emails_db.retry(tx, email_id, deps.clock.now()):
                status = (await _get(tx, email_id)).status
                sentence = (
                    f"Mail {email_id} is {status}: only e-mails that failed or are in the outbox can be sent again."
                )
                raise Conflict("mail_not_ended", sentence)


async def _get(tx: Transaction, email_id: int) -> QueuedEmail:
    return existing(await emails_db.ROWS.get(tx, email_id), f"Mail {email_id}")
