"""What the Dockerfile sends to its builder makes a whole package, by the step of the Dockerfile itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from tests.rules.tree import ROOT, files

DEPLOY = ROOT / "deploy"


def test_the_wheel_of_the_image_holds_every_file_of_the_service(tmp_path: Path) -> None:
    for path in re.findall(r"^!(.*)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE):
        copy = shutil.copytree if (ROOT / path).is_dir() else shutil.copy
        (tmp_path / path).parent.mkdir(exist_ok=True)
        copy(ROOT / path, tmp_path / path)
    (step,) = re.findall(r"/opt/tools/bin/pip (wheel .*) \.", (DEPLOY / "Dockerfile").read_text())
    command = [sys.executable, "-m", "pip", *step.split(), "."]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    held = {name for name in ZipFile(wheel).namelist() if name.startswith("lootkeep/")}
    assert held == {file.relative_to(ROOT).as_posix() for file in files("*", under=ROOT / "lootkeep")}
