"""Orders that share an address, a mailbox or a device come at once, on two processes whose clocks differ."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from lootkeep.kernel.clock import MINUTE, SECOND, Instant, ManualClock
from lootkeep.kernel.ids import RandomIds
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import orders
from tests.api.fraud.shop import check, place, regular, settings, shop
from tests.builders import new_customer
from tests.conftest import PATIENT
from tests.world import World

AT_ONCE = 16
BEHIND = 90 * SECOND


class TickingClock(ManualClock):
    """A clock that advances by a second whenever it is read."""

    def now(self) -> Instant:
        self.advance(SECOND)
        return super().now()


@pytest.fixture
async def worlds(db_location: Path | str, db: Engine) -> AsyncIterator[list[World]]:
    """Two processes on one database, each with connections and a clock of its own."""
    other = (
        SqliteDatabase(db_location, PATIENT.free_connection)
        if isinstance(db_location, Path)
        else await PostgresDatabase.open(db_location, 10, PATIENT)
    )
    worlds = [World(engine, ids=RandomIds(), rate_limit_per_minute=0) for engine in (db, other)]
    await worlds[0].begin()
    await shop(worlds[0])
    await settings(worlds[0], fraud_action="flag")
    worlds[1].token = worlds[0].token
    yield worlds
    for world in worlds:
        await world.close()
    await other.close()


async def answered(world: World, customer: int, **fields: Any) -> dict[str, Any]:
    """Retries when no connection was free in time: nothing had started then."""
    while True:
        answer = await place(world, customer, **fields)
        if answer.status_code != 503:
            assert answer.status_code == 201, answer.text
            return dict((await check(world, answer.json()["data"]["fraud_check"]["id"]))["check"])


def summary(checks: Sequence[dict[str, Any]]) -> Counter[Any]:
    return Counter(
        (fraud_check["risk_score"], fraud_check["action_taken"], tuple(fraud_check["signals"].items()))
        for fraud_check in checks
    )


def sharing(name: str, group: str, number: int) -> dict[str, Any]:
    """What an order of the group is sent with: all of it its own, except for what is shared."""
    own = {"ip_address": f"198.18.{ord(group)}.{number}", "device_id": f"device {group} {number}"}
    shared = {"ip_address": f"203.0.113.{ord(group)}", "device_id": f"device {group}"}
    return own | ({name: shared[name]} if name in shared else {})


async def account(world: World, name: str, group: str, number: int) -> int:
    mailbox = {"email": f"{group}+{number}@j.example"} if name == "email" else {}
    return int((await new_customer(world, **mailbox))["customer"]["id"])


def set_clocks(worlds: list[World]) -> None:
    """The second process is behind the first."""
    worlds[0].clock.advance(10 * MINUTE)
    worlds[1].clock.advance(worlds[0].clock.now() - worlds[1].clock.now() - BEHIND)


@pytest.mark.parametrize("name", ["ip_address", "device_id", "email"])
async def test_concurrent_orders_get_the_same_scores_as_sequential_ones(worlds: list[World], name: str) -> None:
    people = {group: [await account(worlds[0], name, group, i) for i in range(AT_ONCE)] for group in "ab"}
    set_clocks(worlds)
    one_by_one = [
        await answered(worlds[0], customer, **sharing(name, "a", i)) for i, customer in enumerate(people["a"])
    ]
    at_once = await asyncio.gather(
        *(answered(worlds[i % 2], customer, **sharing(name, "b", i)) for i, customer in enumerate(people["b"]))
    )
    assert len(summary(one_by_one)) > 1
    assert summary(at_once) == summary(one_by_one)


async def test_an_ip_exceeds_its_limit_however_many_accounts_order_concurrently(worlds: list[World]) -> None:
    customers = [await regular(worlds[0]) for _ in range(AT_ONCE)]
    set_clocks(worlds)
    checks = await asyncio.gather(*(answered(worlds[i % 2], who) for i, who in enumerate(customers)))
    assert sum("velocity_ip" not in fraud_check["signals"] for fraud_check in checks) == 5


async def test_an_account_exceeds_its_limit_however_many_orders_it_sends_concurrently(worlds: list[World]) -> None:
    customer = await regular(worlds[0])
    set_clocks(worlds)
    checks = await asyncio.gather(
        *(answered(worlds[i % 2], customer, ip_address=f"203.0.113.{i}") for i in range(AT_ONCE))
    )
    assert sum("velocity_email" not in fraud_check["signals"] for fraud_check in checks) == 3


async def test_orders_that_share_traits_crosswise_never_deadlock(worlds: list[World]) -> None:
    customers = [await account(worlds[0], "none", "a", i) for i in range(4)]
    crossed = [
        answered(
            worlds[i % 2], customers[i % 4], ip_address=f"203.0.113.{i * 7 % 5 + 1}", device_id=f"device {i * 5 % 3}"
        )
        for i in range(4 * AT_ONCE)
    ]
    assert len(await asyncio.gather(*crossed)) == 4 * AT_ONCE


async def test_an_account_is_new_to_a_process_whose_clock_is_behind(worlds: list[World]) -> None:
    set_clocks(worlds)
    customer = await account(worlds[0], "device_id", "a", 1)
    assert "account_age" in (await answered(worlds[1], customer))["signals"]


async def test_an_order_that_waited_has_the_time_after_the_wait(db: Engine) -> None:
    world = World(db, clock=TickingClock(Instant(0)), rate_limit_per_minute=0)
    await world.begin()
    await shop(world)
    await settings(world, fraud_action="flag")
    customers = [(await new_customer(world))["customer"]["id"] for _ in range(AT_ONCE)]
    await asyncio.gather(*(answered(world, customer) for customer in customers))
    async with db.read() as tx:
        times = [row[0] for row in await tx.all(Query(select(orders.c.created_at).order_by(orders.c.id)))]
    await world.close()
    assert times == sorted(times)
