"""The PostgreSQL engine: its pool, and a server that goes away and comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import urlsplit

import asyncpg
import pytest
from sqlalchemy import func, select, text

from lootkeep.kernel.errors import StartupError, Unavailable
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.query import Query
from tests.storage.statements import ADD, COUNT, add, emails

PID = Query(select(func.pg_backend_pid()))
SLEEP = Query(text("SELECT pg_sleep(60)"))
SIZE = 3

Open = Callable[[str], Awaitable[PostgresDatabase]]


@pytest.fixture
async def open_database(postgres_url: str) -> AsyncIterator[Open]:
    opened: list[PostgresDatabase] = []

    async def open_at(url: str) -> PostgresDatabase:
        opened.append(await PostgresDatabase.open(url, SIZE))
        return opened[-1]

    await _empty_users(postgres_url)
    yield open_at
    for db in opened:
        await db.close()


@pytest.fixture
async def server(open_database: Open, postgres_url: str) -> PostgresDatabase:
    return await open_database(postgres_url)


async def test_the_pool_never_exceeds_its_number_of_connections(server: PostgresDatabase) -> None:
    pids: set[int] = set()
    under_way = most = 0

    async def read() -> None:
        nonlocal under_way, most
        async with server.read() as tx:
            under_way += 1
            most = max(most, under_way)
            row = await tx.one(PID)
            pids.update(row or ())
            under_way -= 1

    await asyncio.gather(*(read() for _ in range(40)))
    assert 1 <= most <= SIZE
    assert 1 <= len(pids) <= SIZE


async def test_a_connection_is_reused_rather_than_opening_another(server: PostgresDatabase) -> None:
    pids = set()
    for _ in range(10):
        async with server.read() as tx:
            row = await tx.one(PID)
            pids.add(row)
    assert len(pids) == 1


async def test_a_caller_without_a_free_connection_waits_for_one(server: PostgresDatabase) -> None:
    go_on = asyncio.Event()
    holders = [asyncio.create_task(_hold(server, go_on)) for _ in range(SIZE)]
    waiting = asyncio.create_task(add(server, "ada"))
    done, _ = await asyncio.wait({waiting}, timeout=0.1)
    go_on.set()
    await asyncio.gather(waiting, *holders)
    assert (done, await emails(server)) == (set(), ["ada"])


async def test_a_caller_that_waits_too_long_fails_because_the_database_is_busy(server: PostgresDatabase) -> None:
    go_on = asyncio.Event()
    holders = [asyncio.create_task(_hold(server, go_on)) for _ in range(SIZE)]
    waiting = asyncio.create_task(add(server, "refused"))
    with pytest.raises(Unavailable, match=r"The database is busy\. Please try again shortly\."):
        await waiting
    go_on.set()
    await asyncio.gather(*holders)
    assert await emails(server) == []


async def test_a_query_that_is_cancelled_while_it_runs_does_not_block_its_connection(server: PostgresDatabase) -> None:
    for _ in range(SIZE + 1):
        asleep = asyncio.create_task(_sleep(server))
        await asyncio.wait({asleep}, timeout=0.05)
        asleep.cancel()
        await asyncio.wait({asleep})
    await asyncio.gather(*(add(server, f"{number:02}") for number in range(8)))
    assert len(await emails(server)) == 8


async def test_idle_connections_that_the_server_ended_are_replaced(server: PostgresDatabase, postgres_url: str) -> None:
    await asyncio.gather(*(_pid(server) for _ in range(20)))
    await _end_connections(postgres_url)
    # A connection that died this very moment may fail one request; none may fail for longer.
    outcomes = [await _outcome(add(server, f"{number:02}")) for number in range(SIZE + 1)]
    assert set(outcomes) <= {None, Unavailable}
    assert outcomes[-1] is None


async def test_an_operation_whose_connection_ends_in_the_middle_is_an_outage_and_leaves_nothing(
    server: PostgresDatabase, postgres_url: str
) -> None:
    with pytest.raises(Unavailable):
        await _operation_without_connection(server, postgres_url, lambda tx: tx.one(COUNT))
    assert await _until_it_works(lambda: emails(server)) == []


async def test_a_connection_that_ends_before_the_commit_is_an_outage(
    server: PostgresDatabase, postgres_url: str
) -> None:
    with pytest.raises(Unavailable):
        await _operation_without_connection(server, postgres_url, lambda _: asyncio.sleep(0))
    assert await _until_it_works(lambda: emails(server)) == []


async def test_a_connection_that_ends_before_a_lock_is_taken_is_an_outage(
    server: PostgresDatabase, postgres_url: str
) -> None:
    with pytest.raises(Unavailable):
        await _operation_without_connection(server, postgres_url, lambda tx: tx.lock("a name"))


async def test_a_lock_held_by_another_operation_is_not_granted(server: PostgresDatabase) -> None:
    async with server.write() as first, server.write() as other:
        assert (await first.lock("a name"), await other.lock("a name"), await other.lock("another")) == (
            True,
            False,
            True,
        )


async def test_an_unreachable_server_is_an_outage_that_ends_when_it_is_back(
    open_database: Open, postgres_url: str
) -> None:
    relay = _Relay(postgres_url)
    await relay.open()
    db = await open_database(relay.url)
    await add(db, "ada")
    await relay.close()
    outcomes = [await _outcome(add(db, "lost")) for _ in range(SIZE + 1)]
    await relay.open()
    assert (set(outcomes), await emails(db)) == ({Unavailable}, ["ada"])
    await db.close()
    await relay.close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://postgres@127.0.0.1:1/postgres",
        "postgresql://postgres@no-such-host.invalid/postgres",
        "postgresql://postgres@127.0.0.1:port/postgres",
    ],
)
async def test_a_wrong_url_is_reported_at_the_start(url: str) -> None:
    with pytest.raises(StartupError, match="Check LOOTKEEP_DATABASE_URL and that the server is running"):
        await PostgresDatabase.open(url, SIZE)


async def test_a_database_that_does_not_exist_is_reported_at_the_start(postgres_url: str) -> None:
    with pytest.raises(StartupError, match='database "nowhere" does not exist'):
        await PostgresDatabase.open(postgres_url.rsplit("/", 1)[0] + "/nowhere", SIZE)


async def test_the_session_names_itself_and_uses_utc(server: PostgresDatabase) -> None:
    names = ("application_name", "jit", "timezone")
    async with server.read() as tx:
        row = await tx.one(Query(select(*(func.current_setting(name) for name in names))))
    assert row == ("lootkeep", "off", "UTC")


class _Relay:
    """A relay to the server on its own port, which a test can block."""

    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self._listener: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []
        self._port = 0

    @property
    def url(self) -> str:
        user, _, _ = self._target.netloc.rpartition("@")
        return self._target._replace(netloc=f"{user}@127.0.0.1:{self._port}").geturl()

    async def open(self) -> None:
        self._listener = await asyncio.start_server(self._relay, "127.0.0.1", self._port)
        self._port = self._listener.sockets[0].getsockname()[1]

    async def close(self) -> None:
        assert self._listener
        self._listener.close()
        writers, self._writers = self._writers, []
        for writer in writers:
            writer.transport.abort()
        await self._listener.wait_closed()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(self._target.hostname, self._target.port)
        self._writers += (writer, far_writer)
        await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def _hold(db: PostgresDatabase, go_on: asyncio.Event) -> None:
    async with db.read() as tx:
        await tx.one(COUNT)
        await go_on.wait()


async def _operation_without_connection(
    db: PostgresDatabase, url: str, and_then: Callable[[Transaction], Awaitable[object]]
) -> None:
    async with db.write() as tx:
        await tx.run(ADD, email="lost")
        await _end_connections(url)
        await and_then(tx)


async def _sleep(db: PostgresDatabase) -> None:
    async with db.write() as tx:
        await tx.one(SLEEP)


async def _pid(db: PostgresDatabase) -> None:
    async with db.read() as tx:
        await tx.one(PID)


async def _empty_users(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("TRUNCATE users CASCADE")
    await connection.close()


async def _end_connections(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = 'lootkeep'"
    )
    await connection.close()


async def _outcome(operation: Awaitable[None]) -> type[BaseException] | None:
    try:
        await operation
    except Exception as error:
        return type(error)
    return None


async def _until_it_works(operation: Callable[[], Awaitable[list[str]]]) -> list[str]:
    """At most one try for each connection may meet one that has just died."""
    for _ in range(SIZE):
        try:
            return await operation()
        except Unavailable:
            continue
    return await operation()
