"""`lootkeep export`: the folder, its manifest, and what is not in it."""

from __future__ import annotations

import hashlib
import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lootkeep.storage.schema import metadata
from tests.cli.terminal import KEY, Terminal
from tests.conftest import ENGINES


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, terminal: Terminal) -> Terminal:
    """The sample store."""
    if request.param == "postgresql":
        terminal.settings = {"database_url": request.getfixturevalue("new_postgres_url"), "secret_key": KEY}
        terminal.run("migrate")
    assert terminal.run("demo", "load", "--scale", "small").code == 0
    return terminal


def records(folder: Path, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{table}.ndjson").read_text().splitlines()]


def test_an_export_has_every_table_with_public_values_and_its_checksum(store: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert store.run("export", str(folder)).code == 0
    manifest = json.loads((folder / "manifest.json").read_text())
    assert set(manifest["tables"]) == set(metadata.tables)
    for table, entry in manifest["tables"].items():
        content = (folder / f"{table}.ndjson").read_bytes()
        assert (content.count(b"\n"), hashlib.sha256(content).hexdigest()) == (entry["rows"], entry["sha256"])
    order = records(folder, "orders")[0]
    assert (order["total"][-3], order["created_at"][-1], order["metadata"]) == (".", "Z", {})
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "orders.ndjson")] == [0o700, 0o600]
    assert store.run("export", str(folder)).sentence.endswith("exists. Give another name.")


def test_a_part_has_only_what_was_asked_for(store: Terminal, tmp_path: Path) -> None:
    assert store.run("export", str(tmp_path / "one"), "--customer", "3").code == 0
    orders = records(tmp_path / "one", "orders")
    assert {order["customer_id"] for order in orders} == {3}
    ids = {order["id"] for order in orders}
    assert {item["order_id"] for item in records(tmp_path / "one", "order_items")} == ids
    assert not (tmp_path / "one" / "webhooks.ndjson").exists()
    assert store.run("export", str(tmp_path / "few"), "--only", "orders,customers", "--since", "2999-01-01").code == 0
    assert {file.name for file in (tmp_path / "few").iterdir()} == {
        "manifest.json",
        "orders.ndjson",
        "customers.ndjson",
    }
    assert records(tmp_path / "few", "orders") == []
    assert store.run("export", str(tmp_path / "no"), "--only", "ordrs").sentence.startswith("There is no table ordrs.")


def test_records_since_a_day_have_the_lines_of_their_orders_and_no_others(store: Terminal, tmp_path: Path) -> None:
    since = f"{datetime.now(UTC) - timedelta(days=30):%Y-%m-%d}"
    assert store.run("export", str(tmp_path / "new"), "--since", since).code == 0
    ids = {order["id"] for order in records(tmp_path / "new", "orders")}
    assert 0 < len(ids) < max(ids)
    assert {item["order_id"] for item in records(tmp_path / "new", "order_items")} == ids
