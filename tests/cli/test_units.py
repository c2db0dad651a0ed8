"""systemd accepts the units in deploy/ and finds them well protected, by its own program."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.rules.tree import ROOT, files, name

UNITS = files("*.service", "*.timer", under=ROOT / "deploy")
SERVICES = files("*.service", under=ROOT / "deploy")
# Tenths of the score from 0 to 10 that systemd gives, where 10 is a service that may do everything. What is left is
# that the service uses the network.
MAX_EXPOSURE = "12"


@pytest.fixture(autouse=True)
def _has_systemd() -> None:
    if not shutil.which("systemd-analyze"):
        pytest.fail("systemd-analyze is missing: `make test` installs Debian's package systemd where it may.", False)


@pytest.mark.parametrize("unit", UNITS, ids=name)
def test_systemd_accepts_the_unit(unit: Path, tmp_path: Path) -> None:
    for file in UNITS:
        # It wants to see the program, and the service of a timer.
        text = re.sub(r"^ExecStart=.*$", "ExecStart=/bin/true", file.read_text(), flags=re.MULTILINE)
        (tmp_path / file.name).write_text(text)
    command = ["systemd-analyze", "verify", str(tmp_path / unit.name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("unit", SERVICES, ids=name)
def test_systemd_finds_little_exposed(unit: Path) -> None:
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={MAX_EXPOSURE}", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
