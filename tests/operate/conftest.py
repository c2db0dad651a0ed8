"""Fixtures: a real service for the tests of alerts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli import terminal
from tests.cli.terminal import Serving

# Nobody listens there: mail servers do not take connections on this port.
NO_MAIL_SERVER = "smtp://127.0.0.1:9"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One that may call receivers on this machine, and whose mail server is gone."""
    folder: Path = tmp_path_factory.mktemp("service")
    settings = {"smtp_url": NO_MAIL_SERVER, "mail_from": "shop@store.example", "log_level": "error"}
    started = terminal.start(folder, terminal.environment(settings), "serve", "--port", "0", "--dev")
    with terminal.served(started) as server:
        yield server
