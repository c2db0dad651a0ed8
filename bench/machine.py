"""What a run of the benchmark ran on: the machine and the versions of everything that takes part."""

import json
import os
import platform
import subprocess
from datetime import UTC, datetime

import apsw

from bench.subjects import ROOT
from tests.programs import postgres_folder

PYTHON_PEERS = "import sys, importlib.metadata as m; print(*(f'{n} {m.version(n)}' for n in sys.argv[1:]), sep='\\n')"


def about(command: str, python_peers: tuple[str, ...], node_peers: tuple[str, ...]) -> dict[str, str]:
    """The command, the time, the machine, and the versions; Node's by the folders of their lock files."""
    versions = [f"Python {platform.python_version()}", f"SQLite {apsw.sqlite_lib_version()}"]
    versions.append(_output(str(postgres_folder() / "postgres"), "--version").replace("(PostgreSQL) ", ""))
    if python_peers:
        versions += _output(str(ROOT / ".venv-bench/bin/python"), "-c", PYTHON_PEERS, *python_peers).splitlines()
    for folder in node_peers:
        package = json.loads((ROOT / "bench/peers" / folder / "package.json").read_text())
        versions += [f"{name} {version}" for name, version in package["dependencies"].items()]
    if node_peers:
        versions.append(f"Node {_output('node', '--version')}")
    return {
        "command": command,
        "measured": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "Commit": _output("git", "rev-parse", "--short", "HEAD"),
        "Machine": f"{_machine()}, load {os.getloadavg()[0]:.1f} at the start",
        "Versions": ", ".join(versions),
    }


def _machine() -> str:
    lines = (line.partition(":") for line in _output("lscpu").splitlines())
    model = {name.strip(): value.strip() for name, _, value in lines}.get("Model name", "unknown")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores of {model}, {memory:.0f} GB"


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
