"""An empty database gets the schema and its stamp; made-up versions upgrade it; unknown databases are rejected."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import ColumnElement, func, literal_column, select, table as named

from lootkeep.kernel.errors import StartupError
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import metadata
from tests.conftest import ENGINES
from tests.storage.made_up_versions import FIRST, ONLINE, ORDERS, VERSIONS, release

NEWER = rf"was created by a newer Lootkeep \(schema 9999, this version knows {migrations.HEAD}\)\. Upgrade Lootkeep"
DEVELOPMENT = r"was created by a development version of Lootkeep, and only that version can open it\. Read from it"


@pytest.fixture(params=ENGINES)
def empty_location(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    if request.param == "sqlite":
        return tmp_path / "new.db"
    url: str = request.getfixturevalue("new_postgres_url")
    return url


@pytest.fixture
async def empty(empty_location: Path | str) -> AsyncIterator[Callable[[], Any]]:
    """Opens the same new and empty database as often as it is called."""
    opened: list[Engine] = []

    async def open_one() -> Engine:
        if isinstance(empty_location, Path):
            opened.append(SqliteDatabase(empty_location))
        else:
            opened.append(await PostgresDatabase.open(empty_location, 2))
        return opened[-1]

    yield open_one
    for engine in opened:
        await engine.close()


async def test_an_empty_database_gets_every_table_and_the_stamp_once(empty: Callable[[], Any]) -> None:
    engine = await empty()
    assert await engine.revision() is None
    assert await migrations.upgrade(engine) is True
    assert await engine.revision() == migrations.HEAD
    assert await engine.tables() >= {*metadata.tables, "schema_version"}
    await migrations.check(engine)
    assert await migrations.upgrade(engine) is False


async def test_concurrent_upgrades_both_succeed_and_only_one_does_the_work(empty: Callable[[], Any]) -> None:
    first, other = await empty(), await empty()
    await asyncio.gather(migrations.upgrade(first), migrations.upgrade(other))
    assert (await first.revision(), await other.revision()) == (migrations.HEAD, migrations.HEAD)
    await release(first)
    await asyncio.gather(migrations.upgrade(first, VERSIONS), migrations.upgrade(other, VERSIONS))
    assert await other.revision() == VERSIONS[-1].name


async def test_a_store_of_the_first_release_is_upgraded_and_keeps_its_rows(empty: Callable[[], Any]) -> None:
    engine = await empty()
    await migrations.upgrade(engine)
    await release(engine)
    await engine.migrate(lambda _: ORDERS)
    with pytest.raises(StartupError, match="Run `lootkeep migrate`, then start again"):
        await migrations.check(engine, VERSIONS)
    assert await migrations.upgrade(engine, VERSIONS[:2]) is True
    assert await engine.revision() == ONLINE.name
    assert await migrations.upgrade(engine, VERSIONS) is True
    await migrations.check(engine, VERSIONS)
    channel: ColumnElement[str] = literal_column("channel")
    query = select(channel, func.count()).select_from(named("orders")).group_by(channel)
    async with engine.read() as tx:
        channels = await tx.all(Query(query))
        names = await tx.all(Query(select(literal_column("name")).select_from(named("channels"))))
    assert (channels, names) == ([("SHOP", 2)], [("shop",)])


async def test_an_empty_database_gets_the_newest_stamp_without_the_steps_before(empty: Callable[[], Any]) -> None:
    engine = await empty()
    await migrations.upgrade(engine, VERSIONS)
    assert await engine.revision() == VERSIONS[-1].name
    assert "channels" not in await engine.tables()


async def test_an_upgrade_that_fails_leaves_the_schema_as_it_was(empty: Callable[[], Any]) -> None:
    engine = await empty()
    await migrations.upgrade(engine)
    await release(engine)
    broken = ONLINE._replace(name="0003", statements=("CREATE TABLE half (id BIGINT)", "CREATE TABLE half (id BIGINT)"))
    with pytest.raises(StartupError, match="tables of another program"):
        await migrations.upgrade(engine, (*VERSIONS[:2], broken))
    assert await engine.revision() == FIRST.name
    assert not {"channels", "half"} & await engine.tables()


@pytest.mark.parametrize(("stamp", "sentence"), [("9999", NEWER), ("dev-00000000", DEVELOPMENT)])
async def test_a_database_that_this_version_does_not_know_is_rejected_and_not_changed(
    empty: Callable[[], Any], stamp: str, sentence: str
) -> None:
    engine = await empty()
    await migrations.upgrade(engine)
    await engine.migrate(lambda _: f"UPDATE schema_version SET version = '{stamp}'")
    for attempt in (migrations.upgrade, migrations.check):
        with pytest.raises(StartupError, match=sentence):
            await attempt(engine)
    assert await engine.revision() == stamp


async def test_a_database_of_a_development_version_without_a_stamp_is_rejected(empty: Callable[[], Any]) -> None:
    engine = await empty()
    await migrations.upgrade(engine)
    await engine.migrate(lambda _: "DROP TABLE schema_version; CREATE TABLE alembic_version (version_num TEXT)")
    for versions in ((), VERSIONS):
        with pytest.raises(StartupError, match=DEVELOPMENT):
            await migrations.upgrade(engine, versions)


async def test_a_database_that_was_never_migrated_is_rejected_with_the_command_to_run(empty: Callable[[], Any]) -> None:
    with pytest.raises(StartupError, match="Run `lootkeep migrate`, then start again"):
        await migrations.check(await empty())
