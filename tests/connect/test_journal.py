"""The journal of a connector: what it remembers, forgets, and does with a file that it cannot use."""

from __future__ import annotations

from pathlib import Path

import pytest

from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.connect.journal import Journal, Outcome


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rcon.journal"


def reopened(journal: Journal, path: Path) -> Journal:
    journal.close()
    return Journal(path)


def test_it_remembers_what_ran_over_restarts(path: Path) -> None:
    journal = Journal(path)
    journal.begin(7, "say hi")
    journal.end(7, Outcome(True, "hi"))
    journal = reopened(journal, path)
    assert journal.unreported() == [(7, Outcome(True, "hi"))]
    journal.mark_reported([7])
    journal = reopened(journal, path)
    assert journal.unreported() == []
    assert journal.must_not_run(7, "say hi")
    assert not journal.must_not_run(7, "say something else")
    journal.close()


def test_a_failure_that_the_store_knows_may_run_again(path: Path) -> None:
    journal = Journal(path)
    for command_id, retry in ((1, True), (2, False)):
        journal.begin(command_id, "say hi")
        journal.end(command_id, Outcome(False, "no", retry))
    assert journal.must_not_run(1, "say hi")
    journal.mark_reported([1, 2])
    assert not journal.must_not_run(1, "say hi")
    assert journal.must_not_run(2, "say hi")
    journal.close()


def test_a_line_that_was_being_written_is_dropped(path: Path) -> None:
    journal = Journal(path)
    journal.begin(7, "say hi")
    journal.close()
    path.write_bytes(path.read_bytes() + b'{"id":8,"te')
    journal = Journal(path)
    assert [command_id for command_id, _ in journal.unreported()] == [7]
    assert b'"te' + b"\n" not in path.read_bytes()
    journal.close()


def test_the_file_is_bounded_and_keeps_what_was_not_reported(path: Path) -> None:
    journal = Journal(path)
    journal.begin(1, "say hi")
    journal.end(1, Outcome(True))
    # As a connector writes that has worked for a year.
    line = '{{"id":{},"text":"c3a5","outcome":{{"ok":true}},"is_reported":true}}\n'
    with path.open("a") as file:
        file.writelines(line.format(command_id) for command_id in range(2, 30_000))
    journal = reopened(journal, path)
    assert len(path.read_bytes().splitlines()) == 10_001
    assert [command_id for command_id, _ in journal.unreported()] == [1]
    journal.close()


def test_two_connectors_do_not_share_a_journal(path: Path) -> None:
    journal = Journal(path)
    with pytest.raises(StartupError, match="Another connector uses the journal"):
        Journal(path)
    journal.close()


def test_a_file_of_something_else_is_left_alone(path: Path) -> None:
    path.write_text("shopping list\n")
    with pytest.raises(StartupError, match="was not written by `lootkeep connect`"):
        Journal(path)
    assert path.read_text() == "shopping list\n"


def test_a_folder_that_does_not_exist_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StartupError, match="cannot be used: No such file or directory"):
        Journal(tmp_path / "nowhere" / "rcon.journal")
