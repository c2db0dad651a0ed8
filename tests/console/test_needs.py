"""What needs someone, on the overview: disputes with their deadline, missing keys, and servers."""

from __future__ import annotations

import pytest

from lootkeep.kernel.clock import DAY, HOUR, Instant, iso
from tests.api.commanding import bought, open_server, rank
from tests.api.key_shop import KEYS, added, open_shop
from tests.api.ordering import ORDERS, step
from tests.builders import new_customer, new_order, new_product, new_ticket, paid_order
from tests.console.visits import Visitor, visitor
from tests.world import World


@pytest.fixture
async def staff(world: World) -> Visitor:
    return await visitor(world, "staff")


async def overview(visits: Visitor) -> str:
    return (await visits.get("")).text


async def disputed(world: World, kind: str = "dispute", **fields: str) -> None:
    answer = await world.post(f"{ORDERS}/1/dispute", {"kind": kind, "reason": "fraudulent"} | fields)
    assert answer.status_code == 201, answer.text


@pytest.fixture
async def sold(world: World) -> World:
    await new_customer(world)
    await new_product(world, delivery_type="file")
    await paid_order(world, 1, (1, 1))
    return world


async def test_a_dispute_says_until_when_evidence_is_taken(sold: World, staff: Visitor) -> None:
    due = iso(Instant(sold.clock.now() + 8 * DAY))
    await disputed(sold, evidence_due_at=due)
    page = await overview(staff)
    assert ("ORD-000001 is disputed, $20.00" in page, "8 d from now" in page) == (True, True)
    order = (await staff.get("/orders/1")).text
    assert ("Disputed: $20.00" in order, "8 d from now" in order, "Open evidence" in order) == (True, True, True)
    assert "1 of 1 good delivered, 0 opened by the buyer." in order
    assert "answer by" in (await staff.get("/orders/1/evidence")).text


async def test_a_deadline_is_answered_as_it_was_sent_and_is_null_when_unknown(sold: World) -> None:
    report = {"kind": "dispute", "reason": "other", "evidence_due_at": "2026-11-26T23:59:00Z"}
    first = (await sold.post(f"{ORDERS}/1/dispute", report)).json()["data"]
    second = (await sold.post(f"{ORDERS}/1/dispute", {"kind": "dispute_won", "reason": "other"})).json()["data"]
    assert (first["evidence_due_at"], second["evidence_due_at"]) == ("2026-11-26T23:59:00Z", None)


async def test_a_dispute_without_a_deadline_is_listed_until_it_is_closed(sold: World) -> None:
    await disputed(sold)
    sold.clock.advance(60 * DAY)
    assert "has not said until when" in await overview(await visitor(sold, "staff"))
    await disputed(sold, "dispute_lost")
    assert "is disputed" not in await overview(await visitor(sold, "staff"))


@pytest.mark.parametrize("outcome", ["dispute_won", "dispute_lost", "refund"])
async def test_a_dispute_that_is_over_needs_nobody(sold: World, staff: Visitor, outcome: str) -> None:
    await disputed(sold)
    if outcome == "refund":
        await step(sold, 1, "refund")
    else:
        await disputed(sold, outcome)
    assert "is disputed" not in await overview(staff)
    assert "Open evidence" not in (await staff.get("/orders/1")).text


async def test_a_second_dispute_needs_someone_until_it_is_over_itself(sold: World, staff: Visitor) -> None:
    for kind, external_id in (("dispute", "a"), ("dispute", "b"), ("dispute_won", "a")):
        await disputed(sold, kind, external_id=external_id)
        sold.clock.advance(HOUR)
    assert "ORD-000001 is disputed" in await overview(staff)
    await disputed(sold, "dispute_won", external_id="b")
    assert "is disputed" not in await overview(staff)


async def test_a_silent_server_and_a_failed_command_are_named(world: World, staff: Visitor) -> None:
    server = await open_server(world)
    await new_customer(world)
    await bought(world, await rank(world))
    await server.take()
    assert "Survival" not in await overview(staff)
    await server.report({"id": 1, "ok": False, "output": "No.", "retry": False})
    assert "1 command failed on Survival" in await overview(staff)
    await world.post("/commands/1/resend", {})
    world.clock.advance(HOUR)
    page = await overview(await visitor(world, "staff"))
    assert ("Survival has been silent for 1 h" in page, "failed on Survival" in page) == (True, False)


async def test_several_failed_commands_are_said_as_several(world: World, staff: Visitor) -> None:
    server = await open_server(world)
    await new_customer(world)
    product = await rank(world)
    for number, sentence in ((1, "Someone must send it again."), (2, "Someone must send them again.")):
        await bought(world, product)
        await server.take()
        await server.report({"id": number, "ok": False, "output": "No.", "retry": False})
        assert sentence in await overview(staff)


async def test_lines_that_wait_for_keys_are_counted(world: World, staff: Visitor) -> None:
    await open_shop(world)
    await added(world, "AAAA-1111")
    await new_order(world, 1, (1, 1))
    await world.post(f"{KEYS}/withdraw", {"key_ids": [1]})
    await step(world, 1, "pay")
    assert "1 paid line waits for a key" in await overview(staff)


async def test_one_ticket_without_an_answer_is_urgent_or_not(sold: World, staff: Visitor) -> None:
    await new_ticket(sold, 1)
    assert "It is not urgent." in await overview(staff)
    await new_ticket(sold, 1, priority="urgent")
    assert "1 is urgent." in await overview(staff)
