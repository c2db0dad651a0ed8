"""What can go wrong between machines, one row each, under load."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import combinations

from tests.gate import Gate
from tests.machines.hosts import APIS, HOSTS, WORKERS
from tests.machines.next_version import NEXT_REVISION, next_version
from tests.machines.store import LIMIT, Outcome, Store

# Longer than HAProxy takes to notice, and than a client waits for an answer.
FAULT_SECONDS = 4.0
SLOW_SECONDS = 0.03
# Longer than a commit may take and a client waits together.
UNREPLICATED_SECONDS = 12.0
# Processes that serve. Without Redis each counts alone.
COUNTING = len(APIS)

Act = Callable[[Store, Outcome], Awaitable[None]]


@dataclass(frozen=True)
class Scenario:
    name: str
    act: Act
    # Part of `make test`; the others only of `python -m tests.machines`.
    is_short: bool = True


async def _nothing(store: Store, outcome: Outcome) -> None:
    outcome.allowed = await store.count_allowed()
    # On a busy machine an answer of Redis may be late, and then a process counts alone for a moment, and says so.
    most = COUNTING * LIMIT if "counts requests alone" in store.machines.logs() else LIMIT
    if not LIMIT <= outcome.allowed <= most:
        outcome.faults.append(f"{outcome.allowed} requests were allowed instead of {LIMIT}")


def _partition(one: str, other: str) -> Act:
    async def act(store: Store, outcome: Outcome) -> None:
        with store.machines.network.partition(one, other):
            await asyncio.sleep(FAULT_SECONDS)

    return act


async def _redis_cut_off(store: Store, outcome: Outcome) -> None:
    """From one of two: it counts alone, the other one in Redis."""
    with store.machines.network.partition("api1", "redis"):
        await _count_without_redis(store, outcome)


async def _redis_lost(store: Store, outcome: Outcome) -> None:
    store.machines.kill("redis")
    await _count_without_redis(store, outcome)
    store.machines.start_redis()


async def _count_without_redis(store: Store, outcome: Outcome) -> None:
    outcome.allowed = await store.count_allowed()
    if not LIMIT <= outcome.allowed <= COUNTING * LIMIT:
        outcome.faults.append(f"{outcome.allowed} requests were allowed, {COUNTING * LIMIT} at most were expected")


def _killed(host: str) -> Act:
    async def act(store: Store, outcome: Outcome) -> None:
        store.machines.kill(host)
        await asyncio.sleep(FAULT_SECONDS)
        store.machines.start_service(host)
        if host in APIS:
            await store.machines.ready(host)

    return act


async def _replica_lost(store: Store, outcome: Outcome) -> None:
    """Writes wait for it, because it is the only synchronous one."""
    store.machines.kill("db2")
    await asyncio.sleep(FAULT_SECONDS)
    store.machines.start_database("db2")


async def _pooler_lost(store: Store, outcome: Outcome) -> None:
    store.machines.kill("pooler")
    await asyncio.sleep(FAULT_SECONDS)
    store.machines.start_pooler()


async def _slow_link(store: Store, outcome: Outcome) -> None:
    """Between one of two machines that serve and the database."""
    machines = store.machines
    gate = Gate(machines.url("pooler", 6432), machines.network.address("client"))
    await gate.open()
    await machines.stop_service("api2")
    machines.start_service("api2", database_url=gate.url)
    await machines.ready("api2")
    gate.delay_seconds = SLOW_SECONDS
    await store.order(100)
    await machines.stop_service("api2")
    await gate.shut()
    machines.start_service("api2")
    await machines.ready("api2")


async def _rolling_restart(store: Store, outcome: Outcome) -> None:
    for host in (*APIS, *WORKERS):
        await store.machines.stop_service(host)
        store.machines.start_service(host)
        await store.machines.ready(*APIS)


async def _rolling_migration(store: Store, outcome: Outcome) -> None:
    """The schema first, then one machine after the other: until the last one, both versions serve."""
    machines = store.machines
    machines.code = next_version(machines.folder)
    await store.release()
    await machines.migrate()
    # What is started from now on runs the new code: the old one refuses a newer schema.
    if await store.revision() != NEXT_REVISION:
        outcome.faults.append("the schema is not that of the new version")
    await store.order(50)
    await _rolling_restart(store, outcome)


async def _primary_lost(store: Store, outcome: Outcome) -> None:
    """The last one: the machine of the primary does not come back.

    Before, its replica was cut off for longer than a commit is waited for: orders that only the primary has are lost
    with it, and must not have been acknowledged, not even to those who asked again.
    """
    with store.machines.network.partition("db1", "db2"):
        await asyncio.sleep(UNREPLICATED_SECONDS)
        store.machines.kill("db1")
    await store.machines.promote()


_PAIRS = list(combinations([host for host in HOSTS if host != "client"], 2))
_SHORT_PAIRS = {("proxy", "api1"), ("pooler", "api1")}

SCENARIOS = (
    Scenario("nothing happens", _nothing),
    *(
        Scenario(f"{one} and {other} are cut off", _partition(one, other), (one, other) in _SHORT_PAIRS)
        for one, other in _PAIRS
    ),
    Scenario("api1 and redis are cut off, limits", _redis_cut_off, is_short=False),
    Scenario("redis is killed", _redis_lost),
    Scenario("api1 is killed", _killed("api1")),
    Scenario("work1 is killed", _killed("work1"), is_short=False),
    Scenario("db2, the replica, is killed", _replica_lost, is_short=False),
    Scenario("pooler is killed", _pooler_lost, is_short=False),
    Scenario("the link of api2 to the pooler is slow", _slow_link),
    Scenario("all are restarted in turn", _rolling_restart, is_short=False),
    Scenario("a new version is rolled out", _rolling_migration),
    Scenario("db1 loses db2, is killed, and db2 promoted", _primary_lost),
)
