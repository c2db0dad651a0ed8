"""SIGKILL of services and workers while a provider reports: what was acknowledged is applied, and applied once."""

from __future__ import annotations

import asyncio
import hmac
import json
import random
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import func, select, update

from lootkeep import wiring
from lootkeep.domain.payments.events import PaymentEvent
from lootkeep.settings import Settings
from lootkeep.storage import migrations
from lootkeep.storage.engine.query import Query
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.storage.schema import orders, payment_events
from tests.api.providers import SECRET, charge, event, new_source
from tests.builders import new_customer, new_order, new_product
from tests.faults.processes import Processes
from tests.ports import free_port
from tests.recount import maintained, recounted, rows, sent
from tests.world import KEY, World

PATIENCE_SECONDS = 300.0
_SENDERS = 6
_HELD = Query(select(func.count()).select_from(payment_events).where(payment_events.c.lease.is_not(None)))
_FORGET_LEASES = Query(update(payment_events).where(payment_events.c.lease.is_not(None)).values(due_at=0))


@dataclass
class InboxReport:
    """What was acknowledged, what is stored, and what became of the orders."""

    kills: int = 0
    # Requests that a kill cut off, and events that a dead worker held.
    cut: int = 0
    held: int = 0
    acknowledged: set[str] = field(default_factory=set)
    events: list[PaymentEvent] = field(default_factory=list)
    orders: list[dict[str, Any]] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    do_totals_agree: bool = False


class Provider:
    """Sends each event until it is acknowledged, some of them at once."""

    def __init__(self, url: str, to_send: list[dict[str, Any]], report: InboxReport) -> None:
        self._url = url
        self._to_send = to_send
        self._report = report

    async def run(self) -> None:
        async with httpx.AsyncClient() as http:
            await asyncio.gather(*(self._send_all(http) for _ in range(_SENDERS)))

    async def _send_all(self, http: httpx.AsyncClient) -> None:
        while self._to_send:
            reported = self._to_send.pop()
            body = json.dumps(reported).encode()
            while not await self._is_acknowledged(http, body):
                await asyncio.sleep(0.02)
            self._report.acknowledged.add(reported["id"])

    async def _is_acknowledged(self, http: httpx.AsyncClient, body: bytes) -> bool:
        at = int(time.time())
        digest = hmac.digest(SECRET.encode(), f"{at}.".encode() + body, "sha256").hex()
        try:
            answer = await http.post(self._url, content=body, headers={"stripe-signature": f"t={at},v1={digest}"})
        except httpx.ConnectError:
            return False
        except httpx.TransportError:
            self._report.cut += 1
            return False
        assert answer.status_code in (200, 503), answer.text
        return answer.status_code == 200


async def run(url: str, folder: Path, victims: list[str], *, count: int, seed: int) -> InboxReport:
    """Reports a payment and a refund of each order while the victims, in any order, are killed one after the other."""
    chance = random.Random(seed)
    settings = Settings(_env_file=None, database_url=url, secret_key=KEY, database_connections=3)
    engine = await wiring.open_database(settings)
    await migrations.upgrade(engine)
    world, report, port = World(engine, rate_limit_per_minute=0), InboxReport(), free_port()
    await world.begin()
    commands = {"service": ["serve", "--port", str(port)], "worker": ["worker"]}
    environment = {"LOOTKEEP_DATABASE_URL": url, "LOOTKEEP_SECRET_KEY": KEY}
    processes = Processes(commands, environment, folder)
    try:
        source, to_send = await new_source(world), await _events(world, count)
        chance.shuffle(to_send)
        provider = Provider(f"http://127.0.0.1:{port}{source['url']}", to_send, report)
        for name in sorted(set(victims)):
            processes.start(name)
        sending = asyncio.ensure_future(provider.run())
        await _rage(world, processes, chance.sample(victims, len(victims)), 2 * count, chance, report)
        await asyncio.wait_for(sending, PATIENCE_SECONDS)
        await _end(world, processes, report)
        report.orders, report.sent = await rows(world.db, orders), await sent(world.db)
        report.do_totals_agree = await maintained(world.db) == await recounted(world.db)
        return report
    finally:
        processes.kill_all()
        await world.close()
        await engine.close()


async def _events(world: World, count: int) -> list[dict[str, Any]]:
    await new_product(world, price="20.00")
    reported = []
    for _ in range(count):
        customer = (await new_customer(world))["customer"]
        order_id = (await new_order(world, customer["id"], (1, 1)))["id"]
        ids: dict[str, Any] = {"id": f"ch_{order_id}", "payment_intent": f"pi_{order_id}"}
        # Without a card: nothing is judged again, and nothing held.
        paid = charge(order_id, **ids, billing_details={}, payment_method_details={"type": "card"})
        reported.append(event("charge.succeeded", paid, 2 * order_id))
        reported.append(event("charge.refunded", paid | {"amount_refunded": 500}, 2 * order_id + 1))
    return reported


async def _rage(
    world: World, processes: Processes, victims: list[str], total: int, chance: random.Random, report: InboxReport
) -> None:
    """Kills at random places, while events are still sent."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    for number, name in enumerate(victims, 1):
        goal = (total - 4 * len(victims)) * number // len(victims) + chance.randrange(4)
        while len(report.acknowledged) < goal:
            assert time.monotonic() < deadline, processes.log()
            await asyncio.sleep(0.002)
        processes.kill(name)
        report.kills += 1
        async with world.db.write() as tx:
            ((held,),) = await tx.all(_HELD)
            report.held += held
            await tx.run(_FORGET_LEASES)
        processes.start(name)


async def _end(world: World, processes: Processes, report: InboxReport) -> None:
    """Lets the work come to its end, without waiting for the leases of the dead."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not report.events or any(it.status == "waiting" for it in report.events):
        assert time.monotonic() < deadline, processes.log()
        async with world.db.write() as tx:
            await tx.run(_FORGET_LEASES)
            report.events = await payment_events_db.ROWS.find(tx)
        await asyncio.sleep(0.5)
