"""Changes: off by default, named first, done once with a confirmation, and in the audit log."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lootkeep.domain.access import SCOPES
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.mcp import changes
from lootkeep.storage import emails as emails_db
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.schema import audit_log as audit_log_table
from tests.mcp.agents import CHANGES, DELIVERY, Agent, agent
from tests.recount import rows
from tests.world import World

SENTENCES = {
    "review_order": "Review ORD-000002, 20.00 USD, which is on hold, as legitimate.",
    "fulfill_order": "Mark everything that is left of ORD-000001, 16.00 USD, which is paid, as delivered.",
    "reply_to_ticket": "Send this to the customer of TKT-000001 by e-mail: "
    "“Hello {{ customer_name }}, here is a new key.”",
    "close_ticket": "Close TKT-000001, which is open.",
    "resend_delivery": "Send product.created, which is failed, to hooks.example/bot again.",
    "resend_gift_card": "E-mail the gift card {card} to its recipient again.",
}
AUDITED = {
    "review_order": ("Approve order", "order:2"),
    "fulfill_order": ("Mark fulfilled", "order:1"),
    "reply_to_ticket": ("Reply to a ticket", "ticket:1"),
    "close_ticket": ("Close a ticket", "ticket:1"),
    "resend_delivery": ("Send a delivery again", f"delivery:{DELIVERY}"),
    "resend_gift_card": ("Send a gift card", "gift_card:1"),
}
CLOSE = {"ticket": 1}


async def confirmation(asking: Agent, tool: str = "close_ticket", **arguments: Any) -> str:
    answer = await asking.ask(tool, **(arguments or CLOSE))
    assert not answer.is_error, answer.text
    return str(answer.data["confirmation"])


async def audit_log(world: World) -> list[tuple[str, str, int | None, str]]:
    entries = await rows(world.db, audit_log_table)
    return [(entry["action"], entry["record"], entry["user_id"], entry["channel"]) for entry in entries]


async def status(world: World) -> str:
    return str((await world.get("/support-tickets/1")).json()["data"]["status"])


async def state(world: World) -> list[Any]:
    """Everything that a change of the six could change."""
    paths = ("/orders/1", "/orders/2", "/support-tickets/1", f"/webhooks/deliveries/{DELIVERY}", "/gift-cards/1")
    async with world.db.read() as tx:
        emails = await emails_db.newest(tx, None, 100)
    return [(await world.get(path)).json() for path in paths] + [emails, await audit_log(world)]


@pytest.mark.parametrize("name", CHANGES)
async def test_a_change_is_named_first_then_done_once_and_audited_as_the_tokens(shop: World, name: str) -> None:
    before = await state(shop)
    async with agent(shop) as asking:
        named = (await asking.ask(name, **CHANGES[name])).data
        assert await state(shop) == before
        card = (await shop.get("/gift-cards/1")).json()["data"]["masked_code"]
        assert named["would"] == SENTENCES[name].replace("{card}", card)
        done = await asking.ask(name, **CHANGES[name], confirmation=named["confirmation"])
        after = await state(shop)
        again = await asking.ask(name, **CHANGES[name], confirmation=named["confirmation"])
    assert (done.data["done"], done.data["was_done_before"]) == (named["would"], False), done.text
    assert after[:-1] != before[:-1]
    assert await audit_log(shop) == [(*AUDITED[name], 1, "token")]
    assert again.data == done.data | {"was_done_before": True}
    assert await state(shop) == after


async def test_the_effects_are_those_of_the_api(shop: World) -> None:
    async with agent(shop) as asking:
        for name in ("review_order", "fulfill_order", "reply_to_ticket", "resend_delivery", "close_ticket"):
            code = await confirmation(asking, name, **CHANGES[name])
            assert not (await asking.ask(name, **CHANGES[name], confirmation=code)).is_error
    first, second = [(await shop.get(f"/orders/{number}")).json()["data"] for number in (1, 2)]
    assert (first["status"], first["fulfillment_note"], second["status"]) == ("completed", "By hand.", "pending")
    ticket = (await shop.get("/support-tickets/1")).json()["data"]
    bodies = [message["body"] for message in ticket["messages"] if message["author_type"] == "staff"]
    assert bodies == ["Hello Jun Park, here is a new key."]
    assert ticket["status"] == "closed"
    delivery = (await shop.get(f"/webhooks/deliveries/{DELIVERY}")).json()["data"]["delivery"]
    assert delivery["status"] == "pending"


@pytest.mark.parametrize("name", CHANGES)
async def test_changes_are_off_unless_the_operator_permits_them(db: Engine, shop: World, name: str) -> None:
    careful = World(db, rate_limit_per_minute=0)
    async with agent(careful, shop.token) as asking:
        answer = await asking.ask(name, **CHANGES[name])
        assert not await asking.names() & CHANGES.keys()
    await careful.close()
    assert answer.code == "changes_off"


async def test_a_confirmation_is_for_its_arguments(shop: World) -> None:
    async with agent(shop) as asking:
        code = await confirmation(asking, "review_order", **CHANGES["review_order"])
        other = CHANGES["review_order"] | {"outcome": "fraud"}
        answer = await asking.ask("review_order", **other, confirmation=code)
    assert answer.code == "confirmation_not_valid"
    assert (await shop.get("/orders/2")).json()["data"]["status"] == "on_hold"


async def test_a_confirmation_is_for_its_tool(shop: World) -> None:
    async with agent(shop) as asking:
        code = await confirmation(asking, "fulfill_order", order=1)
        answer = await asking.ask("close_ticket", **CLOSE, confirmation=code)
    assert (answer.code, await status(shop)) == ("confirmation_not_valid", "open")


async def test_a_confirmation_is_for_its_token(shop: World) -> None:
    other = await shop.new_token(*SCOPES)
    async with agent(shop) as asking:
        code = await confirmation(asking)
    async with agent(shop, other) as asking:
        answer = await asking.ask("close_ticket", **CLOSE, confirmation=code)
    assert (answer.code, await status(shop)) == ("confirmation_not_valid", "open")


@pytest.mark.parametrize("code", ["", "yes", "9" * 200, "9999999999999999:x:y.AAAAAAAAAAAAAAAAAAAAAA"])
async def test_a_confirmation_cannot_be_made_up(shop: World, code: str) -> None:
    async with agent(shop) as asking:
        answer = await asking.ask("close_ticket", **CLOSE, confirmation=code)
    assert (answer.code, await status(shop)) == ("confirmation_not_valid", "open")


async def test_a_confirmation_expires(shop: World) -> None:
    async with agent(shop) as asking:
        code = await confirmation(asking)
        shop.clock.advance(Instant(changes.CONFIRMED_FOR - SECOND))
        late = await confirmation(asking)
        shop.clock.advance(SECOND)
        expired = await asking.ask("close_ticket", **CLOSE, confirmation=code)
        assert (expired.code, await status(shop)) == ("confirmation_expired", "open")
        assert not (await asking.ask("close_ticket", **CLOSE, confirmation=late)).is_error
    assert await status(shop) == "closed"


async def test_a_confirmation_ends_when_what_would_happen_has_changed(shop: World) -> None:
    async with agent(shop) as asking:
        code = await confirmation(asking)
        assert (await shop.put("/support-tickets/1/status", {"status": "resolved"})).is_success
        answer = await asking.ask("close_ticket", **CLOSE, confirmation=code)
    assert (answer.code, await status(shop)) == ("confirmation_outdated", "resolved")


async def test_two_who_confirm_at_the_same_time_do_it_once(shop: World) -> None:
    arguments = CHANGES["reply_to_ticket"]
    async with agent(shop) as asking:
        code = await confirmation(asking, "reply_to_ticket", **arguments)
        answers = await asyncio.gather(
            *(asking.ask("reply_to_ticket", **arguments, confirmation=code) for _ in range(5))
        )
    done = [answer for answer in answers if not answer.is_error and not answer.data["was_done_before"]]
    assert len(done) == 1
    assert {answer.code for answer in answers if answer.is_error} <= {"idempotency_key_in_use"}
    assert (await shop.get("/support-tickets/1")).json()["data"]["messages_count"] == 2
    assert len(await audit_log(shop)) == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("review_order", {"order": 999, "outcome": "fraud"}, "not_found"),
        ("fulfill_order", {"order": 2}, "order_on_hold"),
        ("close_ticket", {"ticket": 999}, "not_found"),
        ("reply_to_ticket", {"ticket": 1, "message": " "}, "validation_failed"),
        ("resend_delivery", {"delivery_id": "wh_none"}, "not_found"),
        ("resend_gift_card", {"gift_card_id": 999}, "not_found"),
    ],
)
async def test_what_cannot_be_done_is_said_before_anyone_is_asked(
    shop: World, tool: str, arguments: dict[str, Any], code: str
) -> None:
    before = await state(shop)
    async with agent(shop) as asking:
        assert (await asking.ask(tool, **arguments)).code == code
    assert await state(shop) == before


async def test_what_is_done_already_is_not_offered_again(shop: World) -> None:
    async with agent(shop) as asking:
        for name in ("fulfill_order", "close_ticket"):
            code = await confirmation(asking, name, **CHANGES[name])
            await asking.ask(name, **CHANGES[name], confirmation=code)
        codes = [(await asking.ask(name, **CHANGES[name])).code for name in ("fulfill_order", "close_ticket")]
    assert codes == ["already_fulfilled", "ticket_closed"]
