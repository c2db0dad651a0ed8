"""What the Dockerfile builds: a whole package, and on a stand-in for its base an image that serves and backs up."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.image import built
from tests.ports import free_port
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


# What a service that was installed without the repository shows: the length of every guide, by path.
_RENDER = """
import json, lootkeep
from lootkeep.api.http.guides import contents, pages
print(json.dumps([lootkeep.__file__, {path: len(pages.guide(path)) for path in contents.pages()}]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made as the Dockerfile makes it, of what its ignore file lets through."""
    tmp_path = tmp_path_factory.mktemp("wheel")
    for path in re.findall(r"^!(.*)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE):
        copy = shutil.copytree if (ROOT / path).is_dir() else shutil.copy
        (tmp_path / path).parent.mkdir(exist_ok=True)
        copy(ROOT / path, tmp_path / path)
    (step,) = re.findall(r"/opt/tools/bin/pip (wheel .*) \.", (DEPLOY / "Dockerfile").read_text())
    command = [sys.executable, "-m", "pip", *step.split(), "."]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    return wheel


def test_the_wheel_of_the_image_holds_every_file_of_the_service_and_the_guides(wheel: Path) -> None:
    packaged = {name for name in ZipFile(wheel).namelist() if not name.startswith("lootkeep-")}
    service = {file.relative_to(ROOT).as_posix() for file in files("*", under=ROOT / "lootkeep")}
    guides = {f"lootkeep/guides/{file.relative_to(ROOT)}" for file in files("*", under=ROOT / "docs")}
    assert packaged == {*service, *guides, "lootkeep/guides/mkdocs.yml"}


def test_a_service_installed_without_the_repository_renders_every_guide(wheel: Path, tmp_path: Path) -> None:
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    command = [sys.executable, "-c", _RENDER]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    package, sizes = json.loads(done.stdout)
    assert Path(package).is_relative_to(tmp_path)
    pages = {
        file.relative_to(ROOT / "docs").as_posix().removesuffix(".md") for file in files("*.md", under=ROOT / "docs")
    }
    assert sizes.keys() == pages
    assert min(sizes.values()) > 1000


@pytest.mark.timeout(900)
def test_the_image_built_on_a_stand_in_serves_and_backs_up_unprivileged(tmp_path: Path) -> None:
    printed = built(tmp_path, _SERVED, LOOTKEEP_PORT=str(free_port()))
    assert "user 10001" in printed
    assert "healthy" in printed
    assert "cannot write outside of its folders" in printed
    assert "-rw------- lootkeep lootkeep" in printed
