"""What the API, the console and doctor do with a replica."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import httpx
import pytest

from lootkeep import wiring
from lootkeep.kernel.errors import StartupError
from lootkeep.services.health.replica import replica as examine
from lootkeep.settings import Settings
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.postgres_replica import Replica
from tests.cli import terminal
from tests.console.visits import visitor
from tests.replicas import Replicated
from tests.storage.statements import add
from tests.world import World

BRONZE = {"name": "Bronze", "referrals_required": 5, "reward_type": "percentage_discount", "reward_value": 10}
READS = ("/orders", "/customers", "/analytics/revenue", "/referrals/tiers")


def databases(replica: Replica) -> list[bool]:
    """Whether each request from now on reads from the replica."""
    counted: list[bool] = []
    replica.observe = counted.append
    return counted


@pytest.mark.parametrize("path", READS)
async def test_lists_and_analytics_are_read_from_the_replica(world: World, replica: Replica, path: str) -> None:
    counted = databases(replica)
    answer = await world.get(path)
    assert (answer.status_code, counted) == (200, [True])


async def test_a_token_reads_its_own_writes_while_the_replica_is_behind(
    db: PostgresDatabase, hasty_replica: Replica, servers: Replicated
) -> None:
    world = World(db, replica=hasty_replica)
    await world.begin()
    await servers.pause()
    await world.post("/referrals/tiers", BRONZE)
    tiers = (await world.get("/referrals/tiers")).json()["data"]
    await world.close()
    assert [tier["name"] for tier in tiers] == ["Bronze"]


async def test_a_change_never_reads_from_the_replica(world: World, replica: Replica) -> None:
    counted = databases(replica)
    await world.post("/referrals/tiers", BRONZE, headers={"Idempotency-Key": "a"})
    await world.put("/referrals/tiers/1", BRONZE | {"name": "Silver"})
    assert counted == []


async def test_pages_of_the_console_are_read_from_the_replica(world: World, replica: Replica) -> None:
    owner = await visitor(world, "owner")
    counted = databases(replica)
    statuses = [(await owner.get(path)).status_code for path in ("/orders", "/analytics", "/customers")]
    assert (statuses, counted) == ([200] * 3, [True] * 3)


async def test_doctor_says_whether_the_replica_keeps_up(db: PostgresDatabase, servers: Replicated) -> None:
    config = Settings(_env_file=None, database_url=servers.primary, read_database_url=servers.replica)
    # A busy machine takes its time to keep up.
    fine = await examine(config.model_copy(update={"read_max_lag": 60.0}), lambda: nullcontext(db))
    await servers.pause()
    await add(db, "new")
    behind = await examine(config, lambda: nullcontext(db))
    assert [(finding.what, finding.level) for finding in fine] == [("replica", "ok")]
    assert [(finding.what, finding.level) for finding in behind] == [("replica", "warning")]


async def test_a_process_counts_which_database_answered(
    db: PostgresDatabase, servers: Replicated, tmp_path: Path
) -> None:
    given = {"database_url": servers.primary, "read_database_url": servers.replica, "secret_key": terminal.KEY}
    started = terminal.start(
        tmp_path, terminal.environment(given | {"rate_limit_per_minute": "0"}), "serve", "--port", "0"
    )
    with terminal.served(started) as server:
        headers = {"Authorization": f"Bearer {server.token}"}
        async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=terminal.SECONDS) as client:
            # The first ones may come before the replica was tried.
            while 'lootkeep_reads_total{database="replica"} 1.0' not in (await client.get("/metrics")).text:
                answer = await client.get("/api/external/v1/orders")
    assert answer.status_code == 200


def test_an_embedded_database_refuses_a_replica_in_a_sentence() -> None:
    config = Settings(_env_file=None, read_database_url="postgresql://postgres@127.0.0.1/postgres")
    with pytest.raises(StartupError, match="LOOTKEEP_READ_DATABASE_URL needs PostgreSQL"):
        wiring.check_settings(config)
