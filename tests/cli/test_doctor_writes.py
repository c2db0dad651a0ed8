"""`lootkeep doctor` finds a database that can be read but not written."""

from __future__ import annotations

import apsw

from tests.cli.terminal import KEY, CommandResult, Terminal
from tests.disk import full_disk

SENTENCE = "The database answers, but nothing can be written. Check that its disk is not full"


def test_doctor_finds_a_full_disk(terminal: Terminal) -> None:
    terminal.call("migrate")
    file = terminal.folder / "lootkeep.db"
    # As a server that runs: it has the file open, so its log stays there.
    server = apsw.Connection(str(file))
    for number in range(20):
        server.execute("INSERT INTO settings (name, version, value, updated_at) VALUES (?, 0, '', 0)", (str(number),))
    with full_disk(file):
        during = terminal.call("doctor")
    after = terminal.call("doctor")
    server.close()
    assert (during.code, SENTENCE in database_line(during)) == (2, True)
    assert database_line(after).startswith("ok")


def test_doctor_finds_a_read_only_server(terminal: Terminal, postgres_url: str) -> None:
    url = f"{postgres_url}?default_transaction_read_only=on"
    outcome = terminal.call("doctor", database_url=url, secret_key=KEY)
    assert (outcome.code, SENTENCE in database_line(outcome)) == (2, True)


def database_line(outcome: CommandResult) -> str:
    (line,) = [line for line in outcome.out.splitlines() if line[9:].startswith("database")]
    return line
