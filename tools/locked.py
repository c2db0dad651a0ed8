"""What the service is made of: the packages of the runtime lock, each with its hashes and its licence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RUNTIME_LOCK = ROOT / "locks/runtime.txt"
LICENCES = ROOT / "locks/licences.txt"

_PACKAGE = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^\s;]+)(?: ; (?P<marker>[^\\\n]+?))?(?: \\)?$")
_HASH = re.compile(r"^    --hash=sha256:([0-9a-f]{64})(?: \\)?$")


class Package(NamedTuple):
    name: str
    version: str
    # Where it is installed at all, such as `sys_platform == 'win32'`; everywhere without one.
    marker: str | None
    # SHA-256 of each file that may be installed: a wheel for each platform, and the source.
    hashes: list[str]


def packages() -> list[Package]:
    """In the order of the lock, which is that of their names."""
    packages: list[Package] = []
    for line in RUNTIME_LOCK.read_text().splitlines():
        if package := _PACKAGE.match(line):
            packages.append(Package(package["name"], package["version"], package["marker"], []))
        elif file := _HASH.match(line):
            packages[-1].hashes.append(file[1])
        else:
            raise ValueError(f"{RUNTIME_LOCK.name} has a line that is neither a package nor a hash: {line}")
    return packages


def licences() -> dict[str, str]:
    """The SPDX expression of each package."""
    lines = [line for line in LICENCES.read_text().splitlines() if not line.startswith("#")]
    return dict(line.split(maxsplit=1) for line in lines)
