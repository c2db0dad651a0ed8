"""E-mail from the use case to the server: queued in its transaction, sent once, retried, and marked when in doubt."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from sqlalchemy import select, text, update

from lootkeep.domain.emails import LEASE, RETRY_SECONDS
from lootkeep.engines.vault import Vault
from lootkeep.kernel.clock import DAY, SECOND, Instant
from lootkeep.services import retention as retention_service
from lootkeep.storage import emails as emails_db
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import mails
from lootkeep.views import emails as emails_views
from tests.mailbox import MailServer
from tests.worker.emailing import CODE, claim_and_die, email_worker, read, work, write
from tests.world import World

_RAW = Query(select(mails.c.body))
_POISON = Query(update(mails).values(body=Vault("o" * 32).seal("{}", emails_db.BODY_PURPOSE)))

_ANALYZE = Query(text("ANALYZE mails"))


async def test_an_email_is_sent_once_and_marked_as_sent(world: World, server: MailServer) -> None:
    mail_id = await write(world)
    working = email_worker(world, server)
    await work(working)
    await work(working)
    (received,) = server.arrived
    assert (CODE in received.part("plain"), CODE in received.part("html")) == (True, True)
    assert received.message["Auto-Submitted"] == "auto-generated"
    email = await read(world, mail_id)
    assert (email.status, email.attempts_count, email.failures, email.perhaps_twice) == ("sent", 1, 0, False)
    assert (email.reason, email.finished_at) == (None, world.clock.now())


async def test_a_failed_operation_queues_no_email(world: World, server: MailServer) -> None:
    email = emails_views.render(
        "ticket_reply",
        world.deps.store,
        "a@b.example",
        "A",
        subject="S",
        ticket_number="TKT-1",
        name="A",
        author_name="B",
        message="M",
    )
    with suppress(KeyError):
        async with world.db.write() as tx:
            await emails_db.add(tx, email, world.deps.vault.seal, world.clock.now())
            raise KeyError
    await work(email_worker(world, server))
    assert server.arrived == []


async def test_without_a_mail_server_emails_stay_in_the_outbox_and_are_never_marked_as_sent(world: World) -> None:
    mail_id = await write(world)
    await work(email_worker(world, None))
    email = await read(world, mail_id)
    assert (email.status, email.reason) == ("outbox", None)
    async with world.db.read() as tx:
        emails = await emails_db.newest(tx, "outbox", 10)
        assert await emails_db.newest(tx, "sent", 10) == []
    assert [CODE in emails_db.body_of(email, world.deps.vault.open).text for email in emails] == [True]


async def test_emails_in_the_outbox_are_not_sent_when_a_server_is_configured_later(
    world: World, server: MailServer
) -> None:
    mail_id = await write(world)
    await work(email_worker(world, None))
    world.clock.advance(DAY)
    await work(email_worker(world, server))
    assert (server.arrived, (await read(world, mail_id)).status) == ([], "outbox")


async def test_the_text_of_an_email_is_not_readable_in_the_database(world: World) -> None:
    await write(world)
    async with world.db.read() as tx:
        ((raw,),) = await tx.all(_RAW)
    assert CODE not in raw


@pytest.mark.parametrize("word", ["full", "greylist", "busy", "bye", "vanish"])
async def test_a_temporary_failure_is_retried_after_each_delay_and_then_given_up(
    world: World, server: MailServer, word: str
) -> None:
    mail_id = await write(world, f"{word}@mail.example")
    working = email_worker(world, server)
    for number, delay in enumerate(RETRY_SECONDS, 1):
        await work(working)
        email = await read(world, mail_id)
        assert (email.status, email.attempts_count, email.failures) == ("queued", number, number)
        assert email.due_at == world.clock.now() + delay * SECOND
        world.clock.advance(delay * SECOND - 1)
        assert not await working.run_once()
        world.clock.advance(1)
    await work(working)
    email = await read(world, mail_id)
    assert (email.status, email.attempts_count) == ("failed", len(RETRY_SECONDS) + 1)
    assert (email.reason or "").startswith("the mail server ")
    assert server.arrived == []


@pytest.mark.parametrize("word", ["gone", "policy", "spam"])
async def test_a_rejection_is_permanent(world: World, server: MailServer, word: str) -> None:
    mail_id = await write(world, f"{word}@mail.example")
    await work(email_worker(world, server))
    email = await read(world, mail_id)
    assert (email.status, email.attempts_count) == ("failed", 1)
    assert (email.reason or "").startswith("the mail server answered 55")


async def test_an_email_that_may_have_arrived_is_resent_and_marked(world: World, server: MailServer) -> None:
    mail_id = await write(world, "drop@mail.example")
    working = email_worker(world, server, delays=(1,))
    await work(working)
    email = await read(world, mail_id)
    assert (email.status, email.perhaps_twice) == ("queued", True)
    world.clock.advance(SECOND)
    await work(working)
    first, second = server.to("drop@mail.example")
    assert first.message["Message-ID"] == second.message["Message-ID"]


async def test_an_email_of_a_dead_worker_is_sent_by_the_next_and_marked(world: World, server: MailServer) -> None:
    mail_id = await write(world)
    async with world.db.write() as tx:
        assert await claim_and_die(world, tx)
    assert (await read(world, mail_id)).status == "sending"
    working = email_worker(world, server)
    world.clock.advance(LEASE - 1)
    assert not await working.run_once()
    world.clock.advance(1)
    await work(working)
    email = await read(world, mail_id)
    assert (email.status, email.attempts_count, email.perhaps_twice) == ("sent", 2, True)
    assert len(server.arrived) == 1


async def test_a_worker_that_lost_its_lease_cannot_overwrite_its_successor(world: World, server: MailServer) -> None:
    mail_id = await write(world)
    slow = email_worker(world, None)
    assert await slow.run_once()
    world.clock.advance(LEASE)
    await work(email_worker(world, server))
    await work(slow)
    assert (await read(world, mail_id)).status == "sent"


async def test_an_email_that_crashes_every_worker_is_given_up(world: World, server: MailServer) -> None:
    mail_id = await write(world)
    for _ in range(len(RETRY_SECONDS) + 1):
        async with world.db.write() as tx:
            assert await claim_and_die(world, tx)
        world.clock.advance(LEASE)
    await work(email_worker(world, server))
    email = await read(world, mail_id)
    assert (email.status, email.reason) == ("failed", "the worker stopped before it could record the response")
    assert (server.arrived, email.perhaps_twice) == ([], True)


async def test_an_email_that_cannot_be_decrypted_fails_and_the_next_is_sent(world: World, server: MailServer) -> None:
    spoilt = await write(world)
    async with world.db.write() as tx:
        await tx.run(_POISON)
    good = await write(world)
    await work(email_worker(world, server))
    email = await read(world, spoilt)
    assert email.status == "failed"
    assert email.reason == "the stored e-mail cannot be decrypted: the secret key has changed"
    assert (await read(world, good)).status == "sent"


async def test_two_workers_never_send_the_same_email(world: World, server: MailServer) -> None:
    for number in range(40):
        await write(world, f"p{number}@mail.example")
    await asyncio.gather(*(work(email_worker(world, server)) for _ in range(4)))
    assert sorted(received.recipients[0] for received in server.arrived) == sorted(
        f"p{n}@mail.example" for n in range(40)
    )


async def test_one_email_is_claimed_at_a_time_whatever_the_planner_knows_of_the_table(world: World) -> None:
    ids = [await write(world)]
    async with world.db.write() as tx:
        await tx.run(_ANALYZE)
    ids += [await write(world) for _ in range(5)]
    now = world.clock.now()
    async with world.db.write() as tx:
        await emails_db.QUEUE.claim(tx, "lease", Instant(now + LEASE), now)
    assert sorted([(await read(world, mail_id)).status for mail_id in ids]) == ["queued"] * 5 + ["sending"]


async def test_a_stopping_worker_settles_the_emails_in_flight(world: World, server: MailServer) -> None:
    mail_id = await write(world, "hang@mail.example")
    stopping = asyncio.Event()
    running = asyncio.create_task(email_worker(world, server).run(stopping))
    await server.hanging.wait()
    stopping.set()
    server.released.set()
    await running
    assert (await read(world, mail_id)).status == "sent"


async def test_old_emails_are_removed_and_waiting_ones_are_not(world: World, server: MailServer) -> None:
    ended = await write(world)
    await work(email_worker(world, server))
    world.clock.advance(31 * DAY)
    waiting = await write(world)
    await retention_service.purge(world.deps, world.clock.now(), 30, 30)
    async with world.db.read() as tx:
        assert await emails_db.ROWS.get(tx, ended) is None
        assert await emails_db.ROWS.get(tx, waiting) is not None


HOSTILE = '<b>Ann & Bob</b>\r\nBcc: evil@evil.example "quoted" {{ 7*7 }} {% raw %} 💎'


async def test_hostile_values_stay_text_in_every_template(world: World, server: MailServer) -> None:
    reply = emails_views.render(
        "ticket_reply",
        world.deps.store,
        "ann@mail.example",
        HOSTILE,
        subject=HOSTILE,
        ticket_number="TKT-000001",
        name=HOSTILE,
        author_name=HOSTILE,
        message=HOSTILE,
    )
    card = emails_views.render(
        "gift_card",
        world.deps.store,
        "ann@mail.example",
        HOSTILE,
        amount="$5.00",
        code=CODE,
        name=HOSTILE,
        sender_name=HOSTILE,
        message=HOSTILE,
        expires_on="15 November 2026",
    )
    async with world.db.write() as tx:
        for email in (reply, card):
            await emails_db.add(tx, email, world.deps.vault.seal, world.clock.now())
    await work(email_worker(world, server))
    assert len(server.arrived) == 2
    for received in server.arrived:
        assert (received.recipients, received.message["Bcc"]) == (["ann@mail.example"], None)
        assert received.names("To")[0][0] == HOSTILE.replace("\r\n", " ")
        assert "<b>" not in received.part("html")
        assert "&lt;b&gt;Ann &amp; Bob&lt;/b&gt;" in received.part("html")
        assert "49" not in received.part("plain")
        assert HOSTILE.replace("\r\n", "\n") in received.part("plain")
