"""A folder that is not a whole exported store is rejected before anything is written, and secrets stay sealed."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest

from lootkeep.engines.vault import SealError, Vault
from lootkeep.storage.schema import metadata
from lootkeep.toolbox.moving.records import SECRETS
from tests.cli import moved_store
from tests.cli.moved_store import manifest, settings
from tests.cli.terminal import KEY, Terminal

Change = Callable[[Path], None]


@pytest.fixture
def store(terminal: Terminal) -> Terminal:
    moved_store.make(terminal.folder)
    terminal.settings = settings("sqlite:///lootkeep.db")
    return terminal


def _changed(**values: Any) -> Change:
    return lambda folder: _write(folder, json.dumps(manifest(folder) | values))


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


def test_secrets_are_in_an_export_only_if_asked_for_and_that_is_audited(store: Terminal, tmp_path: Path) -> None:
    secrets = _secrets(store)
    assert {table for table, _ in secrets} >= {"gift_cards", "product_keys", "webhooks"}
    assert store.call("export", str(tmp_path / "sealed")).code == 0
    text = "".join(file.read_text() for file in (tmp_path / "sealed").iterdir())
    assert [secret for secret in secrets | _sealed(store) if secret[1] in text] == []
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


def _sealed(store: Terminal) -> set[tuple[str, str]]:
    """Every sealed value of the store, in plain text."""
    vault, connection = Vault(KEY), apsw.Connection(str(store.folder / "lootkeep.db"))
    plain = set()
    for column in (column for table in metadata.sorted_tables for column in table.c if "purposes" in column.info):
        rows = connection.execute(f"SELECT {column.name} FROM {column.table.name} WHERE {column.name} <> ''")
        for (sealed,) in rows:
            for purpose in column.info["purposes"]:
                with suppress(SealError, ValueError):
                    plain.add((column.table.name, vault.open(str(sealed), purpose)))
    connection.close()
    return plain


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
