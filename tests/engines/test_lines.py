"""The lines of requests and deliveries: which are written, when, and what is in them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lootkeep.engines.lines import SLOW_SECONDS, Lines, RequestLine

Captured = pytest.CaptureFixture[str]


def line(status: int = 200, path: str = "/api/external/v1/orders") -> RequestLine:
    return RequestLine(
        event="request", request_id="r1", method="GET", path=path, status=status, token_id=1, milliseconds=0.5
    )


def written(capture: Captured) -> list[dict[str, Any]]:
    return [json.loads(text) for text in capture.readouterr().err.splitlines()]


async def test_log_lines_of_successful_requests_are_batched(capsys: Captured) -> None:
    lines = Lines("info", "json")
    lines.write(line(), is_good=True)
    lines.write(line(), is_good=True)
    assert written(capsys) == []
    lines.flush()
    first, second = written(capsys)
    timestamp = first.pop("timestamp")
    assert first == {
        "event": "request",
        "level": "info",
        "method": "GET",
        "milliseconds": 0.5,
        "path": "/api/external/v1/orders",
        "request_id": "r1",
        "status": 200,
        "token_id": 1,
    }
    assert timestamp <= second["timestamp"]


async def test_a_failure_is_logged_at_once_after_the_batched_lines(capsys: Captured) -> None:
    lines = Lines("info", "json")
    lines.write(line(200), is_good=True)
    lines.write(line(500), is_good=False)
    assert [row["status"] for row in written(capsys)] == [200, 500]


async def test_a_full_batch_of_lines_is_written_at_once(capsys: Captured) -> None:
    lines = Lines("info", "json")
    for _ in range(500):
        lines.write(line(), is_good=True)
    assert len(written(capsys)) == 500


@pytest.mark.parametrize(
    ("chance", "is_good", "seconds", "is_written"),
    [
        (0.09, True, 0.01, True),
        (0.11, True, 0.01, False),
        (0.11, False, 0.01, True),
        (0.11, True, SLOW_SECONDS, True),
    ],
    ids=["drawn", "not drawn", "failed", "slow"],
)
def test_failures_and_slow_work_are_logged_at_any_sampling_rate(
    chance: float, is_good: bool, seconds: float, is_written: bool
) -> None:
    lines = Lines("info", "json", 0.1, chance=lambda: chance)
    assert lines.wants(is_good=is_good, seconds=seconds) is is_written


async def test_a_sampled_line_says_how_many_it_represents(capsys: Captured) -> None:
    lines = Lines("info", "json", 0.1)
    lines.write(line(), is_good=True)
    slow = line()
    slow.milliseconds = SLOW_SECONDS * 1000
    lines.write(slow, is_good=True)
    lines.write(line(500), is_good=False)
    assert [row.get("sample") for row in written(capsys)] == [0.1, None, None]


@pytest.mark.parametrize("level", ["warning", "error"])
def test_no_lines_are_written_above_the_info_level(level: str) -> None:
    assert not Lines(level, "json").wants(is_good=False, seconds=60)


async def test_a_terminal_gets_readable_lines(capsys: Captured) -> None:
    Lines("info", "console").write(line(), is_good=True)
    # Nothing is set up here, so it goes where structlog writes by itself.
    output = capsys.readouterr().out
    assert "request" in output
    assert "/api/external/v1/orders" in output
    assert "{" not in output


async def test_a_path_cannot_inject_a_log_line(capsys: Captured) -> None:
    lines = Lines("info", "json")
    lines.write(line(path='/api/\n{"event":"request"}\x1b[31m\ufffdü'), is_good=False)
    (row,) = written(capsys)
    assert row["path"] == '/api/\n{"event":"request"}\x1b[31m\ufffdü'
