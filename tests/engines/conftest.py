"""A folder of lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.lists import Lists


@pytest.fixture
def lists(tmp_path: Path) -> Lists:
    return Lists(tmp_path)
