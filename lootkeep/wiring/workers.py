"""The worker of a process: the loop of every queue, and the periodic tasks, of the store and of its sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, cast

from lootkeep.deps import Deps
from lootkeep.engines.emails import Mailer
from lootkeep.engines.emails.current import CurrentMailer
from lootkeep.engines.emails.outbox import OutboxMailer
from lootkeep.engines.outbound import allow_connections
from lootkeep.engines.wakeup import Wakeup
from lootkeep.services import secret_key as secret_key_service, settings as settings_service
from lootkeep.settings import Settings
from lootkeep.wiring.observation import Observation
from lootkeep.wiring.periodic import periodic_tasks
from lootkeep.wiring.sandbox import Sandbox
from lootkeep.worker.alerts import SENDERS, AlertWorker
from lootkeep.worker.bulk import BulkWorker
from lootkeep.worker.campaigns import CampaignOptions, CampaignWorker
from lootkeep.worker.deliveries import DeliveryWorker
from lootkeep.worker.emails import EmailWorker
from lootkeep.worker.lists import ListRefresher
from lootkeep.worker.loop import Loop, PeriodicTask, Worker
from lootkeep.worker.metrics import WorkerMetrics
from lootkeep.worker.payments import PaymentWorker
from lootkeep.worker.runner import QueueWorker

if TYPE_CHECKING:
    from lootkeep.storage.engine.database import Engine


@asynccontextmanager
async def working(
    deps: Deps, settings: Settings, metrics: WorkerMetrics | None, observation: Observation, *tasks: PeriodicTask
) -> AsyncIterator[tuple[Worker, Sandbox]]:
    """The worker, running inside the block; it finishes current work before the block ends."""
    allow_connections()
    wakeup = Wakeup(DeliveryWorker.wakes_for)
    cast("Engine", deps.db).on_change(wakeup.wake)
    wakeup.add(deps.new_commands)
    wakeup.add(deps.changes)

    def begin(test_deps: Deps) -> None:
        sandbox.wakeup.add(test_deps.new_commands)
        sandbox.wakeup.add(test_deps.changes)
        queues = make_queues(test_deps, settings, sandbox.wakeup, None, observation)
        worker.add(periodic_tasks(test_deps, settings), tuple(queue.run for queue in queues))

    sandbox = Sandbox(deps, settings, begin)
    queues = deliveries, *_ = make_queues(deps, settings, wakeup, metrics, observation)
    loops: list[Loop] = [queue.run for queue in queues]
    if settings.lists_refresh_hours:
        loops.append(ListRefresher(settings.data_dir, deps.clock, settings.lists_refresh_hours).run)
    tasks += (
        *periodic_tasks(deps, settings),
        PeriodicTask("look for the sandbox", 5, sandbox.look),
        # Also behind a pooler, where nobody can listen.
        PeriodicTask("look for changed settings", 1, partial(settings_service.refresh, deps)),
        PeriodicTask("look for a new key", 1, partial(secret_key_service.refresh, deps)),
    )
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


def make_queues(
    deps: Deps, settings: Settings, wakeup: Wakeup, metrics: WorkerMetrics | None, observation: Observation
) -> tuple[QueueWorker, ...]:
    delays, concurrency, (lines, tracer) = settings.webhook_retry_delays, settings.webhook_concurrency, observation
    deliveries = DeliveryWorker(
        deps, wakeup, delays=delays, concurrency=concurrency, metrics=metrics, lines=lines, tracer=tracer
    )
    emails = EmailWorker(deps, wakeup.follower(EmailWorker.wakes_for), _mailer(deps), metrics=metrics)
    for_campaigns, options = wakeup.follower(CampaignWorker.wakes_for), partial(campaign_options, deps)
    campaigns = CampaignWorker(deps, for_campaigns, _mailer(deps), options, metrics=metrics)
    followers = [wakeup.follower(AlertWorker.wakes_for) for _ in range(SENDERS)]
    alerts = [AlertWorker(deps, follower, _mailer(deps), metrics=metrics) for follower in followers]
    payments = PaymentWorker(deps, wakeup.follower(PaymentWorker.wakes_for))
    bulk = BulkWorker(deps, wakeup.follower(BulkWorker.wakes_for))
    return deliveries, emails, campaigns, payments, bulk, *alerts


def _mailer(deps: Deps) -> Mailer:
    """One for each loop that sends: each has its own connection. E-mails of tests stay in the outbox of the sandbox."""
    return OutboxMailer() if deps.is_test else CurrentMailer(lambda: deps.settings.version, deps.settings.mailer)


def campaign_options(deps: Deps) -> CampaignOptions:
    """How campaigns are sent."""
    settings, has_server = deps.settings.value, deps.store.has_mail_server and not deps.is_test
    return CampaignOptions(settings.campaign_mails_per_minute, settings.campaign_tracking, has_server=has_server)
