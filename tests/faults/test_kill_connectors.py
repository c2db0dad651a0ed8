"""Connectors, services and workers are killed again and again: every command is run once, or says that nobody knows."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.faults.kill_connectors import run

COMMANDS = 160
VICTIMS = ["connector"] * 6 + ["service"] * 2
WORKERS = ["worker"]
SEED = 11
UNKNOWN = (
    "The connector ended while this command ran. Nobody can know whether it was run: look in the game, then send it "
    "again or leave it."
)


@pytest.mark.timeout(900)
def test_no_kill_loses_a_command_or_runs_one_twice_and_the_unknown_ones_say_so(
    database_url: str, tmp_path: Path
) -> None:
    victims = VICTIMS + (WORKERS if database_url.startswith("postgres") else [])
    report = asyncio.run(run(database_url, tmp_path, victims, count=COMMANDS, seed=SEED))
    assert len(report.commands) == COMMANDS
    assert set(report.ran.values()) == {1}
    # Each is done, and then the game ran it, or nobody knows; nothing else has come of any.
    assert report.of("done") <= set(report.ran)
    assert report.of("done") | report.of("failed") == {command.text for command in report.commands}
    assert {command.reason for command in report.commands if command.status == "failed"} == {UNKNOWN}
    assert 0 < report.in_flight <= len(report.of("failed")) <= report.killed["connector"]
