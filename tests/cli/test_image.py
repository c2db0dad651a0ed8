"""What the Dockerfile builds: a whole package, and on a stand-in for its base an image that serves and backs up."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.api.server.serving import free_port
from tests.image import built
from tests.rules.tree import ROOT, files

DEPLOY = ROOT / "deploy"
_SERVED = """
inside sh -c 'echo user $(id -u)'
! inside touch /opt/lootkeep/made 2>/dev/null && echo cannot write outside of its folders
entrypoint serve >/dev/null &
for attempt in $(seq 300); do healthcheck 2>/dev/null && echo healthy && break; done
inside backup.sh /backups 14
inside sh -c 'stat --format="%A %U %G" /backups/*.backup'
"""


def test_the_wheel_of_the_image_holds_every_file_of_the_service(tmp_path: Path) -> None:
    for path in re.findall(r"^!(.*)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE):
        copy = shutil.copytree if (ROOT / path).is_dir() else shutil.copy
        (tmp_path / path).parent.mkdir(exist_ok=True)
        copy(ROOT / path, tmp_path / path)
    (step,) = re.findall(r"/opt/tools/bin/pip (wheel .*) \.", (DEPLOY / "Dockerfile").read_text())
    command = [sys.executable, "-m", "pip", *step.split(), "."]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    packaged = {name for name in ZipFile(wheel).namelist() if name.startswith("lootkeep/")}
    assert packaged == {file.relative_to(ROOT).as_posix() for file in files("*", under=ROOT / "lootkeep")}


@pytest.mark.timeout(900)
def test_the_image_built_on_a_stand_in_serves_and_backs_up_unprivileged(tmp_path: Path) -> None:
    printed = built(tmp_path, _SERVED, LOOTKEEP_PORT=str(free_port()))
    assert "user 10001" in printed
    assert "healthy" in printed
    assert "cannot write outside of its folders" in printed
    assert "-rw------- lootkeep lootkeep" in printed
