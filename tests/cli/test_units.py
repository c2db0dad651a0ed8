"""systemd accepts the units in deploy/, by its own program."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.rules.tree import ROOT, files, name

UNITS = files("*.service", under=ROOT / "deploy")


@pytest.mark.parametrize("unit", UNITS, ids=name)
def test_systemd_accepts_the_unit(unit: Path, tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.fail("systemd-analyze is missing: `make test` installs Debian's package systemd where it may.", False)
    # It wants to see the program.
    copy = tmp_path / unit.name
    copy.write_text(re.sub(r"^ExecStart=.*$", "ExecStart=/bin/true", unit.read_text(), flags=re.MULTILINE))
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
