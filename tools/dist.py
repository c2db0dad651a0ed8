"""Builds everything that is published, the same bytes from the same commit: `python -m tools.dist [FOLDER]`."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tools.locked import ROOT
from tools.sbom import bill

_CLIENTS = ROOT / "clients"
_SUMS = "SHA256SUMS"
_PLAIN_FILE = 0o100644 << 16


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "dist").absolute()
    build(folder)
    print((folder / _SUMS).read_text(), end="")


def build(folder: Path) -> None:
    """A client is built where its folder exists."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or _output("git", "log", "-1", "--format=%ct"))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    _python(ROOT, folder, epoch, "wheel", "sdist")
    _python(_CLIENTS / "python", folder, epoch, "wheel")
    if (_CLIENTS / "typescript").exists():
        _npm(_CLIENTS / "typescript", folder)
    if (_CLIENTS / "php").exists():
        _composer(folder / f"lootkeep-client-php-{version}.zip", epoch)
    (folder / f"lootkeep-{version}.cdx.json").write_text(json.dumps(bill(), indent=2) + "\n")
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(folder.iterdir())]
    (folder / _SUMS).write_text("".join(sums))


def _python(source: Path, folder: Path, epoch: int, *targets: str) -> None:
    """With the build tools of the lock, in this environment."""
    chosen = [word for target in targets for word in ("-t", target)]
    _run(sys.executable, "-m", "hatchling", "build", "-d", str(folder), *chosen, cwd=source, epoch=epoch)


def _npm(source: Path, folder: Path) -> None:
    """npm writes the same time into every package."""
    _run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", cwd=source)
    _run("npm", "run", "build", "--silent", cwd=source)
    _run("npm", "pack", "--silent", "--pack-destination", str(folder), cwd=source)


def _composer(file: Path, epoch: int) -> None:
    """The files that git knows, as Composer takes them from an archive."""
    names = _output("git", "ls-files", "clients/php").splitlines()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name in sorted(names):
            info = ZipInfo(name.removeprefix("clients/php/"), time.gmtime(epoch)[:6])
            info.external_attr, info.compress_type = _PLAIN_FILE, ZIP_DEFLATED
            archive.writestr(info, (ROOT / name).read_bytes())


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def _run(*command: str, cwd: Path, epoch: int = 0) -> None:
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch)}
    subprocess.run(command, cwd=cwd, env=environment, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
