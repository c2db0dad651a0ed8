"""A folder with the document and everything that the Node programs find next to it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from lootkeep import wiring
from tests.generators import packages


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder in which a client is generated, with the document."""
    folder = tmp_path / "client"
    folder.mkdir()
    (folder / "openapi.json").write_text(json.dumps(wiring.document()))
    return folder


@pytest.fixture
def node_folder(folder: Path) -> Path:
    for file in packages.LOCKED.iterdir():
        shutil.copy(file, folder)
    (folder / "node_modules").symlink_to(packages.node_modules())
    return folder
