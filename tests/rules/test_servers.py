"""The command that starts servers for the tests finds the right programs and passes on exit codes."""

import os
import subprocess
import sys
from pathlib import Path

from tests.programs import newest_postgres
from tests.servers import POSTGRES_URL, REDIS_URL

GIVEN = {POSTGRES_URL: "postgresql://given/postgres", REDIS_URL: "redis://given/0"}


def test_the_newest_postgres_is_chosen_by_number_and_not_by_name(tmp_path: Path) -> None:
    folders = [_programs(tmp_path, version) for version in ("9.6.24", "17beta1", "15.3")]

    assert newest_postgres(folders) == tmp_path / "17beta1"


def test_a_postgres_that_is_too_old_is_not_used(tmp_path: Path) -> None:
    assert newest_postgres([_programs(tmp_path, "12.19")]) is None


def test_a_folder_without_initdb_is_not_a_server(tmp_path: Path) -> None:
    folder = _programs(tmp_path, "16.2")
    (folder / "initdb").unlink()

    assert newest_postgres([folder]) is None


def test_servers_named_in_the_environment_are_used_as_they_are() -> None:
    outcome = _lend("sh", "-c", f"echo ${POSTGRES_URL} ${REDIS_URL}")

    assert outcome.stdout.split() == list(GIVEN.values())


def test_the_exit_code_of_the_command_is_passed_on() -> None:
    assert _lend("sh", "-c", "exit 7").returncode == 7


def test_a_missing_command_is_reported_without_a_traceback() -> None:
    outcome = _lend("no-such-command")

    assert (outcome.returncode, outcome.stderr) == (
        1,
        "no-such-command cannot be run: No such file or directory.\n",
    )


def _programs(parent: Path, version: str) -> Path:
    folder = parent / version
    folder.mkdir()
    for name in ("postgres", "initdb"):
        (folder / name).write_text(f"#!/bin/sh\necho '{name} (PostgreSQL) {version} (Debian)'\n")
        (folder / name).chmod(0o755)
    return folder


def _lend(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.servers", "--", *command],
        env=os.environ | GIVEN,
        capture_output=True,
        text=True,
        check=False,
    )
