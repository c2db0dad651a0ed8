"""Fixtures for all tests: one database per engine, empty at the start of each test."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest
import structlog
from hypothesis import HealthCheck, settings

from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.postgres_session import Deadlines
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import metadata
from tests import quick
from tests.first_failure import FirstFailure
from tests.gate import Gate
from tests.world import World

ENGINES = ("sqlite", "postgresql")
# A busy machine must not fail a test; those of deadlines have their own.
PATIENT = Deadlines(statement=300, free_connection=300, read_lock=300, connection=300, idle_transaction=300)
# For what is refused before the database is asked, which is the same on both engines.
only_sqlite = pytest.mark.parametrize("db_location", ["sqlite"], indirect=True)

_TESTS = Path(__file__).parent

# What takes minutes begins first: at the end there are only short tests to share.
LONG = (
    "tests/machines/",
    "tests/cli/test_image.py",
    "tests/generators/",
    "tests/faults/",
    "tests/console/test_every_page_in_a_browser.py",
    "tests/api/fraud/test_replay.py",
)

# A validator of schemas compiles a grammar of IRIs, for seconds, where it finds one: no field of the API is an IRI.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
# httpx looks for it at each request, in every folder of the path: a twentieth of a test's CPU.
sys.modules["sniffio"] = None  # type: ignore[assignment]

# Files of tests are in memory where there is room: SQLite waits for the disk at each commit, and these are for nobody.
_MEMORY = Path("/dev/shm")
if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > 2 * 1024**3:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

# The same examples in every run, so that no change fails by chance; to look for new ones:
# make test ARGS="tests/services --hypothesis-profile=explore"
# Without limits of time, for an example or for making it: a busy machine must not fail a test.
PATIENTLY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fixed", PATIENTLY, derandomize=True)
settings.register_profile("explore", PATIENTLY, print_blob=True)
settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="Only what runs on SQLite, without servers or a browser.")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FirstFailure(terminal))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """True for what is not quick. It is not even imported: that takes as long as many tests."""
    if not config.getoption("--quick") or not collection_path.is_relative_to(_TESTS):
        return None
    path = collection_path.relative_to(_TESTS).as_posix()
    return quick.is_left_out(f"{path}/" if collection_path.is_dir() else path) or None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each engine in turn, unless a test names its own; quick tests are not even made for PostgreSQL."""
    names_engine = any("db_location" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "db_location" in metafunc.fixturenames and not names_engine:
        engines = ENGINES[:1] if metafunc.config.getoption("--quick") else ENGINES
        metafunc.parametrize("db_location", engines, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--quick"):
        are_quick = {item: isinstance(item, pytest.Function) and quick.is_quick(item) for item in items}
        config.hook.pytest_deselected(items=[item for item in items if not are_quick[item]])
        items[:] = [item for item in items if are_quick[item]]
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


def pytest_collection_finish() -> None:
    """Tests and modules live until the end: the garbage collector need not visit their half a million objects again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own settings must not change what is tested."""
    for name in list(os.environ):
        if name.startswith("LOOTKEEP_") and not name.startswith("LOOTKEEP_TEST_"):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _logs_as_at_the_start() -> Iterator[None]:
    """A test that starts a service configures the logs of its process; the next reads what pytest captures."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    if structlog.is_configured():
        structlog.reset_defaults()
        root.handlers[:] = handlers
        root.setLevel(level)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty database file, copied for each test."""
    path = tmp_path_factory.mktemp("template") / "template.db"

    async def make() -> None:
        db = SqliteDatabase(path)
        await migrations.upgrade(db)
        await db.close()

    asyncio.run(make())
    return path


@pytest.fixture(scope="session")
def postgres_admin_url() -> str:
    url = os.environ.get("LOOTKEEP_TEST_POSTGRES_URL")
    if not url:
        pytest.fail("PostgreSQL is not running. Run the tests with `make test`, which starts it.", pytrace=False)
    return url


@pytest.fixture(scope="session")
def redis_url() -> str:
    url = os.environ.get("LOOTKEEP_TEST_REDIS_URL")
    if not url:
        pytest.fail("Redis is not running. Run the tests with `make test`, which starts it.", pytrace=False)
    return url


async def new_postgres_database(admin_url: str, name: str) -> str:
    """Creates an empty database and returns its URL."""
    admin = await asyncpg.connect(admin_url)
    await admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    await admin.execute(f'CREATE DATABASE "{name}"')
    await admin.close()
    return admin_url.rsplit("/", 1)[0] + f"/{name}"


async def drop_postgres_database(admin_url: str, url: str) -> None:
    admin = await asyncpg.connect(admin_url)
    await admin.execute(f'DROP DATABASE IF EXISTS "{url.rsplit("/", 1)[1]}" WITH (FORCE)')
    await admin.close()


@pytest.fixture(scope="session")
def postgres_url(postgres_admin_url: str, worker_id: str, testrun_uid: str) -> Iterator[str]:
    """One migrated database per test process."""

    async def make() -> str:
        url = await new_postgres_database(postgres_admin_url, f"lootkeep_{testrun_uid[:8]}_{worker_id}")
        db = await PostgresDatabase.open(url, 1)
        await migrations.upgrade(db)
        await db.close()
        return url

    url = asyncio.run(make())
    yield url
    asyncio.run(drop_postgres_database(postgres_admin_url, url))


@pytest.fixture
def db_location(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where the test's database is, on each engine in turn: a file, or a URL."""
    if request.param == "postgresql":
        url: str = request.getfixturevalue("postgres_url")
        return url
    path = tmp_path / "test.db"
    shutil.copy(request.getfixturevalue("sqlite_template"), path)
    return path


@pytest.fixture(scope="session")
async def postgres(postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    """Open for all tests of the process: each new connection reads the catalog and makes all plans again."""
    engine = await PostgresDatabase.open(postgres_url, 10, PATIENT)
    yield engine
    await engine.close()


@pytest.fixture
def shared_engine(db_location: Path | str, request: pytest.FixtureRequest) -> PostgresDatabase | None:
    """An asynchronous fixture may not ask for another by name, so this one does."""
    return None if isinstance(db_location, Path) else request.getfixturevalue("postgres")


@pytest.fixture
async def db(db_location: Path | str, shared_engine: PostgresDatabase | None) -> AsyncIterator[Engine]:
    """An empty database on each engine in turn."""
    if shared_engine:
        await empty(shared_engine)
        yield shared_engine
        shared_engine.on_change(lambda _changed: None)
        await _end_tasks()
    else:
        engine = SqliteDatabase(Path(db_location), PATIENT.free_connection)
        yield engine
        await _end_tasks()
        await engine.close()


async def _end_tasks() -> None:
    """What a test has started and left ends with it, although the event loop goes on."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


# To truncate a table makes a new file for it and for each of its indexes, 300 in all: a tenth of a second. So rows are
# deleted, without triggers, unless there are many, or a test has collected statistics, which plans are made from.
_EMPTY = """
    DO $$ DECLARE item record; BEGIN
    PERFORM set_config('session_replication_role', 'replica', true);
    FOR item IN SELECT oid::regclass AS name, pg_relation_size(oid) > 65536 OR reltuples > 0 AS is_large
        FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY ('{%s}')
            AND pg_relation_size(oid) > 0
    LOOP
        IF item.is_large THEN EXECUTE format('TRUNCATE %%s CASCADE', item.name);
        ELSE EXECUTE format('DELETE FROM %%s', item.name); END IF;
    END LOOP;
    PERFORM setval(oid, 1, false) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S';
    END $$
""" % ",".join(table.name for table in metadata.sorted_tables)  # noqa: UP031  it is full of braces


async def empty(db: PostgresDatabase) -> None:
    connection = await db.pool.take()
    await connection.execute(_EMPTY)
    db.pool.give_back(connection)


@pytest.fixture
async def gate(postgres_url: str) -> AsyncIterator[Gate]:
    """A TCP proxy to PostgreSQL that can be silenced."""
    gate = Gate(postgres_url)
    await gate.open()
    yield gate
    await gate.shut()


@pytest.fixture
async def world(db: Engine) -> AsyncIterator[World]:
    world = World(db)
    await world.begin()
    yield world
    await world.close()


@pytest.fixture
async def insecure_world(db: Engine) -> AsyncIterator[World]:
    """A world whose webhooks may reach receivers on loopback."""
    world = World(db, webhook_allow_insecure=True)
    await world.begin()
    yield world
    await world.close()


@pytest.fixture(scope="module")
async def shared_world(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """For the many cases of a module that are refused before they reach the database: made once, on one engine."""
    path = tmp_path_factory.mktemp("shared") / "shared.db"
    shutil.copy(sqlite_template, path)
    db = SqliteDatabase(path)
    world = World(db, rate_limit_per_minute=0)
    await world.begin()
    yield world
    await world.close()
    await db.close()
