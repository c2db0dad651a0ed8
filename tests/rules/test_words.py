"""Retired words stay out of code, tests, docs, command line and API texts; `retired_words.txt` lists them."""

from __future__ import annotations

import re
from pathlib import Path

from tests.rules.tree import ROOT, files, name

TABLE = Path(__file__).with_name("retired_words.txt")
# Final, generated from elsewhere, or a record of the past.
_LEFT_ALONE = ("lootkeep/storage/migrations/versions/", "locks/", "bench/peers/", "CHANGELOG.md", "docs/changelog.md")


def patterns() -> dict[str, re.Pattern[str]]:
    lines = [line for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    rows = [line.split("\t") for line in lines]
    return {better: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for words, better in rows}


def texts() -> list[Path]:
    listed = files("*.py", "*.md", "*.html", "*.txt", "*.toml", "*.yml", "Makefile")
    return [file for file in listed if file != TABLE and not name(file).startswith(_LEFT_ALONE)]


def test_no_file_uses_a_retired_word() -> None:
    retired = patterns()
    offenders = [
        f"{name(file)}:{number}: {match.group()!r}, better: {better}"
        for file in texts()
        for number, line in enumerate(file.read_text().splitlines(), 1)
        for better, pattern in retired.items()
        if (match := pattern.search(line))
    ]
    assert not offenders, "\n".join(offenders)


def test_the_rule_sees_a_retired_word() -> None:
    assert patterns()["again"].search("counted " + "ane" + "w")
    assert {ROOT / "README.md", ROOT / "lootkeep/settings.py", Path(__file__)} <= set(texts())
