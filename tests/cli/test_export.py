"""`lootkeep export`: the folder, its manifest, and what is not in it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lootkeep.kernel.clock import SECOND
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import metadata
from tests.cli.demo_store import loaded
from tests.cli.moved_store import settings
from tests.cli.terminal import Terminal
from tests.conftest import ENGINES, drop_postgres_database, new_postgres_database
from tests.world import NOON


@pytest.fixture(scope="module", params=ENGINES)
def location(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A small sample store on each engine, loaded once: it takes seconds."""
    if request.param == "sqlite":
        path = tmp_path_factory.mktemp("store") / "lootkeep.db"
        asyncio.run(_load(SqliteDatabase(path)))
        yield f"sqlite:///{path}"
        return
    admin, url = request.getfixturevalue("postgres_admin_url"), request.getfixturevalue("postgres_url")

    async def loaded_url() -> str:
        new = await new_postgres_database(admin, f"{url.rsplit('/', 1)[1]}_export")
        await _load(await PostgresDatabase.open(new, 1))
        return new

    location = asyncio.run(loaded_url())
    yield location
    asyncio.run(drop_postgres_database(admin, location))


async def _load(db: Engine) -> None:
    await migrations.upgrade(db)
    await loaded(db)
    await db.close()


@pytest.fixture
def store(location: str, terminal: Terminal) -> Terminal:
    terminal.settings = settings(location)
    return terminal


def records(folder: Path, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{table}.ndjson").read_text().splitlines()]


def test_an_export_has_every_table_with_public_values_and_its_checksum(store: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert store.call("export", str(folder)).code == 0
    manifest = json.loads((folder / "manifest.json").read_text())
    assert set(manifest["tables"]) == set(metadata.tables)
    for table, entry in manifest["tables"].items():
        content = (folder / f"{table}.ndjson").read_bytes()
        assert (content.count(b"\n"), hashlib.sha256(content).hexdigest()) == (entry["rows"], entry["sha256"])
    order = records(folder, "orders")[0]
    assert (order["total"][-3], order["created_at"][-1], order["metadata"]) == (".", "Z", {})
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "orders.ndjson")] == [0o700, 0o600]
    assert store.call("export", str(folder)).sentence.endswith("exists. Give another name.")


def test_a_folder_that_is_not_of_an_export_is_left_alone(store: Terminal, tmp_path: Path) -> None:
    own = tmp_path / "out.part" / "photos"
    own.mkdir(parents=True)
    (own.parent / "letter.txt").write_text("Dear Ann")
    refused = store.call("export", str(tmp_path / "out"))
    assert refused.sentence == f"{own.parent} exists and is not of an export. Move it away."
    assert set(own.parent.iterdir()) == {own, own.parent / "letter.txt"}


def test_a_part_has_only_what_was_asked_for(store: Terminal, tmp_path: Path) -> None:
    assert store.call("export", str(tmp_path / "one"), "--customer", "3").code == 0
    orders = records(tmp_path / "one", "orders")
    assert {order["customer_id"] for order in orders} == {3}
    ids = {order["id"] for order in orders}
    assert {item["order_id"] for item in records(tmp_path / "one", "order_items")} == ids
    assert not (tmp_path / "one" / "webhooks.ndjson").exists()
    few = ("--only", "orders, customers,", "--since", "2999-01-01")
    assert store.call("export", str(tmp_path / "few"), *few).code == 0
    assert {file.name for file in (tmp_path / "few").iterdir()} == {
        "manifest.json",
        "orders.ndjson",
        "customers.ndjson",
    }
    assert records(tmp_path / "few", "orders") == []
    misspelled = store.call("export", str(tmp_path / "no"), "--only", "ordrs")
    assert misspelled.sentence.startswith("There is no table ordrs. Did you mean orders?")
    nothing = store.call("export", str(tmp_path / "no"), "--only", " , ")
    assert nothing.sentence == "--only names no table: use it as in --only orders,customers."
    assert "is not a day like 2026-11-01." in store.call("export", str(tmp_path / "no"), "--since", "1.11.2026").err
    assert store.call("export", str(tmp_path / "no"), "--customer", "0").sentence == "There is no customer 0."
    assert not (tmp_path / "no").exists()


def test_records_since_a_day_have_the_lines_of_their_orders_and_no_others(store: Terminal, tmp_path: Path) -> None:
    since = f"{datetime.fromtimestamp(NOON / SECOND, UTC) - timedelta(days=30):%Y-%m-%d}"
    assert store.call("export", str(tmp_path / "new"), "--since", since).code == 0
    ids = {order["id"] for order in records(tmp_path / "new", "orders")}
    assert 0 < len(ids) < max(ids)
    assert {item["order_id"] for item in records(tmp_path / "new", "order_items")} == ids
