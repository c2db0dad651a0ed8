"""A store that was exported and imported, or moved, is the same store on either engine."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import httpx
import pytest

from bench.data import EVIDENCE, make_sqlite
from lootkeep.storage.transfer.tables import BATCH, FIELDS
from tests.cli import moved_store
from tests.cli.moved_store import dump, settings
from tests.cli.terminal import SECONDS, Serving, Terminal

CUSTOMERS = "/api/store/v1/customers"
WRITERS = 4
READERS = 2
MANY_ORDERS = 5_000
# How many orders PostgreSQL plans for.
_ESTIMATE = "SELECT reltuples FROM pg_class WHERE relname = 'orders'"
_INDEXES_AND_CONSTRAINTS = """SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' UNION ALL
SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = 'public'::regnamespace ORDER BY 1"""
# Those that ANALYZE makes begin with `sqlite_`.
_SQLITE_SCHEMA = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"


@pytest.fixture
def store(terminal: Terminal) -> Terminal:
    moved_store.make(terminal.folder)
    terminal.settings = settings("sqlite:///lootkeep.db")
    return terminal


def test_an_exported_store_is_the_same_after_an_import_into_the_other_engine_and_back(
    store: Terminal, tmp_path: Path, new_postgres_url: str
) -> None:
    first = dump(store, tmp_path / "first")
    store.settings = settings(new_postgres_url)
    done = store.call("import", "store", str(tmp_path / "first"))
    assert (done.code, done.out.splitlines()[-1]) == (0, "Every maintained total equals a recount."), done.err
    assert dump(store, tmp_path / "second") == first
    again = store.call("import", "store", str(tmp_path / "first"))
    assert again.sentence.startswith("The database is not empty")
    store.settings = settings("sqlite:///again.db")
    assert store.call("import", "store", str(tmp_path / "second")).code == 0
    assert dump(store, tmp_path / "third") == first
    assert store.call("import", "store", str(tmp_path / "second")).sentence.startswith("again.db exists.")


def test_a_moved_store_is_the_same_on_the_other_engine_and_back(
    store: Terminal, tmp_path: Path, new_postgres_url: str
) -> None:
    first = dump(store, tmp_path / "first")
    there = store.call("move", "--to", new_postgres_url, "--yes")
    assert (there.code, "LOOTKEEP_DATABASE_URL" in there.out) == (0, True), there.err
    assert "was moved to postgresql://" in store.call("serve", "--port", "0").sentence
    assert "was moved to postgresql://" in store.call("move", "--to", "sqlite:///x.db", "--yes").sentence
    store.settings = settings(new_postgres_url)
    assert dump(store, tmp_path / "second") == first
    assert store.call("move", "--to", new_postgres_url, "--yes").sentence.startswith("The store is already there")
    assert store.call("move", "--to", "sqlite:///back.db", "--yes").code == 0
    assert f"was moved to sqlite:///{store.folder.resolve() / 'back.db'}" in store.call("serve", "--port", "0").sentence
    store.settings = settings("sqlite:///back.db")
    assert dump(store, tmp_path / "third") == first


def test_queries_of_an_imported_and_of_a_moved_store_are_planned_with_statistics(
    store: Terminal, tmp_path: Path, new_postgres_url: str
) -> None:
    orders = len(dump(store, tmp_path / "first")[0]["orders"]) - 1
    store.settings = settings(new_postgres_url)
    assert store.call("import", "store", str(tmp_path / "first")).code == 0
    assert asyncio.run(_fetched(new_postgres_url, _ESTIMATE)) == [orders]
    assert store.call("move", "--to", "sqlite:///moved.db", "--yes").code == 0
    connection = apsw.Connection(str(store.folder / "moved.db"))
    # The first number of an index is how many rows it has.
    assert connection.execute("SELECT max(CAST(stat AS INTEGER)) FROM sqlite_stat1 WHERE tbl = 'orders'").get == orders


def test_an_imported_store_has_every_index_and_constraint(
    store: Terminal, tmp_path: Path, new_postgres_url: str
) -> None:
    assert store.call("migrate", database_url=new_postgres_url).code == 0
    before = asyncio.run(_fetched(new_postgres_url, _INDEXES_AND_CONSTRAINTS))
    assert store.call("export", str(tmp_path / "out")).code == 0
    assert store.call("import", "store", str(tmp_path / "out"), database_url=new_postgres_url).code == 0
    assert asyncio.run(_fetched(new_postgres_url, _INDEXES_AND_CONSTRAINTS)) == before
    assert len(before) > len(FIELDS)


def test_an_imported_embedded_store_has_every_index_and_trigger_and_its_search(store: Terminal, tmp_path: Path) -> None:
    assert store.call("export", str(tmp_path / "out")).code == 0
    assert store.call("import", "store", str(tmp_path / "out"), database_url="sqlite:///new.db").code == 0
    before, after = (apsw.Connection(str(store.folder / name)) for name in ("lootkeep.db", "new.db"))
    assert after.execute(_SQLITE_SCHEMA).fetchall() == before.execute(_SQLITE_SCHEMA).fetchall()
    searches = after.execute("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE %'").fetchall()
    assert len(searches) > 1
    for (name,) in searches:
        # Raises if the index differs from the texts of its table.
        after.execute(f"INSERT INTO {name} ({name}, rank) VALUES ('integrity-check', 1)")


def test_a_large_store_is_the_same_after_an_export_an_import_and_a_move(
    terminal: Terminal, tmp_path: Path, new_postgres_url: str
) -> None:
    """With thousands of orders, each table has many batches."""
    asyncio.run(make_sqlite(terminal.folder / "lootkeep.db", EVIDENCE, MANY_ORDERS))
    terminal.settings = settings("sqlite:///lootkeep.db")
    first = dump(terminal, tmp_path / "first")
    assert len(first[0]["orders"]) > MANY_ORDERS > 2 * BATCH
    terminal.settings = settings(new_postgres_url)
    assert terminal.call("import", "store", str(tmp_path / "first")).code == 0
    assert dump(terminal, tmp_path / "second") == first
    assert terminal.call("move", "--to", "sqlite:///back.db", "--yes").code == 0
    terminal.settings = settings("sqlite:///back.db")
    assert dump(terminal, tmp_path / "third") == first


def test_a_text_that_postgresql_cannot_store_stops_the_move_before_anything_is_lost(
    store: Terminal, new_postgres_url: str
) -> None:
    connection = apsw.Connection(str(store.folder / "lootkeep.db"))
    connection.execute("UPDATE customers SET name = ? WHERE id = 2", ("a\0b",))
    connection.close()
    assert "the character NUL" in store.call("move", "--to", new_postgres_url, "--yes").sentence
    assert store.call("token", "list").code == 0
    assert store.call("migrate", database_url=new_postgres_url).code == 0


def test_a_database_that_cannot_take_the_store_is_refused_before_anyone_is_asked(
    store: Terminal, new_postgres_url: str
) -> None:
    assert store.call("migrate", database_url=new_postgres_url).code == 0
    assert store.call("token", "create", "--name", "x", "--all-scopes", database_url=new_postgres_url).code == 0
    (store.folder / "taken.db").touch()
    assert store.call("move", "--to", new_postgres_url).sentence.startswith("The database is not empty")
    assert store.call("move", "--to", "sqlite:///taken.db").sentence.startswith("taken.db exists.")
    assert store.call("move", "--to", "postgresql://127.0.0.1:1/x").sentence.startswith("PostgreSQL cannot be reached")


async def test_a_store_that_is_moved_under_load_loses_nothing_that_was_acknowledged(
    terminal: Terminal, new_postgres_url: str
) -> None:
    """To PostgreSQL and back, each time while customers are created and read."""
    urls = itertools.pairwise(("sqlite:///lootkeep.db", new_postgres_url, "sqlite:///back.db"))
    acknowledged: set[str] = set()
    token = ""
    for source, target in urls:
        terminal.settings = {**settings(source), "rate_limit_per_minute": "0", "log_level": "error"}
        with terminal.serving() as server:
            token = token or server.token
            reads, writes = await _moved_under_load(terminal, server, token, target, acknowledged)
            assert set(reads) == {200}
            assert set(writes) == {201, 503}
            response = await asyncio.to_thread(_create, server, token, "late@mail.example")
            assert (response.status_code, "Retry-After" in response.headers) == (503, True)
            assert response.json()["code"] == "service_unavailable"
    terminal.settings = settings("sqlite:///back.db")
    assert terminal.run("export", "out", "--only", "customers").code == 0
    lines = (terminal.folder / "out" / "customers.ndjson").read_text().splitlines()
    assert acknowledged <= {json.loads(line)["email"] for line in lines}


async def _moved_under_load(
    terminal: Terminal, server: Serving, token: str, target: str, acknowledged: set[str]
) -> tuple[Counter[int], Counter[int]]:
    """How often which status was answered, to reads and to writes, from before the move until after it."""
    begun, over = asyncio.Event(), asyncio.Event()
    reads, writes = Counter[int](), Counter[int]()

    async def write(writer: int) -> None:
        async with httpx.AsyncClient(base_url=server.url, headers=_bearer(token), timeout=SECONDS) as http:
            for number in itertools.count():
                email = f"c{writer}-{number}-{target[:6]}@mail.example"
                response = await http.post(CUSTOMERS, json={"email": email, "name": "Ann"})
                writes[response.status_code] += 1
                if response.is_success:
                    acknowledged.add(email)
                    if number > 10:
                        begun.set()
                elif over.is_set():
                    return

    async def read() -> None:
        async with httpx.AsyncClient(base_url=server.url, headers=_bearer(token), timeout=SECONDS) as http:
            while not over.is_set():
                reads[(await http.get(f"{CUSTOMERS}/1")).status_code] += 1

    clients = [asyncio.create_task(write(writer)) for writer in range(WRITERS)]
    await begun.wait()
    clients += [asyncio.create_task(read()) for _ in range(READERS)]
    done = await asyncio.to_thread(terminal.run, "move", "--to", target, "--yes")
    over.set()
    await asyncio.gather(*clients)
    assert done.code == 0, done.err
    return reads, writes


async def _fetched(url: str, query: str) -> list[Any]:
    """The first column."""
    connection = await asyncpg.connect(url)
    try:
        return [row[0] for row in await connection.fetch(query)]
    finally:
        await connection.close()


def _create(server: Serving, token: str, email: str) -> httpx.Response:
    body = {"email": email, "name": "Late"}
    return httpx.post(f"{server.url}{CUSTOMERS}", headers=_bearer(token), json=body, timeout=SECONDS)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
