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
from tests.storage.old_rows import old_orders


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
    upgrade = await plan(engine)
    assert (upgrade.current, len(upgrade.steps), upgrade.seconds, upgrade.pause) == (
        None,
        len(migrations.known_revisions()),
        0,
        None,
    )


async def test_a_change_that_only_adds_is_made_online_on_postgresql(engine: Engine) -> None:
    await _migrate(engine, "0034")
    step, *_ = (await plan(engine)).steps
    assert step.revision == "0035"
    assert (pause_for(engine.name, [step]) is None) is (engine.name == "postgresql")


async def test_rows_are_counted_wherever_migrations_move_them(engine: Engine) -> None:
    """On SQLite 0025 moves the sightings to another table and back."""
    await _migrate(engine, "0018", old_orders())
    steps = {step.revision: step for step in (await plan(engine)).steps}
    assert steps["0019"].rows == {"orders": 12, "sightings": 11}
    assert steps["0025"].rows == {"sightings": 11}
    rates = RATES[engine.name]
    written = 11 / rates["write"] if engine.name == "sqlite" else 11 / rates["read"]
    indexes = 2 if engine.name == "sqlite" else 1
    assert steps["0025"].seconds == round(written + indexes * 11 / rates["index"], 3)


async def test_nothing_is_pending_after_an_upgrade(engine: Engine) -> None:
    await migrations.upgrade(engine)
    assert (await plan(engine)).steps == []


def test_locks_that_outlast_a_request_need_a_pause() -> None:
    short, long = (Step("0035", "Adds a column.", True, {"events": 1}, seconds) for seconds in (4.9, 5.1))
    assert pause_for("postgresql", [short]) is None
    assert "longer than the 5 seconds" in str(pause_for("postgresql", [long]))


async def _migrate(engine: Engine, revision: str, rows: str = "") -> None:
    """To an earlier schema, and what that had."""
    script, _, _ = migrations.script(engine.name, None).partition(f"-- Running upgrade {revision} ->")
    await engine.migrate(lambda _: f"{script}{rows};")
