"""Accounts that are linked to a buyer, and one decision for all orders of a ring."""

from __future__ import annotations

from typing import Any

from lootkeep.domain.fraud.linked import MAX_ACCOUNTS
from lootkeep.domain.identity import Trace
from lootkeep.domain.sign_up import SignedUp, SignUp
from lootkeep.kernel.clock import Instant
from lootkeep.services import customers as customers_service
from lootkeep.storage.fraud import identity as identity_db
from lootkeep.storage.fraud.identity import SeenCustomer
from tests.api.commanding import NOTCH
from tests.api.fraud.shop import ORDERS, judged, regular, settings, shop
from tests.builders import new_customer
from tests.world import World


async def linked(world: World, customer_id: int) -> dict[str, Any]:
    answer = await world.get(f"/customers/{customer_id}/linked")
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def depths(ring: dict[str, Any]) -> dict[int, int]:
    return {account["id"]: account["depth"] for account in ring["accounts"]}


async def order(world: World, customer_id: int, number: int, **fields: Any) -> None:
    await judged(world, customer_id, ip_address=f"192.0.2.{number}", **fields)


async def test_accounts_are_found_two_links_away_with_the_times_of_each_link(world: World) -> None:
    await shop(world)
    await settings(world, fraud_action="flag")
    ids = [await regular(world) for _ in range(5)]
    await order(world, ids[0], 1, device_id="d")
    await order(world, ids[1], 2, device_id="d", payment={"fingerprint": "fp"}, player=NOTCH)
    await order(world, ids[2], 3, device_id="other", payment={"fingerprint": "fp"})
    await order(world, ids[3], 4, device_id="other", player=NOTCH)
    await order(world, ids[4], 5)
    ring = await linked(world, ids[0])
    assert depths(ring) == {ids[0]: 0, ids[1]: 1, ids[2]: 2, ids[3]: 2}
    assert {(edge["kind"], edge["customer_id"]) for edge in ring["edges"]} == {
        *(("device", number) for number in ids[:2]),
        *(("instrument", number) for number in ids[1:3]),
        *(("player", number) for number in (ids[1], ids[3])),
    }
    assert all(edge["first_seen_at"] == edge["last_seen_at"] for edge in ring["edges"])
    assert (ring["hubs"], ring["is_complete"]) == ([], True)
    assert (await world.get("/fraud/checks/1/linked")).json()["data"] == ring


async def test_a_referral_links_and_labels_are_shown(world: World) -> None:
    await shop(world)
    referrer = (await new_customer(world))["customer"]
    friend = await regular(world, referral_code=referrer["referral_code"])
    await order(world, friend, 1, device_id="d")
    await order(world, await regular(world, referral_code=referrer["referral_code"]), 2)
    await world.post(f"{ORDERS}/1/pay", {})
    await world.post(f"{ORDERS}/1/dispute", {"kind": "dispute", "reason": "fraudulent"})
    ring = await linked(world, referrer["id"])
    assert depths(ring) == {referrer["id"]: 0, friend: 1, friend + 1: 1}
    account = ring["accounts"][1]
    assert (account["orders_count"], account["is_fraud"], account["is_disputed"]) == (1, True, True)
    assert {edge["kind"] for edge in ring["edges"]} == {"referral"}


async def test_a_hub_is_named_and_not_traversed(world: World) -> None:
    for number in range(21):
        await new_customer(world, ip_address="203.0.113.1", device_id="cafe" if number < 2 else None)
    ring = await linked(world, 1)
    assert depths(ring) == {1: 0, 2: 1}
    assert ring["hubs"] == [{"kind": "address", "value": "203.0.113.1"}]


async def test_at_most_two_hundred_accounts_are_visited(world: World) -> None:
    forms = [SignUp(email=f"b{number}@b{number}.example", name="B") for number in range(MAX_ACCOUNTS + 10)]
    async with world.db.write() as tx:
        signed_up = await customers_service.sign_up_all(world.deps, tx, forms)
    ids = [it.customer.id for it in signed_up if isinstance(it, SignedUp)]
    # The first account is on eleven devices, each with nineteen others, and so no hub.
    devices = [Trace("device", f"d{number}") for number in range(11)]
    async with world.db.write() as tx:
        await identity_db.remember(tx, [SeenCustomer(ids[0], devices, world.clock.now())])
        for index, customer in enumerate(ids[1:]):
            await identity_db.remember(tx, [SeenCustomer(customer, [devices[index // 19]], world.clock.now())])
    ring = await linked(world, ids[0])
    assert (len(ring["accounts"]), ring["hubs"], ring["is_complete"]) == (MAX_ACCOUNTS, [], False)
    listed = depths(ring)
    assert {edge["customer_id"] for edge in ring["edges"]} == set(listed)


async def test_a_ring_with_truncated_links_is_marked_as_incomplete(world: World) -> None:
    first, second = [(await new_customer(world))["customer"]["id"] for _ in range(2)]
    async with world.db.write() as tx:
        for number in range(30):
            traces = [Trace("device", f"d{number}")]
            seen = [SeenCustomer(first, traces, Instant(world.clock.now() + number))]
            await identity_db.remember(tx, seen)
        await identity_db.remember(tx, [SeenCustomer(second, [Trace("device", "d0")], world.clock.now())])
    ring = await linked(world, first)
    assert (depths(ring), ring["is_complete"]) == ({first: 0}, False)
    assert (await linked(world, second))["is_complete"] is False


async def test_one_decision_on_a_ring_cancels_its_orders_and_blocks_its_buyers(world: World) -> None:
    await shop(world)
    ids = [await regular(world) for _ in range(3)]
    for number, customer in enumerate(ids):
        await order(world, customer, number)
    sent = {"check_ids": [2, 1], "outcome": "fraud", "notes": "One ring.", "block": ["customer"]}
    answer = await world.post("/fraud/reviews", sent)
    assert answer.status_code == 200, answer.text
    assert [(row["id"], row["review_outcome"]) for row in answer.json()["data"]] == [(1, "fraud"), (2, "fraud")]
    statuses = [(await world.get(f"/orders/{number}")).json()["data"]["status"] for number in (1, 2, 3)]
    assert statuses == ["cancelled", "cancelled", "pending"]
    (blocked,) = [row for row in (await world.get("/fraud/lists")).json()["data"] if row["name"] == "blocked_customers"]
    entries = (await world.get(f"/fraud/lists/{blocked['id']}/entries")).json()["data"]
    assert sorted(entry["value"] for entry in entries) == sorted(map(str, ids[:2]))


async def test_a_ring_is_decided_as_a_whole_or_not_at_all(world: World) -> None:
    await shop(world)
    await order(world, await regular(world), 1)
    assert (await world.post("/fraud/reviews", {"check_ids": [1, 99], "outcome": "fraud"})).status_code == 404
    refused = await world.post("/fraud/reviews", {"check_ids": [1], "outcome": "legitimate", "block": ["customer"]})
    assert refused.json()["code"] == "not_fraud"
    assert (await world.get("/fraud/checks/1")).json()["data"]["check"]["is_reviewed"] is False
