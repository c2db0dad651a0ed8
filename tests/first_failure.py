"""Shows the first test that fails at once, while the others go on: a whole run takes minutes."""

from __future__ import annotations

import pytest


class FirstFailure:
    """Where the results of all processes arrive."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal
        self._is_shown = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self._is_shown:
            self._is_shown = True
            self._terminal.write_line("")
            self._terminal.section(f"first failure: {report.nodeid}", red=True)
            report.toterminal(self._terminal._tw)
