"""The worker of a process: the loop of every queue, and the periodic tasks, of the store and of its sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

from lootkeep.deps import Deps
from lootkeep.engines.outbound import allow_connections
from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.settings import Settings
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.wiring.observation import Observation
from lootkeep.wiring.periodic import periodic_tasks
from lootkeep.wiring.sandbox import Sandbox, without_mail
from lootkeep.wiring.store import mailer
from lootkeep.worker.alerts import SENDERS, AlertWorker
from lootkeep.worker.campaigns import CampaignOptions, CampaignWorker
from lootkeep.worker.deliveries import DeliveryWorker
from lootkeep.worker.emails import EmailWorker
from lootkeep.worker.lists import ListRefresher
from lootkeep.worker.loop import Loop, PeriodicTask, Worker
from lootkeep.worker.metrics import WorkerMetrics
from lootkeep.worker.runner import QueueWorker

if TYPE_CHECKING:
    from lootkeep.storage.engine.postgres import PostgresDatabase


@asynccontextmanager
async def working(
    deps: Deps, settings: Settings, metrics: WorkerMetrics | None, observation: Observation, *tasks: PeriodicTask
) -> AsyncIterator[tuple[Worker, Sandbox]]:
    """The worker, running inside the block; it finishes current work before the block ends."""
    allow_connections()
    wakeup = _wakeup(deps, settings)
    wakeup.add(deps.new_commands)
    test_settings = without_mail(settings)

    def begin(test_deps: Deps) -> None:
        sandbox.wakeup.add(test_deps.new_commands)
        queues = make_queues(test_deps, test_settings, sandbox.wakeup, None, observation)
        worker.add(periodic_tasks(test_deps, test_settings), tuple(queue.run for queue in queues))

    sandbox = Sandbox(deps, settings, begin)
    queues = deliveries, *_ = make_queues(deps, settings, wakeup, metrics, observation)
    loops: list[Loop] = [queue.run for queue in queues]
    if settings.lists_refresh_hours:
        loops.append(ListRefresher(settings.data_dir, deps.clock, settings.lists_refresh_hours).run)
    tasks += (*periodic_tasks(deps, settings), PeriodicTask("look for the sandbox", 5, sandbox.look))
    worker = Worker(tasks, tuple(loops), is_behind=lambda: deliveries.is_behind)
    worker.start()
    await sandbox.look()
    try:
        yield worker, sandbox
    finally:
        wakeup.wake()
        sandbox.wakeup.wake()
        await worker.stop()
        await sandbox.close()
        await wakeup.close()


def make_queues(
    deps: Deps, settings: Settings, wakeup: MemoryWakeup, metrics: WorkerMetrics | None, observation: Observation
) -> tuple[QueueWorker, ...]:
    delays, concurrency, (lines, tracer) = settings.webhook_retry_delays, settings.webhook_concurrency, observation
    deliveries = DeliveryWorker(
        deps, wakeup, delays=delays, concurrency=concurrency, metrics=metrics, lines=lines, tracer=tracer
    )
    emails = EmailWorker(deps, wakeup.follower(EmailWorker.wakes_for), mailer(settings, deps.clock), metrics=metrics)
    for_campaigns, options = wakeup.follower(CampaignWorker.wakes_for), campaign_options(settings)
    campaigns = CampaignWorker(deps, for_campaigns, mailer(settings, deps.clock), options, metrics=metrics)
    alerts = [
        AlertWorker(deps, wakeup.follower(AlertWorker.wakes_for), mailer(settings, deps.clock), metrics)
        for _ in range(SENDERS)
    ]
    return deliveries, emails, campaigns, *alerts


def _wakeup(deps: Deps, settings: Settings) -> MemoryWakeup:
    tables = DeliveryWorker.wakes_for
    if isinstance(deps.db, SqliteDatabase):
        wakeup = MemoryWakeup(tables)
        deps.db.on_commit(wakeup.wake)
        return wakeup
    if not settings.listen_url:
        return MemoryWakeup()
    from lootkeep.engines.wakeup.postgres import PostgresWakeup

    return PostgresWakeup(settings.listen_url, tables, cast("PostgresDatabase", deps.db).uses)


def campaign_options(settings: Settings) -> CampaignOptions:
    """How campaigns are sent."""
    has_server = settings.smtp_url is not None
    return CampaignOptions(settings.campaign_mails_per_minute, settings.campaign_tracking, has_server=has_server)
