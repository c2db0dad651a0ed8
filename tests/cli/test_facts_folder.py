"""A folder of facts: when a month is final, what a killed export leaves, and what is rejected."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage.engine.database import Engine
from lootkeep.toolbox.facts.writing import export
from tests.cli.demo_store import loaded
from tests.cli.facts_store import answer, backtest, fill, rows_of
from tests.cli.import_store import ImportedStore
from tests.cli.terminal import Terminal

UNREADABLE = "The manifest.json of {} cannot be read: it is damaged, of another version, or not of facts."


async def test_a_month_is_written_again_until_its_outcomes_are_known_and_then_sealed(
    db: Engine, tmp_path: Path
) -> None:
    world, _ = await loaded(db)
    folder = tmp_path / "facts"
    first = await export(world.deps, folder, "none")
    assert 0 < first.sealed < len(first.months)
    again = await export(world.deps, folder, "none")
    assert list(again.months) == list(first.months)[first.sealed :]
    before = {file.name: file.stat().st_ino for file in folder.iterdir()}
    world.clock.advance(400 * DAY)
    assert set((await export(world.deps, folder, "none")).months) >= set(again.months)
    last = await export(world.deps, folder, "none")
    assert last.sealed >= len(first.months)
    assert set(last.months).isdisjoint(first.months)
    sealed = [f"orders-{month}.parquet" for month in list(first.months)[: first.sealed]]
    assert [(folder / name).stat().st_ino for name in sealed] == [before[name] for name in sealed]


async def test_the_outcome_of_a_young_order_is_not_known(db: Engine, tmp_path: Path) -> None:
    world, _ = await loaded(db)
    await export(world.deps, tmp_path / "facts", "none")
    ripe = Instant(world.clock.now() - 90 * DAY)
    select = f"SELECT epoch_us(checked_at) <= {ripe}, outcome IS NULL, truth_source, count(*) FROM orders GROUP BY ALL"
    for is_ripe, is_unknown, source, _ in rows_of(tmp_path / "facts", select):
        assert is_ripe is None or is_ripe or is_unknown or source == "review"


def test_a_sealed_month_that_was_altered_is_reported_and_written_again_once_it_is_removed(
    facts_store: ImportedStore,
) -> None:
    fill(facts_store)
    answer(facts_store, "export", "facts", "facts")
    file = facts_store.terminal.folder / "facts/orders-2024-04.parquet"
    original = file.read_bytes()
    file.write_bytes(original[:-1] + b"?")
    outcome = facts_store.terminal.call("export", "facts", "facts", **facts_store.settings)
    assert outcome.code == 1
    assert outcome.err.startswith("Error: These months were altered after they were sealed: 2024-04.")
    for command in (("backtest",), ("calibrate",), ("signals",)):
        refused = facts_store.terminal.call("fraud", *command, "facts", **facts_store.settings)
        assert "facts is not as it was written: 2024-04 was altered or removed." in refused.sentence
    file.unlink()
    assert answer(facts_store, "export", "facts", "facts")["months"].keys() == {"2024-04"}
    assert backtest(facts_store, "facts") == backtest(facts_store)


# Before a month is converted, before the manifest names it, and before the manifest has its name.
KILLED_AT = (
    "facts/writing.py:_convert:1",
    "facts/folder.py:write_manifest:2",
    "facts/writing.py:_convert:2",
    "kernel/files.py:synced:3",
)


def test_an_export_killed_at_many_points_leaves_whole_files_and_the_next_one_finishes(
    facts_store: ImportedStore,
) -> None:
    fill(facts_store)
    answer(facts_store, "export", "facts", "whole")
    folder = facts_store.terminal.folder / "facts"
    for mark in KILLED_AT:
        facts_store.terminal.killed_at(mark, "export", "facts", "facts", **facts_store.settings)
        for file in folder.glob("*.parquet"):
            assert duckdb.execute(f"SELECT count(*) > 0 FROM read_parquet('{file}')").fetchall() == [(True,)]
    answer(facts_store, "export", "facts", "facts")
    assert list(folder.glob(".*")) == []
    every = "SELECT * FROM orders ORDER BY order_id"
    assert rows_of(folder, every) == rows_of(folder.with_name("whole"), every)


def test_a_folder_is_of_one_kind_and_one_key(facts_store: ImportedStore) -> None:
    fill(facts_store)
    answer(facts_store, "export", "facts", "facts", "--personal", "hashed")
    outcome = facts_store.terminal.call("export", "facts", "facts", **facts_store.settings)
    assert outcome.sentence == "facts was written with --personal hashed: use the same, or a new folder."
    manifest = facts_store.terminal.folder / "facts/manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"hash_key": "other"}))
    outcome = facts_store.terminal.call("export", "facts", "facts", "--personal", "hashed", **facts_store.settings)
    assert outcome.sentence == "The hashes in facts were made with another secret key: use a new folder."


def test_an_existing_folder_that_cannot_be_written_gets_a_sentence(facts_store: ImportedStore) -> None:
    fill(facts_store)
    outcome = facts_store.terminal.call("export", "facts", "/proc/self", **facts_store.settings)
    assert outcome.sentence == "/proc/self cannot be written (No such file or directory)."


def test_facts_are_not_written_into_the_folder_of_an_exported_store(facts_store: ImportedStore) -> None:
    assert facts_store.terminal.call("export", "out", **facts_store.settings).code == 0
    before = {file: file.read_bytes() for file in (facts_store.terminal.folder / "out").iterdir()}
    outcome = facts_store.terminal.call("export", "facts", "out", **facts_store.settings)
    assert outcome.sentence == UNREADABLE.format("out")
    assert {file: file.read_bytes() for file in (facts_store.terminal.folder / "out").iterdir()} == before


def test_a_store_without_outcomes_has_nothing_to_judge(facts_store: ImportedStore) -> None:
    assert answer(facts_store, "export", "facts", "facts")["months"] == {}
    assert facts_store.terminal.call("fraud", "backtest", **facts_store.settings).sentence.startswith(
        "There is no order whose"
    )
    assert (
        facts_store.terminal.call("fraud", "backtest", "facts", **facts_store.settings).sentence
        == "facts has no orders."
    )
    (facts_store.terminal.folder / "facts/manifest.json").write_text("{]")
    outcome = facts_store.terminal.call("fraud", "signals", "facts", **facts_store.settings)
    assert outcome.sentence == UNREADABLE.format("facts")


def test_a_file_needs_its_label(terminal: Terminal) -> None:
    (terminal.folder / "past.csv").write_text("fraud\n1\n")
    outcome = terminal.call("fraud", "backtest", "past.csv")
    assert (outcome.code, outcome.sentence.split(":")[0]) == (2, "A file needs --label")


@pytest.mark.parametrize("arguments", [["export", "facts", "facts"], ["fraud", "signals", "facts"]])
def test_without_duckdb_a_sentence_says_what_to_do(tmp_path: Path, arguments: list[str]) -> None:
    """In its own process, where the package cannot be imported."""
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts/manifest.json").write_text("{}")
    code = (
        "import sys; sys.modules['duckdb'] = None\n"
        f"sys.argv = ['lootkeep', *{arguments}]\n"
        "from lootkeep import cli; cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: Facts are written and read with DuckDB, which is not installed here")
