"""Helpers for the tests of campaigns: create a campaign, send it, and read the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import bindparam, select

from lootkeep.engines.emails import Mailer
from lootkeep.engines.emails.message import Sender
from lootkeep.engines.emails.outbox import OutboxMailer
from lootkeep.engines.emails.smtp import SmtpMailer, parse_server
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import SECOND
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import campaign_recipients, customers
from lootkeep.worker.campaigns import CampaignOptions, CampaignWorker
from tests.api.campaigns import PATH, make
from tests.mailbox import MailServer
from tests.world import World

URL = "http://127.0.0.1:8000"
_RECIPIENTS = Query(
    select(campaign_recipients.c.email, campaign_recipients.c.status, campaign_recipients.c.perhaps_twice).order_by(
        campaign_recipients.c.id
    )
)
_STATUS = Query(select(customers.c.email_status).where(customers.c.id == bindparam("this")))


def campaign_worker(
    world: World, server: MailServer | None, changing: Callable[[], CampaignOptions] | None = None, **options: Any
) -> CampaignWorker:
    """`changing` is for options that change while it works."""
    mailer: Mailer = OutboxMailer()
    if server:
        mailer = SmtpMailer(parse_server(server.url), Sender("Shop", "shop@store.example"), world.clock)
    # A high rate, so that tests of other things need not advance the clock for each e-mail.
    chosen = CampaignOptions(has_server=server is not None, **{"emails_per_minute": 60 * SECOND} | options)
    return CampaignWorker(world.deps, Wakeup(), mailer, changing or (lambda: chosen))


async def send(world: World, **fields: Any) -> int:
    campaign = await make(world, **fields)
    answer = await world.post(f"{PATH}/{campaign['id']}/send", {})
    assert answer.status_code == 200, answer.text
    return int(campaign["id"])


async def work(world: World, *workers: CampaignWorker) -> None:
    """Runs the worker until nothing is left to do, advancing the clock in between."""
    while any([await worker.run_once() for worker in workers]):
        world.clock.advance(10)


async def stats(world: World, campaign_id: int) -> dict[str, Any]:
    data: dict[str, Any] = (await world.get(f"{PATH}/{campaign_id}/stats")).json()["data"]
    return data


async def recipients(world: World) -> list[tuple[Any, ...]]:
    async with world.db.read() as tx:
        return await tx.all(_RECIPIENTS)


async def email_status(world: World, customer_id: int) -> str:
    async with world.db.read() as tx:
        ((status,),) = await tx.all(_STATUS, this=customer_id)
    return str(status)
