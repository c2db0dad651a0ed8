"""What `upgrade --check` finds out about a database, on both engines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.migrations.plan import RATES, Step, pause_for, plan
from tests.conftest import ENGINES
from tests.storage.made_up_versions import DOUBLED, ORDERS, VERSIONS, release


@pytest.fixture(params=ENGINES)
def new_db_location(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    if request.param == "sqlite":
        return tmp_path / "new.db"
    url: str = request.getfixturevalue("new_postgres_url")
    return url


@pytest.fixture
async def engine(new_db_location: Path | str) -> AsyncIterator[Engine]:
    """On a database with nothing in it."""
    if isinstance(new_db_location, Path):
        opened: Engine = SqliteDatabase(new_db_location)
    else:
        opened = await PostgresDatabase.open(new_db_location, 2)
    yield opened
    await opened.close()


async def test_an_empty_database_needs_no_pause_and_no_time(engine: Engine) -> None:
    upgrade = await plan(engine, VERSIONS)
    created = Step(VERSIONS[-1].name, "Creates the schema.", True, {}, 0)
    assert (upgrade.current, upgrade.steps, upgrade.seconds, upgrade.pause) == (None, [created], 0, None)


async def test_the_rows_and_the_time_of_each_pending_version_are_estimated(engine: Engine) -> None:
    await migrations.upgrade(engine)
    await release(engine)
    await engine.migrate(lambda _: ";".join([ORDERS, *[DOUBLED] * 11]))
    upgrade = await plan(engine, VERSIONS)
    assert [(step.revision, step.rows, step.is_online) for step in upgrade.steps] == [
        ("0002", {"orders": 4096}, True),
        ("0003", {"orders": 4096}, False),
    ]
    rates = RATES[engine.name]
    moved = 4096 / rates["write"] + 4096 / rates["index"] if engine.name == "sqlite" else 0
    assert [step.seconds for step in upgrade.steps] == [
        round(4096 / rates["index"], 3),
        round(4096 / rates["read"] + 4096 / rates["write"] + moved, 3),
    ]


async def test_a_version_that_only_adds_needs_no_pause_on_postgresql(engine: Engine) -> None:
    await migrations.upgrade(engine)
    await release(engine)
    online, both = await plan(engine, VERSIONS[:2]), await plan(engine, VERSIONS)
    if engine.name == "sqlite":
        assert str(online.pause).startswith("The embedded database has one process")
    else:
        assert (online.pause, "incomplete after 0003." in str(both.pause)) == (None, True)


async def test_nothing_is_pending_after_an_upgrade(engine: Engine) -> None:
    await migrations.upgrade(engine)
    assert await plan(engine) == (migrations.HEAD, [], None)


def test_locks_that_outlast_a_request_need_a_pause() -> None:
    short, long = (Step("0002", "Adds a column.", True, {"events": 1}, seconds) for seconds in (4.9, 5.1))
    assert pause_for("postgresql", [short]) is None
    assert "longer than the 5 seconds" in str(pause_for("postgresql", [long]))
