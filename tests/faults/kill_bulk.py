"""SIGKILL of the process that works a bulk action: every row is acted on exactly once."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from pathlib import Path

from sqlalchemy import func, select, update

from lootkeep import wiring
from lootkeep.deps import Deps
from lootkeep.domain.sign_up import SignUp
from lootkeep.domain.tickets import TicketForm
from lootkeep.services import (
    access as access_service,
    bulk as bulk_service,
    customers as customers_service,
    tickets as tickets_service,
)
from lootkeep.settings import Settings
from lootkeep.storage import migrations
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import bulk_acts, bulk_rows, mails, support_tickets
from tests.faults.processes import KEY, KilledProcesses

PATIENCE_SECONDS = 300.0

_STATUSES = Query(select(bulk_rows.c.status, func.count()).group_by(bulk_rows.c.status))
_FORGET_LEASES = Query(update(bulk_acts).where(bulk_acts.c.lease.is_not(None)).values(due_at=0))
_REPLIES = Query(select(support_tickets.c.messages_count - 1, func.count()).group_by(support_tickets.c.messages_count))
_MAILS = Query(select(func.count()).select_from(mails))


async def run(
    url: str, folder: Path, *, rows: int, kills: int, seed: int
) -> tuple[dict[str, int], dict[int, int], int]:
    """How many rows have each result, how many tickets got how many replies, and how many e-mails were written."""
    chance = random.Random(seed)
    settings = Settings(_env_file=None, database_url=url, secret_key=KEY, database_connections=3)
    engine = await wiring.open_database(settings)
    await migrations.upgrade(engine)
    await engine.close()
    async with wiring.opened(settings) as deps:
        await _begin(deps, rows)
        processes = KilledProcesses(settings, 1, folder)
        try:
            for number in range(kills + 1):
                processes.start()
                await _until(deps, rows * (number + 1) // (kills + 1))
                await asyncio.sleep(chance.random() * 0.02)
                processes.kill_all()
                # With the only one dead, the lease may as well have run out already.
                async with deps.db.write() as tx:
                    await tx.run(_FORGET_LEASES)
        finally:
            processes.kill_all()
        async with deps.db.read() as tx:
            ((written,),) = await tx.all(_MAILS)
            return dict(await tx.all(_STATUSES)), dict(await tx.all(_REPLIES)), written


async def _begin(deps: Deps, rows: int) -> None:
    user = await access_service.add_user(deps, "staff@store.example", "Staff")
    async with deps.db.write() as tx:
        customer = await customers_service.sign_up_in(deps, tx, SignUp("ann@mail.example", "Ann"))
    form = TicketForm(customer.customer.id, "My key", "It was used before.")
    ids = [(await tickets_service.open_ticket(deps, form))[1].id for _ in range(rows)]
    act = bulk_service.ACTS["tickets", "reply"]
    draft = await bulk_service.prepare(deps, act, user.id, dict.fromkeys(ids), "?", rows, is_all=False)
    await bulk_service.start(deps, draft.id, user.id, {"message": "Try again."})


async def _until(deps: Deps, count: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        async with deps.db.read() as tx:
            done = Counter(dict(await tx.all(_STATUSES)))["done"]
        if done >= count:
            return
        await asyncio.sleep(0.005)
