"""What is published: the same bytes each time, and a wheel that serves the demo without the repository."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import httpx
import pytest

from lootkeep import __version__
from tests.cli.terminal import SECONDS, Serving, served
from tests.rules.tree import ROOT
from tools import dist
from tools.locked import packages

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    dist.build(folder)
    return folder


@pytest.fixture(scope="module")
def program(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command in a new environment with the wheel and the packages of the lock, which need not be fetched again."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin/python"
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    for package in packages():
        _link(package.name, site)
    (wheel,) = built.glob("lootkeep-*.whl")
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "-qq",
        "--no-index",
        "--no-deps",
    ]
    subprocess.run([*pip, "--disable-pip-version-check", wheel], check=True)
    return folder / "bin/lootkeep"


def _link(name: str, site: Path) -> None:
    """What the package has at the top of its folder, from this environment into another."""
    try:
        files = distribution(name).files or ()
    except PackageNotFoundError:
        # The lock has packages of other systems.
        return
    for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
        if not (site / top).exists():
            (site / top).symlink_to(Path(str(distribution(name).locate_file(top))).resolve())


def test_two_builds_of_one_commit_have_the_same_bytes(built: Path, tmp_path: Path) -> None:
    dist.build(tmp_path / "again")
    first, second = ((folder / "SHA256SUMS").read_text() for folder in (built, tmp_path / "again"))
    assert first == second
    assert {line.split("  ")[1]: line.split("  ")[0] for line in first.splitlines()} == {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in built.iterdir()
        if file.name != "SHA256SUMS"
    }


def test_everything_that_is_published_is_built(built: Path) -> None:
    names = {file.name for file in built.iterdir()}
    service = {f"lootkeep-{__version__}{ending}" for ending in ("-py3-none-any.whl", ".tar.gz", ".cdx.json")}
    clients = [folder for folder in (ROOT / "clients").iterdir() if folder.is_dir()]
    assert service | {"SHA256SUMS"} <= names
    assert len(names) == len(service) + 1 + len(clients)


def test_the_wheel_alone_serves_the_demo_in_an_empty_folder(program: Path, tmp_path: Path) -> None:
    # Neither git nor make, nor anything else, is on this PATH.
    environment = {"PATH": str(tmp_path / "nothing"), "HOME": str(tmp_path), "NO_COLOR": "1", "TERM": "dumb"}
    folder = tmp_path / "empty"
    folder.mkdir()
    process = subprocess.Popen(
        [program, "serve", "--demo", "--port", "0"],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with served(process) as server:
        _use(server)
        output = server.stop()
    assert "Traceback" not in output.err, output.err
    assert sorted(os.listdir(folder)) == ["lootkeep.db", "lootkeep.db-tokens", "lootkeep.db.key"]


def _use(server: Serving) -> None:
    """Calls the API with the token, and looks at everything that the start names."""
    headers = {"Authorization": f"Bearer {server.token}"}
    with httpx.Client(base_url=server.url, timeout=SECONDS, follow_redirects=True) as http:
        orders = http.get("/api/external/v1/orders", headers=headers).json()
        assert (orders["success"], len(orders["data"])) == (True, 15)
        page = http.get(server.console_link)
        fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.text))
        assert "Five things to look at first" in http.post("/console/setup", data=fields).text
        links = re.findall(r"http://\S+(/console/\S+tour=\d|/docs|/o/\S+)", server.greeting)
        assert len(links) == 7
        assert [http.get(link).status_code for link in (*links, "/openapi.json")] == [200] * 8
