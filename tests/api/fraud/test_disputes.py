"""Disputes, refunds for fraud and reviews: what an order turned out to be, and what follows for later orders."""

from __future__ import annotations

from typing import Any

import httpx
import msgspec
import pytest

from lootkeep.domain.fraud.comparison import facts_of
from lootkeep.domain.fraud.score import judge
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.schema import disputes, events, labels
from tests.api.commanding import NOTCH
from tests.api.fraud.shop import DAY, ORDERS, check, judged, regular, review, settings, shop, signals
from tests.recount import rows
from tests.world import World

FRAUD = {"kind": "dispute", "reason": "fraudulent"}


async def report(world: World, order_id: int, **fields: Any) -> httpx.Response:
    return await world.post(f"{ORDERS}/{order_id}/dispute", FRAUD | fields)


async def paid(world: World, customer_id: int, **fields: Any) -> int:
    order = (await judged(world, customer_id, **fields))["order"]
    await world.post(f"{ORDERS}/{order['id']}/pay", {})
    return int(order["id"])


async def truth(world: World, check_id: int = 1) -> tuple[str | None, str | None]:
    stored = (await check(world, check_id))["check"]
    return stored["truth"], stored["truth_source"]


async def test_a_dispute_is_stored_once_announced_and_becomes_the_label_of_the_check(world: World) -> None:
    await shop(world)
    await paid(world, await regular(world))
    first, again = await report(world, 1, external_id="dp_1"), await report(world, 1, external_id="dp_1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["data"] == again.json()["data"]
    assert await truth(world) == ("fraud", "dispute")
    assert len(await rows(world.db, disputes)) == 1
    (announced,) = [row for row in await rows(world.db, events) if row["type"] == "order.disputed"]
    data = msgspec.json.decode(announced["data"])
    assert (data["order_id"], data["kind"], data["reason"], data["dispute_id"]) == (1, "dispute", "fraudulent", 1)


@pytest.mark.parametrize(
    ("reports", "expected"),
    [
        ([{"kind": "early_warning"}], ("fraud", "early_warning")),
        ([{"kind": "early_warning"}, {"kind": "dispute"}, {"kind": "dispute_lost"}], ("fraud", "dispute_lost")),
        ([{"kind": "dispute"}, {"kind": "dispute_won"}], (None, None)),
        ([{"reason": "other"}], (None, None)),
    ],
)
async def test_the_label_follows_the_bank_unless_the_dispute_is_won(
    world: World, reports: list[dict[str, Any]], expected: tuple[str | None, str | None]
) -> None:
    await shop(world)
    await paid(world, await regular(world))
    for fields in reports:
        world.clock.advance(DAY)
        assert (await report(world, 1, **fields)).status_code == 201
    assert await truth(world) == expected


async def test_the_bank_counts_more_than_a_review_and_a_refund_for_fraud_is_a_label(world: World) -> None:
    await shop(world)
    await paid(world, await regular(world))
    await world.post(f"{ORDERS}/1/refund", {"amount": "1.00", "reason_code": "fraud"})
    assert await truth(world) == ("fraud", "refund")
    world.clock.advance(DAY)
    await review(world, 1, "legitimate")
    assert await truth(world) == ("legitimate", "review")
    await report(world, 1)
    assert await truth(world) == ("fraud", "dispute")
    world.clock.advance(DAY)
    await report(world, 1, kind="dispute_won")
    assert await truth(world) == ("legitimate", "review")


@pytest.mark.parametrize(
    ("link", "points"),
    [
        ({"payment": {"fingerprint": "fp_1"}}, 40),
        ({"device_id": "d"}, 20),
        ({"player": NOTCH}, 20),
        ({"payment": {"fingerprint": "fp_1"}, "device_id": "d"}, 40),
        ({}, 0),
    ],
)
async def test_a_confirmed_fraud_counts_for_linked_accounts_by_their_link(
    world: World, link: dict[str, Any], points: int
) -> None:
    await shop(world)
    await settings(world, fraud_action="flag")
    await paid(world, await regular(world), payment={"fingerprint": "fp_1"}, device_id="d", player=NOTCH)
    await report(world, 1)
    await judged(world, await regular(world), ip_address="192.0.2.1", **link)
    assert (await signals(world, 2)).get("confirmed_fraud", 0) == points


async def test_a_confirmed_fraud_of_the_customer_or_the_mailbox_counts(world: World) -> None:
    await shop(world)
    await settings(world, fraud_action="flag")
    customer = await regular(world, email="jun@mail.example")
    await paid(world, customer)
    await report(world, 1)
    await judged(world, customer, ip_address="192.0.2.1")
    await judged(world, await regular(world, email="jun+2@mail.example"), ip_address="192.0.2.1")
    assert [(await signals(world, number))["confirmed_fraud"] for number in (2, 3)] == [60, 40]


async def test_trust_ends_with_a_dispute_for_any_reason_and_returns_when_it_is_won(world: World) -> None:
    await shop(world)
    customer = await regular(world)
    await paid(world, customer)
    world.clock.advance(61 * DAY)
    for number, fields in enumerate(({}, {"reason": "other"}, {"kind": "dispute_won"})):
        if fields:
            await report(world, 1, **fields)
        await judged(world, customer, ip_address=f"192.0.2.{number}")
        world.clock.advance(DAY)
    assert ["trusted_customer" in await signals(world, number) for number in (2, 3, 4)] == [True, False, True]


async def test_a_won_dispute_no_longer_counts_against_anyone(world: World) -> None:
    await shop(world)
    await settings(world, fraud_action="flag")
    customer = await regular(world)
    link = {"payment": {"fingerprint": "fp"}, "device_id": "d"}
    await paid(world, customer, **link)
    other_customers = [await regular(world), await regular(world)]
    await report(world, 1)
    await judged(world, other_customers[0], ip_address="192.0.2.1", **link)
    world.clock.advance(DAY)
    await report(world, 1, kind="dispute_won")
    assert await rows(world.db, labels) == []
    await judged(world, other_customers[1], ip_address="192.0.2.2", **link)
    await judged(world, customer, ip_address="192.0.2.3", **link)
    assert ["confirmed_fraud" in await signals(world, number) for number in (2, 3, 4)] == [True, False, False]


async def test_every_check_can_be_reproduced_whatever_was_labelled_since(world: World) -> None:
    await shop(world)
    await settings(world, fraud_action="flag")
    first, second = await regular(world), await regular(world)
    for customer, number in ((first, 1), (second, 2), (first, 3), (second, 4)):
        await paid(world, customer, device_id="d", payment={"fingerprint": "fp"})
        await report(world, number)
        world.clock.advance(DAY)
    await report(world, 2, kind="dispute_won")
    async with world.deps.db.read() as tx:
        for number in range(1, 5):
            stored = await fraud_checks_db.get(tx, number)
            assert stored is not None
            verdict = judge(facts_of(stored), await fraud_checks_db.policy_of(tx, stored.policy_version))
            assert (verdict.signals, verdict.risk_score) == (stored.points, stored.risk_score)


async def test_a_past_order_is_judged_only_by_what_was_known_then(world: World) -> None:
    await shop(world)
    await settings(world, fraud_action="flag")
    customer = await regular(world)
    await paid(world, customer)
    before = (await judged(world, customer))["order"]["created_at"]
    world.clock.advance(DAY)
    await report(world, 1)
    await judged(world, customer, created_at=before, paid_at=before)
    await judged(world, customer)
    assert "confirmed_fraud" not in await signals(world, 3)
    assert (await signals(world, 4))["confirmed_fraud"] == 60


async def test_an_unpaid_order_cannot_be_disputed(world: World) -> None:
    await shop(world)
    await judged(world, await regular(world))
    answer = await report(world, 1)
    assert (answer.status_code, answer.json()["code"]) == (409, "order_not_paid")
    assert list((await report(world, 1, kind="loss")).json()["errors"]) == ["kind"]
    assert (await report(world, 99)).status_code == 404
    assert await rows(world.db, labels) == []
