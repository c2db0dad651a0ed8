"""Sending deliveries: claim what is due, send it, settle what came of it. A crash at any point loses nothing."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from lootkeep.deps import Deps
from lootkeep.domain import deliveries as rules
from lootkeep.domain import signing
from lootkeep.domain.deliveries import Claimed, Result
from lootkeep.domain.webhooks import Webhook
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.kernel.errors import Unavailable
from lootkeep.services.webhooks import secrets_of
from lootkeep.storage import backlog, fan_out, replays
from lootkeep.storage import deliveries as storage
from lootkeep.worker.metrics import DeliveryMetrics
from lootkeep.worker.outage import Outage

log = structlog.get_logger(__name__)

# How long the worker sleeps when nothing tells it to look sooner.
_LONGEST_SLEEP = 5 * SECOND
_SHORTEST_SLEEP = SECOND // 100
# How long finished requests wait for others of their turn.
_LINGER_SECONDS = 0.02


class Dispatcher:
    """One worker. Any number of them may run on PostgreSQL: each holds what it claimed, for a time."""

    def __init__(
        self,
        deps: Deps,
        wakeup: Wakeup,
        *,
        delays: Sequence[int] = rules.RETRY_SECONDS,
        concurrency: int = 10,
        metrics: DeliveryMetrics | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._deps = deps
        self._wakeup = wakeup
        self._outage = Outage("deliveries")
        self._delays = delays
        self._concurrency = concurrency
        self._metrics = metrics or DeliveryMetrics()
        self._chance = chance
        self._lease = secrets.token_hex(8)
        self._in_flight: Counter[int] = Counter()
        self._sending: set[asyncio.Task[None]] = set()
        self._latest: list[asyncio.Task[None]] = []
        self._finished: list[tuple[Claimed, Result]] = []
        self._settled = asyncio.Event()

    async def run(self, stopping: asyncio.Event) -> None:
        """Works until it is told to stop, then ends what is under way."""
        while not stopping.is_set():
            try:
                is_idle = not await self.turn()
                self._outage.end()
                if is_idle:
                    await self._rest()
                await self._gather()
            except Unavailable:
                await self._outage.wait(stopping)
        await self.drain()

    async def turn(self) -> bool:
        """One round: settle, fan out, claim, send. False when there was nothing to do."""
        settled = await self._settle()
        fanned_out = await self._fan_out()
        claimed = await self._claim()
        return settled or fanned_out or claimed

    async def drain(self) -> None:
        """Waits for the requests under way and writes down what came of them."""
        if self._sending:
            await asyncio.wait(self._sending)
        await self._settle()

    async def _gather(self) -> None:
        """Lets what is under way come to an end together: a turn costs for one what it costs for a hundred.

        Whoever hangs is not waited for: only what was claimed last is, and for a moment.
        """
        waited_for = [task for task in self._latest if not task.done()] or self._sending
        if waited_for:
            await asyncio.wait(waited_for, timeout=_LINGER_SECONDS)

    async def _rest(self) -> None:
        """Sleeps until something is due, something finishes, or somebody says that there is work."""
        now = self._deps.clock.now()
        async with self._deps.db.read() as tx:
            due = await backlog.next_due(tx, now)
        # What is due already waits for room at its webhook, and whatever finishes makes room.
        sleep = _LONGEST_SLEEP if due is None else min(_LONGEST_SLEEP, max(_SHORTEST_SLEEP, due - now))
        waits: set[asyncio.Future[Any]] = {asyncio.ensure_future(self._wakeup.wait(sleep / SECOND))}
        if self._sending:
            waits.add(asyncio.ensure_future(self._settled.wait()))
        _, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        self._settled.clear()

    async def _fan_out(self) -> bool:
        # Looked for first: an idle worker never writes, and so never wakes itself.
        async with self._deps.db.read() as tx:
            if not await fan_out.has_waiting_events(tx):
                return False
        async with self._deps.db.write() as tx:
            return await fan_out.fan_out(tx, self._deps.ids.delivery_id, self._deps.clock.now()) > 0

    async def _claim(self) -> bool:
        """Fair turns: every webhook with something due gets up to its own cap, none can take another's."""
        now = self._deps.clock.now()
        async with self._deps.db.read() as tx:
            due = await storage.webhooks_due(tx, now)
        rooms = [(one, room) for one in due if (room := self._room(one.webhook_id)) > 0]
        if not rooms:
            return False
        async with self._deps.db.write() as tx:
            turns = await storage.hold(tx, rooms)
            claimed, cancelled = await storage.claim(tx, turns, self._lease, now)
        held = {turn.webhook.id: turn.webhook for turn in turns}
        self._latest = [self._start(held[one.webhook_id], one, now) for one in claimed]
        return bool(claimed or cancelled)

    def _room(self, webhook_id: int) -> int:
        return self._concurrency - self._in_flight[webhook_id]

    def _start(self, webhook: Webhook, claimed: Claimed, now: Instant) -> asyncio.Task[None]:
        self._in_flight[webhook.id] += 1
        task = asyncio.create_task(self._send(webhook, claimed, now))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return task

    async def _send(self, webhook: Webhook, claimed: Claimed, now: Instant) -> None:
        try:
            result = await self._deps.outbound.post(webhook.url, claimed.body, self._headers(webhook, claimed, now))
        except Exception:
            # A fault of ours must not hold the webhook's place for ever; it is retried like any other failure.
            log.exception("a delivery could not be sent", delivery=claimed.public_id)
            result = Result(False, None, 0, "the delivery could not be signed or sent", None)
        self._metrics.observe(result)
        self._in_flight[webhook.id] -= 1
        self._finished.append((claimed, result))
        self._settled.set()

    def _headers(self, webhook: Webhook, claimed: Claimed, now: Instant) -> dict[str, str]:
        secrets_now = secrets_of(self._deps, webhook, now)
        return signing.headers(claimed.body, claimed.event_type, claimed.public_id, secrets_now, now // SECOND)

    async def _settle(self) -> bool:
        """One transaction for everything that has finished meanwhile."""
        finished, self._finished = self._finished, []
        if not finished:
            return False
        now = self._deps.clock.now()
        settled = [
            (claimed, result, rules.settle(result, claimed.failures, now, self._delays, self._chance()))
            for claimed, result in finished
        ]
        try:
            async with self._deps.db.write() as tx:
                await storage.settle(tx, self._lease, settled, now)
        except BaseException:
            # Kept and tried again; should this process end first, the leases run out and the attempts are repeated.
            self._finished = finished + self._finished
            raise
        return True


async def step_replays(deps: Deps) -> None:
    """One step of every running replay."""
    async with deps.db.read() as tx:
        if not await replays.has_running(tx):
            return
    async with deps.db.write() as tx:
        await replays.step(tx, deps.ids.delivery_id, deps.clock.now())
