"""Installs what tests take from npm and for generators, once for each lock file, into folders that git ignores."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
from pathlib import Path

from tests.rules.tree import ROOT

LOCKED = Path(__file__).parent / "node"
PYTHON = ROOT / ".venv-generators" / "bin"
_NODE = ROOT / ".node-generators"


def node_modules() -> Path:
    """What tests/generators/node/package-lock.json names; made again when that file changes."""
    manifest = [LOCKED / "package.json", LOCKED / "package-lock.json"]
    version = hashlib.sha256(b"".join(file.read_bytes() for file in manifest)).hexdigest()
    stamp = _NODE / "made-from"
    _NODE.mkdir(exist_ok=True)
    # Several processes of one test run want it at the same time.
    with (_NODE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != version:
            stamp.unlink(missing_ok=True)
            for file in manifest:
                (_NODE / file.name).write_bytes(file.read_bytes())
            run(_NODE, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
            stamp.write_text(version)
    return _NODE / "node_modules"


def install_python() -> None:
    """What locks/generators.txt names."""
    run(ROOT, "tools/setup.sh", PYTHON.parent.name, "locks/generators.txt")


def run(folder: Path, *command: str | Path, **environment: str) -> str:
    """Runs a command and returns its output; a failure fails the test."""
    # The generator formats what it made with the ruff next to it.
    path = {"PATH": f"{PYTHON}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        command, cwd=folder, env=os.environ | path | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
