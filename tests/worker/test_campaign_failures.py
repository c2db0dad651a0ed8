"""Campaigns that meet rejections, a server that is gone and workers that die: tried again, counted and marked."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from lootkeep.domain.emails import LEASE, RETRY_SECONDS
from lootkeep.kernel.clock import MINUTE, SECOND, Instant
from lootkeep.storage.campaigns import queue as campaign_queue_db
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers
from lootkeep.worker.campaigns import HOLD_OFF
from tests.api.campaigns import read, reader
from tests.builders import STORE
from tests.mailbox import MailServer
from tests.recount import outbox
from tests.worker.campaigning import campaign_worker, email_status, recipients, send, stats, work
from tests.world import World


@pytest.mark.parametrize(("word", "status"), [("gone", "bounced"), ("policy", "ok"), ("spam", "ok")])
async def test_a_rejection_is_counted_and_a_missing_mailbox_is_remembered(
    world: World, server: MailServer, word: str, status: str
) -> None:
    refused = await reader(world, email=f"{word}@mail.example")
    await reader(world)
    campaign = await send(world)
    await work(world, campaign_worker(world, server))
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["failed_count"]) == ("sent", 1, 1)
    assert await email_status(world, refused["id"]) == status
    changed = [data["email_status"] for _, data in await outbox(world.db, "customer.updated")]
    assert changed == ([status] if status != "ok" else [])


async def test_a_campaign_fails_when_every_email_is_rejected(world: World, server: MailServer) -> None:
    await reader(world, email="gone@mail.example")
    campaign = await send(world)
    await work(world, campaign_worker(world, server))
    data = await read(world, campaign)
    assert (data["status"], data["error"]) == ("failed", "None of the e-mails could be sent.")


async def test_a_temporarily_unreachable_reader_is_retried_while_sending_continues(
    world: World, server: MailServer
) -> None:
    await reader(world, email="full@mail.example")
    await reader(world)
    campaign = await send(world)
    working = campaign_worker(world, server)
    await work(world, working)
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["failed_count"]) == ("sending", 1, 0)
    for delay in RETRY_SECONDS:
        world.clock.advance(delay * SECOND)
        await work(world, working)
    data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["failed_count"]) == ("sent", 1, 1)


async def test_an_unreachable_mail_server_does_not_count_against_the_readers(world: World) -> None:
    for _ in range(2):
        await reader(world)
    campaign = await send(world)
    async with MailServer(sender_rejection="451 come back later") as server:
        working = campaign_worker(world, server)
        for _ in range(20):
            await work(world, working)
            data = await read(world, campaign)
            assert (data["status"], data["failed_count"]) == ("sending", 0)
            assert data["error"] == "Waiting for the mail server: the mail server answered 451: come back later."
            world.clock.advance(HOLD_OFF)
        server.sender_rejection = None
        world.clock.advance(MINUTE)
        await work(world, working)
        data = await read(world, campaign)
    assert (data["status"], data["sent_count"], data["error"]) == ("sent", 2, None)


async def test_the_email_of_a_dead_worker_is_resent_and_marked(world: World, server: MailServer) -> None:
    first, second = await reader(world), await reader(world)
    campaign = await send(world)
    async with world.db.write() as tx:
        now = world.clock.now()
        assert await campaign_queue_db.QUEUE.claim(tx, "dead", Instant(now + LEASE), now)
    working = campaign_worker(world, server)
    await work(world, working)
    assert [received.recipients for received in server.arrived] == [[second["email"]]]
    world.clock.advance(LEASE)
    await work(world, working)
    assert [received.recipients for received in server.arrived][1:] == [[first["email"]]]
    assert [(status, twice) for _, status, twice in await recipients(world)] == [("sent", True), ("sent", False)]
    assert (await stats(world, campaign))["perhaps_twice"] == 1


async def test_an_email_is_retried_and_marked_after_a_connection_drops_after_the_content(
    world: World, server: MailServer
) -> None:
    await reader(world, email="drop@mail.example")
    campaign = await send(world)
    working = campaign_worker(world, server)
    await work(world, working)
    (received,) = server.arrived
    async with world.db.write() as tx:
        await tx.run(Query(update(customers).values(note="unchanged")))
    for delay in RETRY_SECONDS:
        world.clock.advance(delay * SECOND)
        await work(world, working)
    assert {email.message["Message-ID"] for email in server.arrived} == {received.message["Message-ID"]}
    data = await stats(world, campaign)
    assert (data["failed"], data["perhaps_twice"]) == (1, 1)


async def test_a_mailbox_that_does_not_exist_says_nothing_about_the_customers_next_address(
    world: World, server: MailServer
) -> None:
    customer = await reader(world, email="gone@mail.example")
    await send(world)
    await work(world, campaign_worker(world, server))
    await world.put(f"{STORE}/customers/{customer['id']}", {"email": "right@mail.example"})
    assert await email_status(world, customer["id"]) == "ok"
    await send(world)
    await work(world, campaign_worker(world, server))
    assert [received.recipients for received in server.arrived] == [["right@mail.example"]]
