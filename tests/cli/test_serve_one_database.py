"""`lootkeep serve` on an embedded database that another process serves or has locked."""

from __future__ import annotations

import re

import apsw
import httpx

from tests.cli.terminal import SECONDS, Terminal, served


def test_a_second_server_on_the_same_database_says_so(terminal: Terminal) -> None:
    with terminal.serving() as server:
        port = server.url.rsplit(":", 1)[1]
        second = [terminal.run("serve", "--port", number) for number in ("0", port)]
        assert httpx.get(f"{server.url}/healthz", timeout=SECONDS).status_code == 200
    sentence = (
        f"Another process already serves {terminal.database}, and an embedded database has only one. "
        "Stop that process first, or set LOOTKEEP_DATABASE_URL to another database."
    )
    assert [(outcome.code, outcome.sentence) for outcome in second] == [(1, sentence)] * 2


def test_a_server_follows_one_that_was_killed(terminal: Terminal) -> None:
    with terminal.serving() as server:
        server.process.kill()
        server.process.wait(SECONDS)
    with terminal.serving() as server:
        assert httpx.get(f"{server.url}/healthz", timeout=SECONDS).status_code == 200


def test_a_server_waits_for_a_database_that_another_process_has_locked(terminal: Terminal) -> None:
    terminal.call("migrate")
    other = apsw.Connection(terminal.database)
    other.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").fetchall()
    process = terminal.start("serve", "--port", "0")
    assert process.stdout
    waits = process.stdout.readline()
    other.close()
    with served(process) as server:
        assert httpx.get(f"{server.url}/healthz", timeout=SECONDS).status_code == 200
    assert waits == "The database lootkeep.db is locked by another process. The server waits for it.\n"


def test_a_server_waits_for_the_end_of_a_long_write(terminal: Terminal) -> None:
    terminal.call("migrate")
    other = apsw.Connection(terminal.database)
    other.execute("BEGIN IMMEDIATE")
    process = terminal.start("serve", "--port", "0")
    assert process.stdout
    waits = process.stdout.readline()
    other.close()
    with served(process) as server:
        assert re.match(r"lk_", server.token)
    assert waits == "Another process has locked the database. The server waits for it.\n"
