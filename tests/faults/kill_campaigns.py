"""SIGKILL of the process that sends a campaign: everyone is written to, and every second e-mail is marked."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select, update

from lootkeep import wiring
from lootkeep.deps import Deps
from lootkeep.domain.audiences import Audience
from lootkeep.domain.sign_up import SignUp
from lootkeep.services import campaigns as campaigns_service, customers as customers_service
from lootkeep.settings import Settings, variable
from lootkeep.storage import migrations
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import campaign_recipients, email_campaigns
from tests.forked import Forked
from tests.mailbox import MailServer

PROGRAM = Path(sys.executable).with_name("lootkeep")
KEY = "a-secret-key-of-more-than-32-characters"
PATIENCE_SECONDS = 300.0

_DONE = Query(select(email_campaigns.c.status, email_campaigns.c.sent_count, email_campaigns.c.perhaps_twice_count))
_OPEN = Query(select(func.count()).select_from(campaign_recipients).where(campaign_recipients.c.finished_at.is_(None)))
_FORGET_LEASES = Query(update(campaign_recipients).where(campaign_recipients.c.lease.is_not(None)).values(due_at=0))
_MARKED = Query(select(campaign_recipients.c.email).where(campaign_recipients.c.perhaps_twice))


@dataclass
class CampaignReport:
    """What came of it: how often each reader was written to, and who is marked."""

    kills: int
    arrived: Counter[str]
    marked: set[str]
    status: str
    sent: int
    perhaps_twice: int

    @property
    def twice(self) -> set[str]:
        return {email for email, count in self.arrived.items() if count > 1}


async def run(url: str, folder: Path, *, readers: int, kills: int, seed: int) -> CampaignReport:
    """One campaign on an empty database; the process that sends it is killed at random places."""
    chance = random.Random(seed)
    async with MailServer() as server:
        settings = Settings(
            _env_file=None,
            database_url=url,
            secret_key=KEY,
            database_connections=3,
            smtp_url=server.url,
            mail_from="Shop <shop@store.example>",
            campaign_mails_per_minute=60_000,
        )
        engine = await wiring.open_database(settings)
        await migrations.upgrade(engine)
        await engine.close()
        async with wiring.opened(settings) as deps:
            await _begin(deps, readers)
            for number in range(kills):
                process = _start(settings, folder)
                try:
                    await _until(server, readers * (number + 1) // (kills + 2))
                    await asyncio.sleep(chance.random() * 0.02)
                finally:
                    process.kill()
                    process.wait()
                # With the only one dead, the lease may as well have run out already.
                async with deps.db.write() as tx:
                    await tx.run(_FORGET_LEASES)
            return await _end(deps, settings, folder, server, kills)


async def _begin(deps: Deps, readers: int) -> None:
    async with deps.db.write() as tx:
        for number in range(readers):
            form = SignUp(f"reader{number}@mail{number}.example", f"Reader {number}", accepts_marketing=True)
            await customers_service.sign_up_in(deps, tx, form)
    fields = {"name": "N", "subject": "Hello {{ name }}", "body_html": "<p>Hi</p>", "audience": Audience()}
    none = dict.fromkeys(("preview_text", "from_name", "reply_to", "body_text"))
    campaign = await campaigns_service.create(deps, none | fields)
    await campaigns_service.send(deps, campaign.id, None)


def _start(settings: Settings, folder: Path) -> subprocess.Popen[bytes]:
    command = [str(PROGRAM), *(("serve", "--port", "0") if settings.sqlite_path else ("worker",))]
    assert settings.smtp_url
    environment_settings = {
        "database_url": settings.database_url,
        "secret_key": KEY,
        "smtp_url": settings.smtp_url.get_secret_value(),
        "mail_from": settings.mail_from or "",
        "campaign_mails_per_minute": str(settings.campaign_mails_per_minute),
        "log_level": "error",
    }
    plain = {name: value for name, value in os.environ.items() if not name.startswith("LOOTKEEP_")}
    environment = plain | {variable(name): value for name, value in environment_settings.items()}
    with (folder / "log").open("ab") as log:
        return Forked(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=log)


async def _until(server: MailServer, count: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(server.arrived) < count and time.monotonic() < deadline:
        await asyncio.sleep(0.005)


async def _end(deps: Deps, settings: Settings, folder: Path, server: MailServer, kills: int) -> CampaignReport:
    process = _start(settings, folder)
    deadline = time.monotonic() + PATIENCE_SECONDS
    try:
        while time.monotonic() < deadline:
            async with deps.db.read() as tx:
                ((left,),) = await tx.all(_OPEN)
            if left == 0:
                break
            await asyncio.sleep(0.1)
    finally:
        process.kill()
        process.wait()
    async with deps.db.read() as tx:
        ((status, sent, perhaps_twice),) = await tx.all(_DONE)
        marked = {email for (email,) in await tx.all(_MARKED)}
    arrived = Counter(received.recipients[0] for received in server.arrived)
    return CampaignReport(kills, arrived, marked, status, sent, perhaps_twice)
