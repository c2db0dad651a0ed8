"""Upgrades of filled stores: all rows of an earlier version are kept, their totals are right, and the store works."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import func, select, table as named

from lootkeep import wiring
from lootkeep.domain.access import SCOPES, TOKEN_PREFIX
from lootkeep.services import recount as recount_service
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from tests.builders import new_product
from tests.conftest import ENGINES
from tests.recount import maintained, recounted
from tests.storage.dumps import DUMPS, engine_of, load, revision_of
from tests.world import World

# What is maintained of the other tables may be stored in another form later: it is counted again below.
TOTALS = {"counters", "sales_rollups", "buyers", "spendings", "ticket_counts"}
VERSIONS = Path(migrations.__file__).parent / "versions"
LANDED = Path(__file__).with_name("landed_migrations.txt")
# What can be read without naming anything.
READINGS = [
    group.prefix + route.path
    for group in wiring.groups()
    for route in group.routes
    if route.method == "GET" and "{" not in route.path and route.path != "/fraud/explain"
]


@pytest.fixture(params=DUMPS, ids=lambda dump: f"{revision_of(dump)}-{engine_of(dump)}")
def dump(request: pytest.FixtureRequest) -> Path:
    file: Path = request.param
    return file


@pytest.fixture
def db_location(dump: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path | str:
    if engine_of(dump) == "sqlite":
        return tmp_path / "store.db"
    url: str = request.getfixturevalue("new_postgres_url")
    return url


@pytest.fixture
async def earlier(dump: Path, db_location: Path | str) -> AsyncIterator[Engine]:
    """The database as an earlier version left it."""
    await load(dump, db_location)
    if isinstance(db_location, Path):
        engine: Engine = SqliteDatabase(db_location)
    else:
        engine = await PostgresDatabase.open(db_location, 4)
    yield engine
    await engine.close()


async def test_a_filled_store_of_an_earlier_schema_is_upgraded_without_loss(dump: Path, earlier: Engine) -> None:
    assert await migrations.revision(earlier) == revision_of(dump)
    before = await counts(earlier)
    assert min(before.values()) > 0
    await migrations.upgrade(earlier)
    await migrations.check(earlier)
    after = await counts(earlier)
    assert {table: after[table] for table in before.keys() - TOTALS} == {
        table: count for table, count in before.items() if table not in TOTALS
    }
    world = World(earlier)
    assert not any((await recount_service.check(world.deps)).values())
    assert await maintained(earlier) == await recounted(earlier)
    await world.close()


async def test_a_store_that_was_upgraded_is_read_and_written_as_before(earlier: Engine) -> None:
    await migrations.upgrade(earlier)
    world = World(earlier, rate_limit_per_minute=0)
    token_from_before = TOKEN_PREFIX + world.deps.ids.secret()
    assert (await world.get("/webhooks", token=token_from_before)).status_code == 200
    world.token = await world.new_token(*SCOPES)
    answers = {path: (await world.get(path)).status_code for path in READINGS}
    assert {path: status for path, status in answers.items() if status != 200} == {}
    product = await new_product(world, name="A sword of the new version")
    products = (await world.get("/products?search=sword of the new")).json()["data"]
    assert [row["id"] for row in products] == [product["id"]]
    assert not any((await recount_service.check(world.deps)).values())
    await world.close()


def test_there_are_dumps_of_both_engines() -> None:
    assert {engine_of(dump) for dump in DUMPS} == set(ENGINES)


def test_a_migration_that_has_landed_is_never_changed_or_renumbered() -> None:
    landed = {name: digest for digest, name in map(str.split, LANDED.read_text().splitlines())}
    present = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in VERSIONS.glob("[0-9]*.py")}
    changed = {name for name, digest in landed.items() if present.get(name) != digest}
    assert not changed, f"{sorted(changed)}: databases have run them as they were. Write a new migration instead."
    new = present.keys() - landed.keys()
    assert not new, f"{sorted(new)}: add `sha256sum` of each to {LANDED.name} when it lands."


async def counts(engine: Engine) -> dict[str, int]:
    """How many rows each table has; those of the search are the engine's own."""
    names = {name for name in await engine.tables() if "_search" not in name}
    async with engine.read() as tx:
        return {name: (await tx.all(Query(select(func.count()).select_from(named(name)))))[0][0] for name in names}
