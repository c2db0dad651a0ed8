"""A database that is another program's, or a newer Lootkeep's, is named for what it is and left alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import apsw
import asyncpg
import pytest

from lootkeep.storage import migrations
from tests.cli.terminal import KEY, CommandResult, Terminal
from tests.conftest import ENGINES

FOREIGN = (
    "{label} contains tables of another program ({tables}). "
    "Give Lootkeep a separate database with LOOTKEEP_DATABASE_URL."
)
NEWER = (
    f"{{label}} was created by a newer Lootkeep (schema 9999, this version knows {migrations.HEAD}). "
    "Upgrade Lootkeep, or restore a backup made with this version."
)
DEVELOPMENT = (
    "{label} was created by a development version of Lootkeep, and only that version can open it. "
    "Read from it what you need with that version, then set LOOTKEEP_DATABASE_URL to a new database."
)
BLOG = "CREATE TABLE posts (id BIGINT); CREATE TABLE authors (id BIGINT); INSERT INTO posts VALUES (1);"
SHOP = BLOG + "CREATE TABLE orders (id BIGINT); CREATE TABLE users (id BIGINT);"
REVISION = "CREATE TABLE schema_version (version TEXT); INSERT INTO schema_version VALUES ('{}');"
COMMANDS = (["migrate"], ["migrate", "--check"], ["serve", "--port", "0"], ["doctor"], ["user", "list"])
LABELS = {"sqlite": "lootkeep.db", "postgresql": "The database"}
TABLES = {
    "sqlite": "SELECT name FROM sqlite_schema WHERE type = 'table'",
    "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
}

Execute = Callable[[str], list[str]]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, terminal: Terminal) -> str:
    """An engine whose database is new and empty."""
    if request.param == "postgresql":
        url = request.getfixturevalue("new_postgres_url")
        terminal.settings = {"database_url": url, "secret_key": KEY}
    return str(request.param)


@pytest.fixture
def execute(engine: str, terminal: Terminal) -> Execute:
    """Runs SQL in the database; gives the first column."""

    async def in_postgres(sql: str) -> list[str]:
        connection = await asyncpg.connect(terminal.settings["database_url"])
        try:
            if sql.startswith("SELECT"):
                return [row[0] for row in await connection.fetch(sql)]
            await connection.execute(sql)
            return []
        finally:
            await connection.close()

    def in_sqlite(sql: str) -> list[str]:
        connection = apsw.Connection(str(terminal.folder / "lootkeep.db"))
        rows = connection.execute(sql).fetchall()
        connection.close()
        return [str(row[0]) for row in rows]

    return in_sqlite if engine == "sqlite" else lambda sql: asyncio.run(in_postgres(sql))


def said(outcome: CommandResult) -> str:
    """The sentence, alone or in the doctor's line about the database."""
    assert outcome.code in (1, 2)
    lines = [line for line in outcome.out.splitlines() if line.startswith("bad      database   ")]
    return lines[0].removeprefix("bad      database   ") if lines else outcome.sentence


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        (BLOG, "authors, posts"),
        (SHOP, "authors, orders, posts and more"),
        (BLOG + REVISION.format("a1b2c3d4"), "authors, posts, schema_version"),
        (BLOG + REVISION.format(migrations.HEAD), "authors, posts, schema_version"),
        (BLOG + REVISION.format("0001"), "authors, posts, schema_version"),
    ],
    ids=["other tables", "tables with our names", "migrated elsewhere", "our newest number", "our first number"],
)
def test_the_database_of_another_program_is_rejected_and_not_changed(
    terminal: Terminal, engine: str, execute: Execute, sql: str, tables: str
) -> None:
    execute(sql)
    before = execute(TABLES[engine])
    for command in COMMANDS:
        assert said(terminal.call(*command)) == FOREIGN.format(label=LABELS[engine], tables=tables), command
    assert execute(TABLES[engine]) == before


def test_the_database_of_a_newer_version_is_rejected_and_not_changed(
    terminal: Terminal, engine: str, execute: Execute
) -> None:
    terminal.call("migrate")
    execute("UPDATE schema_version SET version = '9999'; CREATE TABLE new_in_9999 (id BIGINT);")
    for command in COMMANDS:
        assert said(terminal.call(*command)) == NEWER.format(label=LABELS[engine]), command
    assert execute("SELECT version FROM schema_version") == ["9999"]


def test_the_database_of_a_development_version_is_rejected_and_not_changed(
    terminal: Terminal, engine: str, execute: Execute
) -> None:
    terminal.call("migrate")
    execute("DROP TABLE schema_version; CREATE TABLE alembic_version (version_num VARCHAR(32));")
    before = execute(TABLES[engine])
    for command in COMMANDS:
        assert said(terminal.call(*command)) == DEVELOPMENT.format(label=LABELS[engine]), command
    assert execute(TABLES[engine]) == before


def test_tables_of_an_extension_do_not_make_a_database_foreign(terminal: Terminal, new_postgres_url: str) -> None:
    async def extend() -> None:
        connection = await asyncpg.connect(new_postgres_url)
        await connection.execute("CREATE EXTENSION pg_trgm; CREATE TABLE of_extension (id BIGINT)")
        await connection.execute("ALTER EXTENSION pg_trgm ADD TABLE of_extension")
        await connection.close()

    asyncio.run(extend())
    outcome = terminal.call("migrate", database_url=new_postgres_url)
    assert (outcome.code, outcome.out) == (0, f"The schema of {new_postgres_url} is now {migrations.HEAD}.\n")
