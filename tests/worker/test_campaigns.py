"""Campaigns from the operation to the reader: on time, at a limited rate, once each, and not to the unsubscribed."""

from __future__ import annotations

import asyncio
from collections import Counter

from lootkeep.domain.emails import LEASE
from lootkeep.kernel.clock import DAY, SECOND, Instant, iso
from lootkeep.storage.campaigns import queue as campaign_queue_db
from lootkeep.worker.campaigns import CampaignOptions, CampaignWorker
from tests.api.campaigns import PATH, make, read, reader, set_customer
from tests.builders import STORE
from tests.mailbox import MailServer
from tests.worker.campaigning import campaign_worker, recipients, send, stats, work
from tests.world import World


async def test_everyone_is_emailed_once_and_the_campaign_ends_as_sent(world: World, server: MailServer) -> None:
    people = [await reader(world) for _ in range(5)]
    campaign = await send(world, from_name="Dragon Shop", reply_to="help@shop.example")
    await work(world, campaign_worker(world, server))
    assert [received.recipients for received in server.arrived] == [[person["email"]] for person in people]
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["failed_count"], data["error"]) == ("sent", 5, 0, None)
    assert data["completed_at"] is not None
    received = server.arrived[0]
    assert received.names("From") == [("Dragon Shop", "shop@store.example")]
    assert received.message["Reply-To"] == "help@shop.example"
    assert (await stats(world, campaign))["progress"] == 100.0


async def test_without_a_mail_server_nothing_is_marked_as_sent(world: World) -> None:
    for _ in range(3):
        await reader(world)
    campaign = await send(world)
    await work(world, campaign_worker(world, None))
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["outbox_count"]) == ("failed", 0, 3)
    assert data["error"] == "No mail server was configured, so none of the remaining e-mails was sent."
    assert {status for _, status, _ in await recipients(world)} == {"outbox"}
    assert (await stats(world, campaign))["sent"] == 0


async def test_a_campaign_that_failed_without_a_mail_server_is_sent_to_everyone_once_there_is_one(
    world: World, server: MailServer
) -> None:
    people = [await reader(world) for _ in range(2)]
    campaign = await send(world)
    await work(world, campaign_worker(world, None))
    later = await reader(world)
    assert (await world.post(f"{PATH}/{campaign}/send", {})).status_code == 200
    await work(world, campaign_worker(world, server))
    assert [received.recipients for received in server.arrived] == [[person["email"]] for person in (*people, later)]
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["outbox_count"], data["error"]) == ("sent", 3, 0, None)


async def test_a_campaign_that_failed_and_is_scheduled_shows_nothing_of_its_first_start(world: World) -> None:
    await reader(world)
    campaign = await send(world)
    await work(world, campaign_worker(world, None))
    await world.post(f"{PATH}/{campaign}/send", {"scheduled_at": "2026-12-01T09:00:00Z"})
    data = await read(world, campaign)
    assert (data["status"], data["scheduled_at"]) == ("scheduled", "2026-12-01T09:00:00Z")
    assert (data["recipients_count"], data["outbox_count"], data["error"]) == (0, 0, None)
    assert (data["started_at"], data["completed_at"]) == (None, None)


async def test_a_scheduled_campaign_starts_on_time_with_the_audience_of_that_moment(
    world: World, server: MailServer
) -> None:
    first = await reader(world)
    campaign = await make(world)
    time = iso(world.clock.now() + DAY)  # type: ignore[arg-type]
    await world.post(f"{PATH}/{campaign['id']}/send", {"scheduled_at": time})
    working = campaign_worker(world, server)
    world.clock.advance(DAY - 1)
    assert not await working.run_once()
    second = await reader(world)
    await set_customer(world, first["id"], email_status="unsubscribed")
    world.clock.advance(1)
    await work(world, working)
    assert [received.recipients for received in server.arrived] == [[second["email"]]]
    assert (await read(world, campaign["id"]))["status"] == "sent"


async def test_a_scheduled_campaign_with_nobody_left_fails_and_says_why(world: World, server: MailServer) -> None:
    customer = await reader(world)
    campaign = await make(world)
    time = iso(world.clock.now() + DAY)  # type: ignore[arg-type]
    await world.post(f"{PATH}/{campaign['id']}/send", {"scheduled_at": time})
    await set_customer(world, customer["id"], status="blocked")
    world.clock.advance(DAY)
    await work(world, campaign_worker(world, server))
    data = await read(world, campaign["id"])
    assert (data["status"], data["error"]) == ("failed", "There were no recipients at the scheduled time.")


async def test_the_sending_rate_is_shared_by_all_workers_and_campaigns(world: World, server: MailServer) -> None:
    for _ in range(4):
        await reader(world)
    await send(world)
    await send(world)
    workers = [campaign_worker(world, server, emails_per_minute=60) for _ in range(3)]
    for second in range(8):
        for worker in workers:
            await worker.run_once()
        assert len(server.arrived) == second + 1
        world.clock.advance(SECOND)
    for worker in workers:
        await worker.run_once()
    assert Counter(received.recipients[0] for received in server.arrived).most_common(1)[0][1] == 2


async def test_concurrent_workers_never_email_anyone_twice(world: World, server: MailServer) -> None:
    people = [await reader(world) for _ in range(30)]
    campaign = await send(world)
    workers = [campaign_worker(world, server) for _ in range(4)]

    async def until_sent(worker: CampaignWorker) -> None:
        while any(status in ("queued", "sending") for _, status, _ in await recipients(world)):
            world.clock.advance(10)
            if not await worker.run_once():
                # Another worker holds the last e-mail: it must be able to send it.
                await asyncio.sleep(0)

    await asyncio.gather(*(until_sent(worker) for worker in workers))
    assert sorted(received.recipients[0] for received in server.arrived) == sorted(person["email"] for person in people)
    assert (await read(world, campaign))["sent_count"] == 30


async def test_a_customer_who_unsubscribes_before_their_email_is_not_emailed(world: World, server: MailServer) -> None:
    first, second = await reader(world), await reader(world)
    campaign = await send(world)
    working = campaign_worker(world, server)
    await working.run_once()
    await set_customer(world, second["id"], email_status="unsubscribed")
    world.clock.advance(SECOND)
    await work(world, working)
    assert [received.recipients for received in server.arrived] == [[first["email"]]]
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["skipped_count"]) == ("sent", 1, 1)


async def test_a_customer_who_got_another_address_is_not_emailed_at_the_former_one(
    world: World, server: MailServer
) -> None:
    moved = await reader(world, email="typo@mail.example")
    campaign = await send(world)
    await world.put(f"{STORE}/customers/{moved['id']}", {"email": "right@mail.example"})
    await work(world, campaign_worker(world, server))
    assert server.arrived == []
    assert (await stats(world, campaign))["skipped"] == 1


async def test_what_was_sent_before_the_mail_server_was_removed_counts_as_sent(
    world: World, server: MailServer
) -> None:
    for _ in range(3):
        await reader(world)
    campaign = await send(world)
    chosen = [CampaignOptions(emails_per_minute=60 * SECOND)]
    working = campaign_worker(world, server, lambda: chosen[0])
    await working.run_once()
    world.clock.advance(SECOND)
    async with world.db.write() as tx:
        now = world.clock.now()
        assert await campaign_queue_db.QUEUE.claim(tx, "another worker", Instant(now + LEASE), now)
    chosen[0] = CampaignOptions(has_server=False)
    await work(world, working)
    assert [status for _, status, _ in await recipients(world)] == ["sent", "sending", "outbox"]
    world.clock.advance(LEASE)
    await work(world, working)
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["outbox_count"]) == ("sent", 1, 2)


async def test_a_cancelled_campaign_emails_nobody_else(world: World, server: MailServer) -> None:
    for _ in range(3):
        await reader(world)
    campaign = await send(world)
    working = campaign_worker(world, server)
    await working.run_once()
    await world.post(f"{PATH}/{campaign}/cancel")
    world.clock.advance(SECOND)
    await work(world, working)
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], len(server.arrived)) == ("cancelled", 1, 1)
    assert Counter(status for _, status, _ in await recipients(world)) == {"sent": 1, "cancelled": 2}
    assert (await stats(world, campaign))["pending"] == 0
