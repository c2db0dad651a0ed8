"""Staff replies are e-mailed to the customer once, and internal notes never."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lootkeep.storage import emails as emails_db
from lootkeep.storage.emails import EmailBodies
from tests.builders import STORE, new_customer, new_ticket
from tests.world import World

HOSTILE = "Hi\r\nBcc: all@example.com\n<script>alert(1)</script> {{ 7 * 7 }}"


async def a_ticket(world: World, **fields: Any) -> int:
    customer = (await new_customer(world, name="Jun Park", email="jun@example.com"))["customer"]
    number: int = (await new_ticket(world, customer["id"], **fields))["id"]
    return number


async def queued(world: World) -> list[tuple[str, str, EmailBodies]]:
    """Address, subject and body of every e-mail, oldest first."""
    async with world.db.read() as tx:
        sent = await emails_db.newest(tx, "queued", 1000)
    return [(email.to_email, email.subject, emails_db.body_of(email, world.deps.vault.open)) for email in sent[::-1]]


async def test_a_public_message_is_emailed(world: World) -> None:
    ticket_id = await a_ticket(world)
    await world.post(f"/support-tickets/{ticket_id}/messages", {"message": "Here is a new key."})
    ((email, subject, body),) = await queued(world)
    assert (email, subject) == ("jun@example.com", "Re: My key does not work [TKT-000001]")
    assert body.text == (
        "Hello Jun Park,\n\nOwner replied to your ticket TKT-000001:\n\nHere is a new key.\n\n-- \n"
        "You get this e-mail because you contacted the support of Lootkeep.\nLootkeep\n"
    )
    assert "Here is a new key." in body.html


async def test_a_final_message_is_emailed_once_however_often_the_ticket_is_closed(world: World) -> None:
    ticket_id = await a_ticket(world)
    for _ in range(3):
        await world.post(f"/support-tickets/{ticket_id}/close", {"message": "Enjoy!"})
    ((_, _, body),) = await queued(world)
    assert "\n\nEnjoy!\n\n-- \n" in body.text


async def test_nothing_else_is_emailed(world: World) -> None:
    ticket_id = await a_ticket(world)
    await world.post(f"/support-tickets/{ticket_id}/messages", {"message": "Looks like fraud.", "is_internal": True})
    await world.post(f"{STORE}/support-tickets/{ticket_id}/messages", {"message": "Hello?"})
    await world.post(f"/support-tickets/{ticket_id}/assign", {"user_id": 1})
    await world.put(f"/support-tickets/{ticket_id}/status", {"status": "resolved"})
    await world.post(f"/support-tickets/{ticket_id}/close")
    assert (await world.post(f"/support-tickets/{ticket_id}/messages", {"message": "Refused."})).status_code == 409
    assert await queued(world) == []


async def test_hostile_text_stays_text(world: World) -> None:
    ticket_id = await a_ticket(world, subject=HOSTILE)
    await world.post(f"/support-tickets/{ticket_id}/messages", {"message": HOSTILE})
    ((email, subject, body),) = await queued(world)
    assert email == "jun@example.com"
    assert len(subject.splitlines()) == 1
    assert HOSTILE in body.text
    assert "<script>" not in body.html
    assert "&lt;script&gt;" in body.html
    assert "49" not in body.html


@pytest.mark.parametrize("name", ["messages", "close"])
async def test_many_calls_with_one_key_send_one_email(world: World, name: str) -> None:
    ticket_id = await a_ticket(world)
    calls = [
        world.post(f"/support-tickets/{ticket_id}/{name}", {"message": "Once."}, headers={"Idempotency-Key": "same"})
        for _ in range(8)
    ]
    assert {answer.status_code for answer in await asyncio.gather(*calls)} <= {200, 201, 409}
    assert len(await queued(world)) == 1
