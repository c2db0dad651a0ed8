"""Reads one moment of a store in PostgreSQL, and writes one into an empty database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

import asyncpg

from lootkeep.kernel.errors import StartupError
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import READ_STAMP
from lootkeep.storage.engine.query import Query
from lootkeep.storage.transfer.tables import BATCH, FIELDS, NEW, NUMBERED, OLD, TABLES, Row, blamed

# Copying takes as long as it takes; the limits are for requests.
NO_LIMITS = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"
# Reads continue. A transaction that waits for us while we wait for it is a deadlock: one of us begins again.
_HOLD = f"LOCK TABLE {', '.join(table.name for table in TABLES)} IN EXCLUSIVE MODE"
_ATTEMPTS = 10
# The error of a server that accepts no writes: the service then answers 503.
_REJECTION = (
    "CREATE FUNCTION lootkeep_moved() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'The store was moved.' USING ERRCODE = '25006'; END $$"
)
_GRANTS = (
    "SELECT format('GRANT CREATE ON DATABASE %1$I TO %2$I; GRANT CREATE ON SCHEMA public TO %2$I', "
    "current_database(), current_user)"
)
# Never below the highest row; NULL does not count.
_SET_LAST_ID = (
    "SELECT setval('{table}_id_seq', last) FROM (SELECT greatest($1::bigint, max(id)) AS last FROM {table}) AS ids "
    "WHERE last > 0"
)
_EXISTING = "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace"
# Rows are loaded faster without indexes and references: these are made from all rows at the end. In this order they can
# be dropped, in the opposite one made.
_MADE_LAST = """SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
UNION ALL SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = current_schema()::regnamespace
AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)"""


# The server, or the connection to it.
_ERRORS: tuple[type[Exception], ...] = (asyncpg.PostgresError, asyncpg.InterfaceError, ConnectionError)


class PostgresSource:
    """A transaction with one snapshot; holding writes, others can only read until it ends."""

    errors = _ERRORS

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    @classmethod
    async def open(cls, url: str, *, holds_writes: bool = False) -> PostgresSource:
        connection = await connected(url)
        for attempt in range(_ATTEMPTS):
            try:
                await connection.execute(f"BEGIN ISOLATION LEVEL REPEATABLE READ; {NO_LIMITS}")
                if holds_writes:
                    await connection.execute(_HOLD)
                # A snapshot begins with the first statement after the locks.
                await connection.execute("SELECT")
                return cls(connection)
            except asyncpg.DeadlockDetectedError:
                await connection.execute("ROLLBACK")
                if attempt == _ATTEMPTS - 1:
                    raise
            except _ERRORS:
                connection.terminate()
                raise
        raise AssertionError

    async def stamp(self) -> str | None:
        try:
            return str(await self._connection.fetchval(READ_STAMP))
        except asyncpg.UndefinedTableError:
            return None

    async def batches(self, query: Query[Row]) -> AsyncIterator[list[Row]]:
        compiled = query.postgres
        with blamed(OLD, self.errors):
            cursor = await self._connection.cursor(compiled.sql, *compiled.arguments({}))
            while rows := await cursor.fetch(BATCH):
                yield compiled.records(rows)

    async def last_ids(self) -> dict[str, int]:
        last = {}
        for table in NUMBERED:
            sql = f"SELECT last_value FROM {table}_id_seq WHERE is_called"  # noqa: S608  our own names
            if number := await self._connection.fetchval(sql):
                last[table] = number
        return last

    async def mark_moved(self, destination: str) -> None:
        await self._connection.execute("UPDATE schema_version SET version = $1", destination)
        await self._connection.execute(_REJECTION)
        for table in TABLES:
            await self._connection.execute(
                f"CREATE TRIGGER moved BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table.name} "
                "FOR EACH STATEMENT EXECUTE FUNCTION lootkeep_moved()"
            )
        await self._connection.execute("COMMIT")

    async def close(self) -> None:
        await self._connection.close()


class PostgresTarget:
    """One transaction, from the schema to the last row."""

    errors = _ERRORS

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    @classmethod
    async def open(cls, url: str) -> PostgresTarget:
        return cls(await connected(url))

    async def begin(self) -> None:
        await self._connection.execute(f"BEGIN; {NO_LIMITS}")
        existing = {row[0] for row in await self._connection.fetch(_EXISTING)}
        if not existing:
            await self._create()
        elif await self._is_used(existing):
            raise StartupError("The database is not empty: create a new one, and name it instead.")
        self._made_last = await self._connection.fetch(_MADE_LAST)
        await self._connection.execute(";".join(drop for drop, _ in self._made_last))

    async def load(self, table: str, batches: AsyncIterator[list[Row]]) -> None:
        rows = (row async for batch in batches for row in batch)
        with blamed(NEW, self.errors):
            try:
                await self._connection.copy_records_to_table(
                    table, records=rows, columns=[field.name for field in FIELDS[table]]
                )
            except asyncpg.CharacterNotInRepertoireError:
                raise StartupError(
                    f"A text of {table} contains the character NUL, which PostgreSQL cannot store. Remove it first; "
                    "nothing was written."
                ) from None

    async def commit(self, last_ids: Mapping[str, int], stamp: str) -> None:
        with blamed(NEW, self.errors):
            try:
                for _, make in reversed(self._made_last):
                    await self._connection.execute(make)
            except asyncpg.IntegrityConstraintViolationError as error:
                raise StartupError(f"The rows do not fit together: {error}. Nothing was written.") from None
            for table in NUMBERED:
                await self._connection.execute(_SET_LAST_ID.format(table=table), last_ids.get(table))
            await self._connection.execute("UPDATE schema_version SET version = $1", stamp)
            await self._connection.execute("COMMIT")
            # Otherwise the first queries are planned without statistics.
            await self._connection.execute("ANALYZE")

    async def close(self) -> None:
        await self._connection.close()

    async def _create(self) -> None:
        try:
            await self._connection.execute(migrations.script("postgresql", None))
        except asyncpg.InsufficientPrivilegeError as error:
            await self._connection.execute("ROLLBACK")
            grants = await self._connection.fetchval(_GRANTS)
            raise StartupError(
                f"The tables cannot be created: {error.args[0]}. As an administrator of that database, run `{grants}`."
            ) from None

    async def _is_used(self, existing: set[str]) -> bool:
        if "schema_version" not in existing or await self._connection.fetchval(READ_STAMP) != migrations.HEAD:
            return True
        first_rows = " UNION ALL ".join(f"(SELECT 1 FROM {table.name} LIMIT 1)" for table in TABLES)  # noqa: S608  the same
        return bool(await self._connection.fetch(first_rows))


async def set_stamp(url: str, before: str, after: str) -> bool:
    connection = await connected(url)
    done = await connection.execute("UPDATE schema_version SET version = $2 WHERE version = $1", before, after)
    await connection.close()
    return done == "UPDATE 1"


async def connected(url: str) -> asyncpg.Connection:
    try:
        return await asyncpg.connect(url)
    except (OSError, asyncpg.PostgresError, ValueError) as error:
        raise StartupError(f"PostgreSQL cannot be reached: {error}.") from None
