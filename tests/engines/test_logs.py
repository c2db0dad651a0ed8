"""Log lines: fields named like a secret are hidden, exceptions have their traceback."""

from __future__ import annotations

import json
import logging

import pytest
import structlog

from lootkeep.engines import logs


@pytest.fixture
def _configured() -> None:
    logs.configure("info", "json")


@pytest.mark.usefixtures("_configured")
@pytest.mark.parametrize("field", ["authorization", "code", "cookie", "password", "secret", "secret_key", "token"])
def test_a_field_that_is_named_like_a_secret_is_hidden(field: str, capsys: pytest.CaptureFixture[str]) -> None:
    structlog.get_logger().info("request", path="/orders", **{field: "hunter2"})
    line = json.loads(capsys.readouterr().err)
    assert (line["path"], line[field]) == ("/orders", "[redacted]")


def test_an_exception_that_a_library_logs_has_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    # A handler of the standard module keeps the stream that there was when it was made.
    logs.configure("info", "json")
    try:
        raise KeyError("orders")
    except KeyError:
        logging.getLogger("uvicorn.error").exception("Exception in the application")
    line = json.loads(capsys.readouterr().err)
    assert "test_logs.py" in line["exception"]
    assert line["exception"].endswith("KeyError: 'orders'")
