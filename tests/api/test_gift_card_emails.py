"""Gift cards are e-mailed to their recipients once they are valid, and their code appears nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import asyncpg
import pytest
import structlog

from lootkeep.kernel.clock import DAY, HOUR
from lootkeep.services import gift_cards as gift_cards_service
from lootkeep.storage import emails as emails_db
from lootkeep.storage.schema import metadata
from tests.builders import STORE, honest_buyer, new_customer, new_gift_card, new_order, new_product, paid_order
from tests.world import World


async def sent_emails(world: World) -> list[tuple[str, str, str]]:
    """Address, subject and text of what is queued, in order."""
    async with world.db.read() as tx:
        queued = await emails_db.newest(tx, "queued", 1000)
    assert {email.kind for email in queued} <= {"gift_card"}
    sent = [(email.to_email, email.subject, emails_db.body_of(email, world.deps.vault.open).text) for email in queued]
    return sent[::-1]


async def test_a_card_with_a_recipient_is_emailed_when_it_is_created(world: World) -> None:
    card = await new_gift_card(
        world,
        recipient_email="jun@example.com",
        recipient_name="Jun",
        sender_name="Mina",
        message="Happy birthday!",
        expires_at="2027-01-01T00:00:00Z",
    )
    assert (card["sent_at"], card["send_count"]) == ("2026-11-15T12:00:00Z", 1)
    ((email, subject, text),) = await sent_emails(world)
    assert (email, subject) == ("jun@example.com", "Your $25.00 gift card")
    assert text == (
        "Hello Jun,\n\nMina has sent you a $25.00 gift card.\n\n"
        f"    {card['code']}\n\nHappy birthday!\n\nIt can be used until 31 December 2026.\n"
        "Anyone who has the code can spend it: keep it to yourself.\n\n-- \n"
        "You get this e-mail because a gift card of Lootkeep was sent to you.\nLootkeep\n"
    )


async def test_a_card_without_a_recipient_is_emailed_to_nobody(world: World) -> None:
    card = await new_gift_card(world)
    assert (card["sent_at"], card["send_count"]) == (None, 0)
    assert await sent_emails(world) == []


async def test_a_rejected_card_is_not_emailed(world: World) -> None:
    await new_gift_card(world, code="SUMMER-2026")
    body = {"initial_balance": 1, "code": "SUMMER-2026", "recipient_email": "jun@example.com"}
    assert (await world.post(f"{STORE}/gift-cards", body)).status_code == 422
    assert await sent_emails(world) == []


async def test_a_scheduled_card_is_emailed_once_when_it_becomes_valid(world: World) -> None:
    card = await new_gift_card(world, recipient_email="jun@example.com", starts_at="2026-11-16T12:00:00Z")
    assert card["send_count"] == 0
    await world.put("/gift-cards/1", {"recipient_email": "mina@example.com"})
    await gift_cards_service.settle(world.deps)
    assert await sent_emails(world) == []
    world.clock.advance(DAY)
    for _ in range(2):
        await gift_cards_service.settle(world.deps)
        await world.get("/gift-cards/statistics")
    ((email, _, text),) = await sent_emails(world)
    assert email == "mina@example.com"
    assert card["code"] in text
    after = (await world.get("/gift-cards/1")).json()["data"]
    assert (after["sent_at"], after["send_count"]) == ("2026-11-16T12:00:00Z", 1)


@pytest.mark.parametrize("operation", ["redeem", "order", "change"])
async def test_a_card_used_before_the_worker_noticed_it_became_valid_is_still_emailed(
    world: World, operation: str
) -> None:
    customer = (await new_customer(world))["customer"]["id"]
    await new_product(world)
    card = await new_gift_card(world, recipient_email="jun@example.com", starts_at="2026-11-16T12:00:00Z")
    world.clock.advance(DAY)
    if operation == "redeem":
        await world.post("/gift-cards/1/redeem", {"amount": "25.00"})
    if operation == "order":
        await new_order(world, customer, (1, 1), gift_card_code=card["code"])
    if operation == "change":
        await world.put("/gift-cards/1", {"expires_at": "2026-12-01T00:00:00Z"})
    await gift_cards_service.settle(world.deps)
    assert len(await sent_emails(world)) == 1


@pytest.mark.parametrize("end", ["revoked", "expired"])
async def test_a_scheduled_card_that_ended_before_its_email_is_not_emailed(world: World, end: str) -> None:
    times = {"starts_at": "2026-11-16T12:00:00Z", "expires_at": "2026-11-17T12:00:00Z"}
    await new_gift_card(world, recipient_email="jun@example.com", **times)
    if end == "revoked":
        await world.post("/gift-cards/1/revoke")
    world.clock.advance(3 * DAY)
    await gift_cards_service.settle(world.deps)
    assert await sent_emails(world) == []


async def test_a_card_that_expired_before_its_email_is_emailed_when_it_is_extended(world: World) -> None:
    times = {"starts_at": "2026-11-16T12:00:00Z", "expires_at": "2026-11-17T12:00:00Z"}
    await new_gift_card(world, recipient_email="jun@example.com", **times)
    world.clock.advance(3 * DAY)
    for note in ("late", "later"):
        answer = (await world.put("/gift-cards/1", {"expires_at": None, "note": note})).json()["data"]
        assert (answer["status"], answer["send_count"]) == ("active", 1)
    assert len(await sent_emails(world)) == 1


async def test_purchased_cards_are_emailed_to_the_buyer(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    await new_product(world, delivery_type="gift_card", price="50.00")
    await paid_order(world, customer["id"], (1, 2))
    sent = await sent_emails(world)
    assert [(email, subject) for email, subject, _ in sent] == [(customer["email"], "Your $50.00 gift card")] * 2
    assert sent[0][2] != sent[1][2]
    assert "here is your $50.00 gift card." in sent[0][2]


async def test_a_resent_card_shows_its_remaining_balance(world: World) -> None:
    card = await new_gift_card(world, recipient_email="jun@example.com", recipient_name="Jun")
    await world.post("/gift-cards/1/redeem", {"amount": "5.00"})
    await world.post("/gift-cards/1/resend-email", {"email": "mina@example.com"})
    _, (email, subject, text) = await sent_emails(world)
    assert (email, subject) == ("mina@example.com", "Your $20.00 gift card")
    assert card["code"] in text


async def test_a_code_appears_in_neither_the_database_nor_the_log(world: World, db_location: Path | str) -> None:
    """Whatever is done with it; and the e-mail that holds it is sealed."""
    with structlog.testing.capture_logs() as logs:
        codes = await _everything(world)
    stored = await _stored(db_location)
    for code in codes:
        for form in (code, code.lower(), code.replace("-", ""), code.replace("-", "").lower()):
            assert form.encode() not in stored
            assert form not in str(logs)
    assert len(codes) == 3
    assert b"jun@example.com" in stored


async def _everything(world: World) -> list[str]:
    customer = (await new_customer(world))["customer"]["id"]
    await new_product(world, delivery_type="gift_card", price="9.00")
    key = {"Idempotency-Key": "once"}
    own = {"initial_balance": 50, "code": "CANARY-YELLOW-77", "recipient_email": "jun@example.com"}
    for _ in range(2):
        assert (await world.post(f"{STORE}/gift-cards", own, headers=key)).status_code == 201
    country_code: str = (await new_gift_card(world))["code"]
    for code in (own["code"], country_code, "NOBODY-HAS-THIS-CODE"):
        await world.post("/gift-cards/validate", {"code": code}, headers={"Idempotency-Key": f"v{str(code)[:2]}"})
        cart: dict[str, Any] = {"customer_id": customer, "items": [{"product_id": 1, "quantity": 1}]}
        body = cart | honest_buyer(customer) | {"gift_card_code": code}
        await world.post(f"{STORE}/orders", body, headers={"Idempotency-Key": f"o{str(code)[:2]}"})
    await world.post(f"{STORE}/gift-cards", own)
    await world.post("/gift-cards/1/resend-email")
    await world.post(f"{STORE}/orders/1/refund")
    await world.post("/gift-cards/1/revoke")
    world.clock.advance(HOUR)
    return [str(own["code"]), country_code, "NOBODY-HAS-THIS-CODE"]


async def _stored(db_location: Path | str) -> bytes:
    """Every byte of the files, or every value of every row."""
    if isinstance(db_location, Path):
        return b"".join(file.read_bytes() for file in db_location.parent.glob(f"{db_location.name}*"))
    connection = await asyncpg.connect(db_location)
    rows = [str(row) for table in metadata.sorted_tables for row in await connection.fetch(f"SELECT * FROM {table}")]
    await connection.close()
    return "\n".join(rows).encode()
