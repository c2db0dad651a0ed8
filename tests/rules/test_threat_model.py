"""Every proof that the threat model names is there."""

from __future__ import annotations

import re

from tests.rules.tree import ROOT

PAGE = (ROOT / "docs/operate/threat-model.md").read_text()
_FILE = re.compile(r"`((?:tests|lootkeep|deploy)/[\w./-]+\.\w+)`")
_HEAD = "| threat | what holds it | proof | left to you |"


def test_every_file_that_is_named_exists() -> None:
    named = set(_FILE.findall(PAGE))
    assert sorted(file for file in named if not (ROOT / file).exists()) == []
    assert len(named) > 30


def test_every_threat_has_a_test_or_is_assigned_to_the_operator() -> None:
    bare = []
    for table in PAGE.split(_HEAD)[1:]:
        for row in table.split("\n\n")[0].splitlines()[2:]:
            threat, _, proof, left = (cell.strip() for cell in row[1:-1].split("|"))
            if "tests/" not in proof and not left:
                bare.append(threat)
    assert bare == []
