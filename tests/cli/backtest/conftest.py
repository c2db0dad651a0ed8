"""Fixture: runs the backtest command."""

from __future__ import annotations

import pytest

from tests.cli.backtest.runs import BacktestRun
from tests.cli.terminal import Terminal


@pytest.fixture
def run(terminal: Terminal) -> BacktestRun:
    return BacktestRun(terminal)
