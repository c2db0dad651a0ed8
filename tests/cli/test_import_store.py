"""A folder that is not a whole exported store is rejected before anything is written, and secrets stay sealed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from sqlalchemy import Integer

from lootkeep.engines.vault import Vault
from lootkeep.storage.schema import metadata
from lootkeep.toolbox.moving.records import SECRETS
from tests.cli import moved_store
from tests.cli.moved_store import dump, manifest, settings
from tests.cli.terminal import KEY, Terminal
from tests.conftest import ENGINES
from tests.disk import small_files

Change = Callable[[Path], None]


@pytest.fixture
def store(terminal: Terminal) -> Terminal:
    moved_store.make(terminal.folder)
    terminal.settings = settings("sqlite:///lootkeep.db")
    return terminal


def _changed(**values: Any) -> Change:
    return lambda folder: _write(folder, json.dumps(manifest(folder) | values))


def _with_rows(count: int) -> Change:
    def change(folder: Path) -> None:
        tables = manifest(folder)["tables"]
        tables["orders"]["rows"] = count
        _changed(tables=tables)(folder)

    return change


def _write(folder: Path, text: str) -> None:
    (folder / "manifest.json").write_text(text)


def _cut(folder: Path) -> None:
    file = folder / "orders.ndjson"
    file.write_bytes(file.read_bytes()[:-1])


BAD: dict[str, Change] = {
    "its checksum differs": _cut,
    "orders.ndjson is missing": lambda folder: (folder / "orders.ndjson").unlink(),
    "it has no manifest.json": lambda folder: (folder / "manifest.json").unlink(),
    "of another program": lambda folder: _write(folder, "[1]"),
    "exported by a newer Lootkeep": lambda folder: _write(folder, '{"format": 2}'),
    "with other tables": _changed(tables_version="dev-0"),
    "only a part of a store (--since)": _changed(selection={"since": 1}),
    "names tables that a store does not have": _changed(last_ids={"planets": 1}),
    "it is damaged": _changed(last_ids={"orders": 2**63}),
    "but the manifest says 1,000,000": _with_rows(1_000_000),
}


def test_a_folder_that_cannot_be_imported_gets_a_sentence_and_nothing_is_written(
    store: Terminal, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    assert store.call("export", str(folder)).code == 0
    files = {file: file.read_bytes() for file in folder.iterdir()}
    store.settings = settings("sqlite:///new.db")
    for words, change in BAD.items():
        change(folder)
        done = store.call("import", "store", str(folder))
        assert (done.code, words in done.err) == (1, True), done.err
        for file, content in files.items():
            file.write_bytes(content)
    other = store.call("import", "store", str(folder), secret_key="another-secret-key-of-32-characters!")
    assert "This is not the secret key" in other.err
    assert not list(tmp_path.glob("new.db*"))
    assert store.call("import", "store", str(folder)).code == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_an_imported_store_never_gives_out_an_id_again(
    engine: str, store: Terminal, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = tmp_path / "out"
    assert store.call("export", str(folder)).code == 0
    _changed(last_ids={"customers": 1})(folder)
    url = "sqlite:///new.db" if engine == "sqlite" else request.getfixturevalue("new_postgres_url")
    store.settings = settings(url)
    assert store.call("import", "store", str(folder)).code == 0
    last_ids = dump(store, tmp_path / "again")[1]
    for table in ("customers", "orders"):
        lines = (folder / f"{table}.ndjson").read_bytes().splitlines()
        assert last_ids[table] == max(json.loads(line)["id"] for line in lines)


def test_an_import_that_is_interrupted_while_it_recounts_is_complete(store: Terminal, tmp_path: Path) -> None:
    assert store.call("export", str(tmp_path / "out")).code == 0
    store.settings = settings("sqlite:///new.db")
    done = store.interrupted_at("services/recount.py:check_database:1", "import", "store", str(tmp_path / "out"))
    assert (done.code, "The store is complete; only the recount was interrupted." in done.err) == (130, True), done
    assert store.call("token", "list").code == 0


def test_a_disk_without_room_is_reported_in_a_sentence_and_leaves_nothing(store: Terminal, tmp_path: Path) -> None:
    folder, backup = tmp_path / "out", tmp_path / "store.backup"
    assert (store.call("export", str(folder)).code, store.call("backup", str(backup)).code) == (0, 0)
    before = set(tmp_path.iterdir())
    # An empty database has more.
    with small_files(600_000):
        store.settings = settings("sqlite:///new.db")
        imported = store.call("import", "store", str(folder)).sentence
        restored = store.call("restore", str(backup)).sentence
    assert imported.startswith("The new database failed: ")
    assert restored.startswith("There is no room for the files on the disk.")
    assert set(tmp_path.iterdir()) == before


def test_secrets_are_in_an_export_only_if_asked_for_and_that_is_audited(store: Terminal, tmp_path: Path) -> None:
    secrets = _secrets(store)
    assert {table for table, _ in secrets} >= {"gift_cards", "product_keys", "webhooks"}
    assert store.call("export", str(tmp_path / "sealed")).code == 0
    text = "".join(file.read_text() for file in (tmp_path / "sealed").iterdir())
    assert [secret for secret in secrets if secret[1] in text] == []
    assert store.run("export", str(tmp_path / "no"), "--with-secrets").code == 1
    assert not (tmp_path / "no").exists()
    assert store.call("export", str(tmp_path / "plain"), "--with-secrets", "--yes-write-secrets").code == 0
    assert [secret for secret in secrets if secret[1] not in _text(tmp_path / "plain" / f"{secret[0]}.ndjson")] == []
    log = _text(tmp_path / "plain" / "audit_log.ndjson")
    assert log.count("Export the store with its secrets") == 1
    # The plain values are for people: the sealed ones are imported.
    store.settings = settings("sqlite:///new.db")
    assert store.call("import", "store", str(tmp_path / "plain")).code == 0
    assert _secrets(store, "new.db") == secrets


def test_a_canary_in_every_sealed_column_is_readable_only_where_secrets_are_asked_for(
    store: Terminal, tmp_path: Path
) -> None:
    canaries = _plant(store)
    token = store.call("token", "create", "--name", "n", "--all-scopes", "--quiet").out.strip()
    assert store.call("export", str(tmp_path / "sealed")).code == 0
    text = "".join(file.read_text() for file in (tmp_path / "sealed").iterdir())
    assert [secret for secret in (*canaries.values(), token) if secret in text] == []
    assert store.call("export", str(tmp_path / "plain"), "--with-secrets", "--yes-write-secrets").code == 0
    text = "".join(file.read_text() for file in (tmp_path / "plain").iterdir())
    taken = {f"{table}.{column}" for table, columns in SECRETS.items() for column in columns}
    assert {name for name, canary in canaries.items() if canary in text} == taken
    assert token not in text


def _plant(store: Terminal) -> dict[str, str]:
    """A secret of its own in every row of every sealed column of the schema, and in the settings, by its name."""
    vault, connection = Vault(KEY), apsw.Connection(str(store.folder / "lootkeep.db"))
    for pragma in ("foreign_keys = OFF", "ignore_check_constraints = ON"):
        connection.execute(f"PRAGMA {pragma}")
    columns = [column for table in metadata.sorted_tables for column in table.c if "purposes" in column.info]
    canaries = {f"{column.table.name}.{column.name}": f"canary-{number}-qzxj" for number, column in enumerate(columns)}
    for column, canary in zip(columns, canaries.values(), strict=True):
        table = column.table
        if not connection.execute(f"SELECT count(*) FROM {table.name}").get:
            values = [1 if isinstance(each.type, Integer) else "1" for each in table.c]
            connection.execute(f"INSERT INTO {table.name} VALUES ({', '.join('?' * len(values))})", values)
        sealed = vault.seal(canary, column.info["purposes"][0])
        connection.execute(f"UPDATE {table.name} SET {column.name} = ?", (sealed,))
        assert connection.changes()
    canaries["settings.smtp_url"] = "smtp://canary:qzxj@mail.example:25"
    value = json.dumps({"values": {"smtp_url": vault.seal(canaries["settings.smtp_url"], "setting")}})
    connection.execute("INSERT OR REPLACE INTO settings VALUES ('store', 9, ?, 1)", (value,))
    connection.close()
    return canaries


def _text(file: Path) -> str:
    return file.read_text()


def _secrets(store: Terminal, name: str = "lootkeep.db") -> set[tuple[str, str]]:
    """Every sealed value that an export can open, in plain text."""
    vault, connection = Vault(KEY), apsw.Connection(str(store.folder / name))
    plain = set()
    for table, columns in SECRETS.items():
        for column, purpose in columns.items():
            for (sealed,) in connection.execute(f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL"):
                plain.add((table, vault.open(str(sealed), purpose)))
    connection.close()
    return plain
