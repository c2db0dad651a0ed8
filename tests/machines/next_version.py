"""The code of the version after the first release: the same with one more version of the schema, which only adds."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.rules.tree import ROOT
from tests.storage.made_up_versions import FIRST, ONLINE

NEXT_REVISION = ONLINE.name
_NONE = "VERSIONS: tuple[Version, ...] = ()"


def next_version(folder: Path) -> Path:
    """The folder that holds the package; compiled files come along."""
    code = folder / "next"
    shutil.copytree(ROOT / "lootkeep", code / "lootkeep")
    versions = code / "lootkeep/storage/migrations/versions.py"
    text = versions.read_text()
    assert text.endswith(f"{_NONE}\n")
    versions.write_text(text.replace(_NONE, f"VERSIONS: tuple[Version, ...] = {(FIRST, ONLINE)!r}"))
    return code
