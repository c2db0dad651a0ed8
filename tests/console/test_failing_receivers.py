"""A receiver that has failed for days: staff see it wherever they look, and nothing is switched off in silence."""

from __future__ import annotations

from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import HOUR, SECOND
from lootkeep.services import receivers as receivers_service, retention as retention_service
from lootkeep.worker.deliveries import DeliveryWorker
from tests.console.visits import visitor
from tests.receiver import Receiver
from tests.worker.delivering import fan_out, log, record, subscribe, work
from tests.world import World


async def fail_for_days(world: World, receiver: Receiver) -> None:
    """Every attempt of a delivery, which is given up at the end, and two days more."""
    worker = DeliveryWorker(world.deps, Wakeup())
    receiver.answers = [503] * 6
    await record(world, 1, "order.paid")
    for _ in range(6):
        await work(worker)
        world.clock.advance(14 * HOUR)
    await retention_service.cancel_deliveries(world.deps)


async def test_a_receiver_that_has_failed_for_days_is_reported_and_stays_switched_on(insecure_world: World) -> None:
    world = insecure_world
    async with Receiver() as receiver:
        webhook = await subscribe(world, receiver)
        await fail_for_days(world, receiver)
    visits = await visitor(world, "staff")
    overview, examined = (await visits.get("")).text, (await visits.get("/health")).text
    (delivery,) = await log(world, webhook)
    assert (delivery["status"], delivery["attempts_count"]) == ("failed", 6)
    assert (await world.get(f"/webhooks/{webhook['id']}")).json()["data"]["is_active"]
    assert "has failed for 3 d" in overview
    assert f"Webhook {webhook['id']} (127.0.0.1:{receiver_port(webhook)}/hook) has failed for 84 hours" in examined


async def test_a_recovered_receiver_is_no_longer_reported(insecure_world: World) -> None:
    world = insecure_world
    async with Receiver() as receiver:
        await subscribe(world, receiver)
        await fail_for_days(world, receiver)
        await record(world, 1, "order.paid")
        await work(DeliveryWorker(world.deps, Wakeup()))
    async with world.db.read() as tx:
        assert await receivers_service.failing(tx, world.clock.now()) == []
    assert "has failed for" not in (await (await visitor(world, "staff")).get("/health")).text


async def test_a_failure_with_a_thousand_untried_deliveries_behind_it_is_still_reported(insecure_world: World) -> None:
    world = insecure_world
    async with Receiver() as receiver:
        await subscribe(world, receiver)
        receiver.answers = [503]
        await record(world, 1, "order.paid")
        await work(DeliveryWorker(world.deps, Wakeup()))
    await record(world, 1_000, "order.paid")
    for _ in range(10):
        await fan_out(world)
    async with world.db.read() as tx:
        (shown,) = await receivers_service.active(tx, world.clock.now())
    assert [attempt.response_code for attempt in shown.failures] == [503]


async def test_an_attempt_that_began_after_the_page_was_asked_for_is_in_its_last_minute(insecure_world: World) -> None:
    world = insecure_world
    async with Receiver() as receiver:
        await subscribe(world, receiver)
        await record(world, 1, "order.paid")
        asked_at = world.clock.now()
        world.clock.advance(SECOND)
        await work(DeliveryWorker(world.deps, Wakeup()))
    async with world.db.read() as tx:
        (shown,) = await receivers_service.active(tx, asked_at)
    assert (shown.minutes[-1], set(shown.minutes[:-1])) == ("ok", {"none"})


def receiver_port(webhook: dict[str, str]) -> str:
    return webhook["url"].split(":")[2].split("/")[0]
