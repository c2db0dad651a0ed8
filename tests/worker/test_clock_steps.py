"""The wall clock is set back by a day while the worker runs, or while it is stopped: what waits continues."""

from __future__ import annotations

import pytest

from lootkeep.domain.bulk import LEASE as BULK_LEASE
from lootkeep.domain.deliveries import LEASE, RETRY_SECONDS
from lootkeep.domain.emails import LEASE as EMAIL_LEASE, RETRY_SECONDS as EMAIL_RETRY_SECONDS
from lootkeep.engines.emails.outbox import OutboxMailer
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND, Instant, SystemClock
from lootkeep.storage import bulk as bulk_db
from lootkeep.worker.alerts import AlertWorker
from lootkeep.worker.clock_watch import ClockWatch
from lootkeep.worker.deliveries import DeliveryWorker
from tests.api.campaigns import read as read_campaign, reader
from tests.api.commanding import GIVE, bought, survival
from tests.mailbox import MailServer
from tests.receiver import Receiver
from tests.worker import bulk, campaigning, emailing
from tests.worker.alerting import alert_of, new_alert, notify
from tests.worker.delivering import (
    attempts,
    claim_and_die,
    fan_out,
    log,
    only_postgresql,
    record,
    subscribe,
    work,
)
from tests.worker.transactions import counted
from tests.world import World


def set_back(world: World, microseconds: int = DAY) -> None:
    world.clock.set_to(Instant(world.clock.now() - microseconds))


while_it_runs_or_not = pytest.mark.parametrize("is_running", [True, False], ids=["running", "stopped"])


def set_ahead(world: World) -> None:
    """By a day, so that setting it back makes it right: a worker that starts asks the database server for the time."""
    world.clock.set_to(Instant(SystemClock().now() + DAY))


async def correct(world: World, *, is_running: bool) -> None:
    watch = ClockWatch(world.deps)
    await watch.look()
    set_back(world)
    await (watch if is_running else ClockWatch(world.deps)).look()


async def test_a_retry_is_sent_after_its_delay_although_the_clock_was_set_back(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    watch = ClockWatch(insecure_world.deps)
    await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500, 500]
    await record(insecure_world)
    await work(worker)
    for delay in RETRY_SECONDS[:2]:
        before = len(receiver.received)
        set_back(insecure_world)
        await watch.look()
        insecure_world.clock.advance(delay * SECOND - 1)
        await work(worker)
        assert len(receiver.received) == before
        insecure_world.clock.advance(delay * SECOND // 10 + 1)
        await work(worker)
        assert len(receiver.received) == before + 1


@only_postgresql
async def test_asking_the_server_for_the_time_writes_nothing(world: World) -> None:
    set_ahead(world)
    deps, writes = counted(world.deps)
    await ClockWatch(deps).look()
    assert writes.count == 0


@while_it_runs_or_not
async def test_a_first_attempt_is_sent_at_once_although_the_clock_was_set_back(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, is_running: bool
) -> None:
    set_ahead(insecure_world)
    await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await fan_out(insecure_world)
    await correct(insecure_world, is_running=is_running)
    await work(worker)
    assert len(receiver.received) == 1


@while_it_runs_or_not
async def test_a_dead_workers_lease_expires_although_the_clock_was_set_back(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker, is_running: bool
) -> None:
    set_ahead(insecure_world)
    webhook = await subscribe(insecure_world, receiver, "product.created")
    await record(insecure_world)
    await claim_and_die(insecure_world)
    await correct(insecure_world, is_running=is_running)
    await work(worker)
    assert receiver.received == []
    insecure_world.clock.advance(LEASE)
    await work(worker)
    (delivery,) = await log(insecure_world, webhook)
    assert await attempts(insecure_world, delivery["id"]) == [(1, "interrupted"), (2, "delivered")]


@while_it_runs_or_not
async def test_an_email_is_sent_although_the_clock_was_set_back(
    world: World, server: MailServer, is_running: bool
) -> None:
    set_ahead(world)
    await emailing.write(world)
    await correct(world, is_running=is_running)
    world.clock.advance(EMAIL_LEASE)
    await emailing.work(emailing.email_worker(world, server))
    assert len(server.arrived) == 1


@while_it_runs_or_not
async def test_a_campaign_continues_although_the_clock_was_set_back(
    world: World, server: MailServer, is_running: bool
) -> None:
    set_ahead(world)
    for _ in range(3):
        await reader(world)
    campaign = await campaigning.send(world)
    worker = campaigning.campaign_worker(world, server, emails_per_minute=60)
    await worker.run_once()
    await correct(world, is_running=is_running)
    world.clock.advance(EMAIL_LEASE)
    for _ in range(5):
        await worker.run_once()
        world.clock.advance(SECOND)
    assert len(server.arrived) == 3
    assert (await read_campaign(world, campaign))["status"] == "sent"


@while_it_runs_or_not
async def test_a_bulk_action_goes_on_although_the_clock_was_set_back(world: World, is_running: bool) -> None:
    set_ahead(world)
    act = await bulk.started(world, "orders", "cancel", [999], reason=None)
    now = world.clock.now()
    async with world.db.write() as tx:
        assert await bulk_db.QUEUE.claim(tx, "dead", Instant(now + BULK_LEASE), now)
    await correct(world, is_running=is_running)
    world.clock.advance(BULK_LEASE)
    await bulk.work(world)
    assert (await bulk.read(world, act)).status == "done"


async def test_a_retry_is_sent_although_the_clock_was_set_back_while_nothing_ran(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    set_ahead(insecure_world)
    await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500]
    await record(insecure_world)
    await work(worker)
    await correct(insecure_world, is_running=False)
    insecure_world.clock.advance(RETRY_SECONDS[0] * SECOND - 1)
    await work(worker)
    assert len(receiver.received) == 1
    insecure_world.clock.advance(RETRY_SECONDS[0] * SECOND // 10 + 1)
    await work(worker)
    assert len(receiver.received) == 2


@only_postgresql
async def test_a_worker_that_starts_with_a_clock_behind_the_database_servers_makes_no_retry_early(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    insecure_world.clock.set_to(SystemClock().now())
    webhook = await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500]
    await record(insecure_world)
    await work(worker)
    before = await log(insecure_world, webhook)
    set_back(insecure_world)
    await ClockWatch(insecure_world.deps).look()
    set_back(insecure_world, -DAY)
    assert await log(insecure_world, webhook) == before


async def test_small_clock_corrections_and_a_temporary_hour_ahead_change_nothing(
    insecure_world: World, receiver: Receiver, worker: DeliveryWorker
) -> None:
    watch = ClockWatch(insecure_world.deps)
    webhook = await subscribe(insecure_world, receiver, "product.created")
    receiver.answers = [500]
    await record(insecure_world)
    await work(worker)
    (before,) = await log(insecure_world, webhook)
    for step in (20 * SECOND, -HOUR):
        set_back(insecure_world, step)
        await watch.look()
        set_back(insecure_world, -step)
        await watch.look()
    assert await log(insecure_world, webhook) == [before]


@while_it_runs_or_not
async def test_a_command_waits_for_its_delay_and_no_longer_although_the_clock_was_set_back(
    world: World, is_running: bool
) -> None:
    set_ahead(world)
    server = await survival(world, GIVE, GIVE | {"text": "say thanks", "delay_minutes": 10})
    await bought(world)
    await correct(world, is_running=is_running)
    assert await server.texts() == ["lp user Notch parent add vip"]
    world.clock.advance(10 * MINUTE)
    assert "say thanks" in await server.texts()


@while_it_runs_or_not
async def test_a_leased_command_is_handed_out_again_although_the_clock_was_set_back(
    world: World, is_running: bool
) -> None:
    set_ahead(world)
    server = await survival(world)
    await bought(world)
    (first,) = await server.take()
    await correct(world, is_running=is_running)
    assert await server.take() == []
    world.clock.advance(world.deps.commands.lease_seconds * SECOND)
    (second,) = await server.take()
    assert (second["id"], second["attempt"]) == (first["id"], 2)


@while_it_runs_or_not
async def test_a_failed_command_is_handed_out_after_its_pause_although_the_clock_was_set_back(
    world: World, is_running: bool
) -> None:
    set_ahead(world)
    server = await survival(world)
    await bought(world)
    (command,) = await server.take()
    await server.report({"id": command["id"], "ok": False, "output": "no such player"})
    await correct(world, is_running=is_running)
    assert await server.take() == []
    world.clock.advance(world.deps.commands.retry_delays[0] * SECOND)
    assert [row["id"] for row in await server.take()] == [command["id"]]


async def test_an_alert_that_failed_often_is_tried_again_although_the_clock_was_set_back(world: World) -> None:
    await new_alert(world, "staff@shop.example", "email")
    await notify(world, "a")
    watch = ClockWatch(world.deps)
    worker = AlertWorker(world.deps, Wakeup(), OutboxMailer())
    for _ in range(len(EMAIL_RETRY_SECONDS) + 2):
        await worker.run_once()
        await worker.drain()
        world.clock.advance(EMAIL_RETRY_SECONDS[-1] * SECOND)
    await watch.look()
    failures = (await alert_of(world)).failures
    set_back(world, DAY + HOUR)
    await watch.look()
    world.clock.advance(EMAIL_RETRY_SECONDS[-1] * SECOND)
    await worker.run_once()
    await worker.drain()
    assert (await alert_of(world)).failures == failures + 1
