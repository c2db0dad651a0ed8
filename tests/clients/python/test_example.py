"""The example shop of the Python client sells a key, with the real service and its webhook."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.terminal import Serving, environment, served, start
from tests.clients.example_shop import sell_a_key
from tests.rules.tree import ROOT

CLIENT = ROOT / "clients/python"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Serving]:
    settings = environment({"webhook_allow_insecure": "true"})
    with served(start(tmp_path, settings, "serve", "--port", "0")) as server:
        yield server


def test_a_key_is_bought_in_the_example_shop(store: Serving, tmp_path: Path) -> None:
    sell_a_key(store, [sys.executable, str(CLIENT / "example/shop.py")], tmp_path, PYTHONPATH=str(CLIENT))
