"""Nothing in the tree says where packages were fetched from, or leaves work for later."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rules.tree import ROOT, files, name

# A lock file pins names, versions and hashes; where they are fetched from is the machine's own matter.
REGISTRY = re.compile(
    r"--(extra-)?index-url|--find-links|--trusted-host|pythonhosted|pypi\.(org|io)|npmjs|/simple/"
    r"|\b(registry|nexus|artifactory|devpi|mirror)\.[a-z0-9.-]+\.[a-z]{2,}",
    re.IGNORECASE,
)
LATER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

# This file has to name what it looks for.
TEXTS = [
    file
    for file in files(
        "*.py",
        "*.md",
        "*.toml",
        "*.txt",
        "*.sh",
        "*.html",
        "*.css",
        "*.js",
        "*.php",
        "*.yml",
        "*.yaml",
        "*.service",
        "*.example",
        "Dockerfile*",
        "Makefile",
        "run",
        ".gitignore",
    )
    if file != Path(__file__)
]


def lines(file: Path, pattern: re.Pattern[str]) -> list[str]:
    numbered = enumerate(file.read_text().splitlines(), 1)
    return [f"{name(file)}:{number}: {line.strip()}" for number, line in numbered if pattern.search(line)]


def test_the_rule_sees_the_tree() -> None:
    assert {ROOT / "Makefile", ROOT / "pyproject.toml", ROOT / ".ci/run", ROOT / "locks/dev.txt"} <= set(TEXTS)


@pytest.mark.parametrize("pattern", [REGISTRY, LATER], ids=["where packages come from", "work left for later"])
def test_no_file_holds_what_is_forbidden(pattern: re.Pattern[str]) -> None:
    offenders = [line for file in TEXTS for line in lines(file, pattern)]
    assert not offenders, "\n".join(offenders)
