"""Fields named like a secret are not written to the log."""

from __future__ import annotations

import json

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
