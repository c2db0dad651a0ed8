"""Creators in the console: balances, the ledger, the statement, the form and payouts."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from lootkeep.storage.schema import audit_log
from tests.builders import new_customer, paid_order
from tests.console.visits import visitor
from tests.recount import rows
from tests.world import World

HERE = "/creators/1"
NEW = {"name": "Moon", "code": "moon", "commission": "12.5", "hold_days": "7", "is_active": "yes"}


async def earn(world: World) -> int:
    buyer = (await new_customer(world))["customer"]["id"]
    return int((await paid_order(world, buyer, (1, 1), coupon_code="LUNA"))["id"])


async def creator(world: World, number: int = 1) -> dict[str, Any]:
    return dict((await world.get(f"/creators/{number}")).json()["data"])


async def test_a_creator_shows_balances_and_the_ledger(store: World) -> None:
    order = await earn(store)
    visits = await visitor(store, "read_only")
    page = (await visits.get(HERE)).text
    assert re.findall(r'class="figure">([^<]+)<', page) == ["$2.00", "$0.00", "$0.00", "1"]
    assert f'<a href="/console/orders/{order}"><code>ORD-{order:06d}</code></a>' in page
    assert "Book a payout" not in page
    assert "$2.00" in (await visits.get("/creators")).text


async def test_a_payout_is_booked_once_and_never_above_what_is_due(store: World) -> None:
    await earn(store)
    visits = await visitor(store, "staff")
    too_much = await visits.post(f"{HERE}/pay-out", on=HERE, amount="2.01", reference="t-1")
    assert "must not be greater than 2.00" in too_much.text
    for _ in range(2):
        await visits.post(f"{HERE}/pay-out", on=HERE, amount="1.50", reference="t-1")
    balance = (await creator(store))["balance"]
    assert (balance["due"], balance["paid"]) == ("0.50", "1.50")


async def test_the_statement_is_a_file(store: World) -> None:
    await earn(store)
    lines = (await (await visitor(store, "read_only")).get(f"{HERE}?format=csv")).text.splitlines()
    assert len(lines) == 2
    assert "Commission" in lines[1]


async def test_a_creator_is_created_and_edited(store: World) -> None:
    visits = await visitor(store, "staff")
    await visits.post("/creators/new", on="/creators/new", **NEW, discount_type="percentage", discount_value="5")
    created = await creator(store, 2)
    assert (created["code"], created["commission_percent"], created["discount_value"]) == ("MOON", "12.50", "5.00")
    there = "/creators/2/edit"
    await visits.post(there, on=there, **(NEW | {"name": "Full Moon", "hold_days": "0"}), customer_id="1")
    edited = await creator(store, 2)
    assert (edited["name"], edited["hold_days"], edited["customer_id"]) == ("Full Moon", 0, 1)
    assert edited["discount_type"] is None
    changes = [row for row in await rows(store.db, audit_log) if row["record"] == "creator:2"]
    before, after = (msgspec.json.decode(changes[-1][name]) for name in ("before", "after"))
    assert (before["name"], before["discount_type"], before["discount_value"]) == ("Moon", "percentage", "5.00")
    assert (after["name"], after["discount_type"], after["discount_value"]) == ("Full Moon", None, None)


async def test_what_is_wrong_is_said_at_the_field(store: World) -> None:
    visits = await visitor(store, "staff")
    for field, value in {"code": "LUNA", "commission": "101", "hold_days": "366", "customer_id": "99"}.items():
        answer = await visits.post("/creators/new", on="/creators/new", **(NEW | {field: value}))
        assert f'id="{field}-error"' in answer.text
    assert (await store.get("/creators")).json()["meta"]["total"] == 1
