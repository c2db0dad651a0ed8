"""Helpers for the tests of e-mails: queue one, send it, and read the result."""

from __future__ import annotations

from typing import Any

from lootkeep.domain.emails import LEASE, QueuedEmail
from lootkeep.engines.emails import Mailer
from lootkeep.engines.emails.message import Sender
from lootkeep.engines.emails.outbox import OutboxMailer
from lootkeep.engines.emails.smtp import SmtpMailer, parse_server
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import Instant
from lootkeep.storage import emails as emails_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.views import emails as emails_views
from lootkeep.worker.emails import EmailWorker
from tests.mailbox import MailServer
from tests.world import World

CODE = "GIFT-CODE-7K2P"


def email_worker(world: World, server: MailServer | None, **options: Any) -> EmailWorker:
    mailer: Mailer = OutboxMailer()
    if server:
        mailer = SmtpMailer(parse_server(server.url), Sender("Shop", "shop@store.example"), world.clock)
    return EmailWorker(world.deps, Wakeup(), mailer, **options)


async def write(world: World, to: str = "ann@mail.example", **values: Any) -> int:
    defaults = {
        "amount": "$20.00",
        "code": CODE,
        "name": "Ann",
        "sender_name": "Bob",
        "message": None,
        "expires_on": None,
    }
    email = emails_views.render("gift_card", world.deps.store, to, "Ann", **defaults | values)
    async with world.db.write() as tx:
        return await emails_db.add(tx, email, world.deps.vault.seal, world.clock.now())


async def read(world: World, mail_id: int) -> QueuedEmail:
    async with world.db.read() as tx:
        email = await emails_db.ROWS.get(tx, mail_id)
    assert email is not None
    return email


async def work(worker: EmailWorker) -> None:
    """Runs the worker until nothing is left to do at this moment; the last run settles."""
    while await worker.run_once():
        pass


async def claim_and_die(world: World, tx: Transaction) -> QueuedEmail | None:
    """Leaves the state of a worker that was killed right after it had claimed."""
    now = world.clock.now()
    return await emails_db.QUEUE.claim(tx, "dead", Instant(now + LEASE), now)
