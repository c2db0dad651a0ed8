"""Migrations: they create exactly the described schema, once, and reject unknown databases."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import create_mock_engine, insert, select

from lootkeep.domain.addresses import network_key
from lootkeep.kernel.errors import StartupError
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import attempts, deliveries, fraud_checks, labels, metadata, orders, sightings
from tests.conftest import ENGINES
from tests.storage.old_rows import OLD_CHECKS, OLD_IPS, old_orders

FUTURE = "9999"
NEWER = (
    rf"The database was created by a newer Lootkeep \(schema {FUTURE}, this version knows {migrations.HEAD}\)\. "
    r"Upgrade Lootkeep, or restore a backup made with this version\."
)
# Extensions are the database's, not the schema's.
EXTENSIONS = "CREATE EXTENSION IF NOT EXISTS pg_trgm"

# What PostgreSQL knows about a schema, one row per fact.
CATALOG = (
    """SELECT 'column', table_name, ordinal_position::text, column_name, data_type, is_nullable,
              column_default, is_identity, collation_name, is_generated
       FROM information_schema.columns WHERE table_schema = 'public'""",
    """SELECT 'constraint', conrelid::regclass::text, conname, contype::text, condeferrable::text,
              convalidated::text, pg_get_constraintdef(oid)
       FROM pg_constraint WHERE connamespace = 'public'::regnamespace""",
    "SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    """SELECT 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid)
       FROM pg_trigger WHERE NOT tgisinternal""",
    """SELECT 'function', proname, pg_get_function_identity_arguments(oid), pg_get_function_result(oid), prosrc
       FROM pg_proc WHERE pronamespace = 'public'::regnamespace""",
)

# One delivery that has arrived, and one that a worker holds for the second time.
OLD_DELIVERIES = """
    INSERT INTO events (id, type, data, created_at) VALUES (1, 'order.paid', '{}', 5), (2, 'order.paid', '{}', 6),
        (3, 'order.paid', '{}', 7);
    INSERT INTO webhooks (id, url, events, is_active, secret, created_at, updated_at)
        VALUES (1, 'https://shop.example/', '[]', TRUE, 'sealed', 1, 1);
    INSERT INTO deliveries (id, public_id, event_id, webhook_id, event_type, body, status, priority, due_at, lease,
            attempts_count, failures, created_at, finished_at)
        VALUES (4, 'wh_4', 1, 1, 'order.paid', '{}', 'delivered', 1, 10, NULL, 1, 0, 8, 10),
            (7, 'wh_7', 2, 1, 'order.paid', '{}', 'pending', 1, 50, 'worker', 2, 1, 9, NULL);
    INSERT INTO attempts (delivery_id, number, outcome, started_at)
        VALUES (4, 1, 'delivered', 9), (7, 1, 'failed', 9), (7, 2, 'open', 20);
"""
NEW_DELIVERY = {"public_id": "wh_8", "event_id": 3, "webhook_id": 1, "event_type": "order.paid", "status": "pending"}
NEW_DELIVERY |= {"priority": 0, "due_at": 60, "attempts_count": 0, "failures": 0, "created_at": 60}

Facts = set[tuple[Any, ...]]


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


async def test_the_first_upgrade_brings_an_empty_database_to_the_newest_schema(empty: Callable[[], Any]) -> None:
    engine = await empty()
    assert await engine.revision() is None
    assert await migrations.upgrade(engine) is True
    assert await engine.revision() == migrations.HEAD
    await migrations.check(engine)


async def test_a_second_upgrade_changes_nothing(empty: Callable[[], Any]) -> None:
    engine = await empty()
    await migrations.upgrade(engine)
    assert await migrations.upgrade(engine) is False
    assert await engine.revision() == migrations.HEAD


async def test_concurrent_upgrades_both_succeed_and_only_one_does_the_work(empty: Callable[[], Any]) -> None:
    first, other = await empty(), await empty()
    await asyncio.gather(migrations.upgrade(first), migrations.upgrade(other))
    assert (await first.revision(), await other.revision()) == (migrations.HEAD, migrations.HEAD)


async def test_an_upgrade_starts_from_every_older_schema(empty: Callable[[], Any]) -> None:
    engine = await empty()
    for revision in sorted(migrations.known_revisions()):
        await engine.migrate(lambda current, target=revision: _script(engine.name, current, target))
        assert await engine.revision() == revision


async def test_deliveries_and_attempts_survive_the_migration_of_their_tables(empty: Callable[[], Any]) -> None:
    engine = await empty()
    await engine.migrate(lambda current: _script(engine.name, current, "0006"))
    await engine.migrate(lambda _: OLD_DELIVERIES.replace("TRUE", "1" if engine.name == "sqlite" else "TRUE"))
    await migrations.upgrade(engine)
    query = Query(
        select(deliveries.c.id, deliveries.c.status, deliveries.c.due_at, deliveries.c.lease, deliveries.c.leased_until)
    )
    async with engine.write() as tx:
        rows = await tx.all(query)
        attempted = await tx.all(Query(select(attempts.c.delivery_id, attempts.c.number, attempts.c.outcome)))
        new = await tx.one(Query(insert(deliveries).values(**NEW_DELIVERY).returning(deliveries.c.id)))
    assert rows == [(4, "delivered", 10, None, None), (7, "pending", 50, "worker", 50)]
    assert attempted == [(4, 1, "delivered"), (7, 1, "failed"), (7, 2, "open")]
    assert new == (8,)


async def test_ips_of_old_orders_and_sightings_are_counted_by_network(empty: Callable[[], Any]) -> None:
    engine = await empty()
    await engine.migrate(lambda current: _script(engine.name, current, "0016"))
    await engine.migrate(lambda _: old_orders())
    await migrations.upgrade(engine)
    async with engine.read() as tx:
        placed = await tx.all(Query(select(orders.c.ip_address, orders.c.ip_network).order_by(orders.c.id)))
        sighting_rows = await tx.all(Query(select(*sightings.c).order_by(sightings.c.value)))
    assert placed == [(ip, ip and network_key(ip)) for ip in (*OLD_IPS, None)]
    assert [row[1] for row in sighting_rows] == sorted({network_key(ip) for ip in OLD_IPS})
    assert ("address", "2001:db8:0:0::/64", 1, 2, 13) in sighting_rows


async def test_existing_reviews_become_labels(empty: Callable[[], Any]) -> None:
    engine = await empty()
    await engine.migrate(lambda current: _script(engine.name, current, "0016"))
    await engine.migrate(lambda _: old_orders())
    await engine.migrate(lambda current: _script(engine.name, current, "0026"))
    await engine.migrate(lambda _: OLD_CHECKS)
    await migrations.upgrade(engine)
    async with engine.read() as tx:
        stored_links = await tx.all(Query(select(labels.c.kind, labels.c.value, labels.c.since, labels.c.order_id)))
        truths = await tx.all(Query(select(fraud_checks.c.truth).order_by(fraud_checks.c.id)))
    links = {"customer": "1", "instrument": "card", "mailbox": "jun@mail.example"}
    assert set(stored_links) == {(kind, value, 90, 1) for kind, value in links.items()}
    assert truths == [("fraud",), (None,)]


async def test_a_database_newer_than_the_code_is_not_upgraded(empty: Callable[[], Any]) -> None:
    engine = await empty()
    await _pretend_to_be_newer(engine)
    with pytest.raises(StartupError, match=NEWER):
        await migrations.upgrade(engine)
    assert await engine.revision() == FUTURE


async def test_a_database_newer_than_the_code_is_rejected_at_the_start(empty: Callable[[], Any]) -> None:
    engine = await empty()
    await _pretend_to_be_newer(engine)
    with pytest.raises(StartupError, match=NEWER):
        await migrations.check(engine)


async def test_a_database_that_was_never_migrated_is_rejected_with_the_command_to_run(empty: Callable[[], Any]) -> None:
    with pytest.raises(StartupError, match="Run `lootkeep migrate`, then start again"):
        await migrations.check(await empty())


async def test_an_upgrade_that_fails_leaves_the_schema_as_it_was(empty: Callable[[], Any]) -> None:
    engine = await empty()
    with pytest.raises(StartupError, match="tables of another program"):
        await engine.migrate(lambda _: "CREATE TABLE half (id BIGINT); CREATE TABLE half (id BIGINT);")
    await engine.migrate(lambda _: "CREATE TABLE half (id BIGINT);")
    assert await engine.revision() is None


def test_head_is_alembics_head() -> None:
    directory = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert directory.get_heads() == [migrations.HEAD]


def test_every_revision_is_the_one_its_file_is_named_after() -> None:
    directory = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert {script.revision for script in directory.walk_revisions()} == migrations.known_revisions()


async def test_the_migrations_create_the_described_tables_on_sqlite(sqlite_template: Path, tmp_path: Path) -> None:
    described = tmp_path / "described.db"
    apsw.Connection(str(described)).execute(_described("sqlite")).fetchall()
    _same(_sqlite_facts(sqlite_template), _sqlite_facts(described))


async def test_the_migrations_create_the_described_tables_on_postgresql(
    postgres_url: str, new_postgres_url: str
) -> None:
    connection = await asyncpg.connect(new_postgres_url)
    await connection.execute(f"{EXTENSIONS};\n{_described('postgresql')}")
    await connection.close()
    _same(await _postgres_facts(postgres_url), await _postgres_facts(new_postgres_url))


def _script(dialect: str, current: str | None, target: str) -> str:
    """The part of the whole script that leads to one revision: each step ends by noting where it has come to."""
    script = migrations.script(dialect, current)
    note = re.search(rf"(INSERT INTO alembic_version|UPDATE alembic_version)[^;]*'{target}'[^;]*;", script)
    assert note, f"nothing leads from {current} to {target}"
    return script[: note.end()]


async def _pretend_to_be_newer(engine: Engine) -> None:
    await migrations.upgrade(engine)
    await engine.migrate(lambda _: f"UPDATE alembic_version SET version_num = '{FUTURE}'")


def _described(dialect: str) -> str:
    """What `metadata.create_all` would run, in a dialect."""
    statements: list[str] = []

    def keep(statement: Any, *_: Any, **__: Any) -> None:
        statements.append(str(statement.compile(dialect=engine.dialect)).strip())

    engine = create_mock_engine("sqlite://" if dialect == "sqlite" else "postgresql+asyncpg://", keep)
    metadata.create_all(engine, checkfirst=False)
    return ";\n".join(statements)


def _same(migrated: Facts, described: Facts) -> None:
    """Facts are compared as they are, and listed by side when they differ."""
    only_migrated = sorted(map(str, migrated - described))
    only_described = sorted(map(str, described - migrated))
    differences = [f"only migrated: {fact}" for fact in only_migrated]
    differences += [f"only in tables: {fact}" for fact in only_described]
    assert not differences, "Migrations and tables differ.\n" + "\n".join(differences)


def _sqlite_facts(file: Path) -> Facts:
    """A table's clauses one by one, since constraints may be in any order; the columns keep their places."""
    facts: Facts = set()
    rows = apsw.Connection(str(file)).execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
    for kind, name, table, source in rows:
        sql = str(source or "")
        if table == "alembic_version":
            continue
        if kind != "table" or not sql.startswith("CREATE TABLE"):
            facts.add((kind, name, table, _plain(sql)))
            continue
        body, end = sql[sql.index("(") + 1 : sql.rindex(")")], sql[sql.rindex(")") :]
        facts.add((kind, name, "ends with", _plain(end)))
        for position, clause in enumerate(map(_plain, _clauses(body))):
            is_constraint = clause.startswith(("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"))
            facts.add((kind, name, "constraint" if is_constraint else position, clause))
    return facts


def _clauses(body: str) -> list[str]:
    """The text between commas that are in no brackets and no quotes."""
    clauses, depth, quoted = [""], 0, False
    for character in body:
        quoted ^= character == "'"
        depth += 0 if quoted else (character == "(") - (character == ")")
        if character == "," and not depth and not quoted:
            clauses.append("")
        else:
            clauses[-1] += character
    return clauses


def _plain(sql: str) -> str:
    return " ".join(sql.split())


async def _postgres_facts(url: str) -> Facts:
    connection = await asyncpg.connect(url)
    facts = {tuple(row) for query in CATALOG for row in await connection.fetch(query)}
    await connection.close()
    return {fact for fact in facts if fact[1] != "alembic_version"}
