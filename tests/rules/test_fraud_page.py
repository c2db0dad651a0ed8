"""The tables in docs/fraud.md are written from the code: `python -m tests.rules.test_fraud_page` writes them again."""

from __future__ import annotations

import re

import pytest

from lootkeep.domain.fraud import countries
from lootkeep.domain.fraud.fact_names import FACTS
from lootkeep.domain.fraud.score import FLAGGED_FROM, LEVELS, THRESHOLDS
from lootkeep.domain.fraud.signals import SIGNALS
from lootkeep.domain.fraud.signals.signal import Signal
from tests.rules.tree import ROOT

PAGE = ROOT / "docs/fraud.md"
COMMAND = "python -m tests.rules.test_fraud_page"


def signals() -> str:
    head = "| signal | points | at most | when it counts | switch |\n|---|---|---|---|---|\n"
    return head + "\n".join(_row(signal) for signal in SIGNALS)


def country_table() -> str:
    head = "| country | counts as | why |\n|---|---|---|\n"
    kinds = {code: "sanctioned" if code in countries.SANCTIONED else "high-risk" for code in countries.REASONS}
    return head + "\n".join(f"| {code} | {kinds[code]} | {why} |" for code, why in countries.REASONS.items())


def facts() -> str:
    head = "| fact | type | list | |\n|---|---|---|---|\n"
    return head + "\n".join(
        f"| `{name}` | {fact.type} | {fact.kind or ''} | {fact.text} |" for name, fact in FACTS.items()
    )


TABLES = {"| signal |": signals, "| country |": country_table, "| fact |": facts}


@pytest.mark.parametrize("beginning", TABLES)
def test_a_table_matches_the_code(beginning: str) -> None:
    rows = _table(beginning, PAGE.read_text())
    assert rows == TABLES[beginning](), (
        f"The table `{beginning}` in {PAGE.name} is not what the code says: `{COMMAND}`."
    )


def test_the_page_reports_the_levels_and_thresholds_in_force() -> None:
    text = PAGE.read_text()
    for sensitivity, score in THRESHOLDS.items():
        assert f"`{sensitivity}` {score}" in text
    for score, level in LEVELS:
        assert f"`{level}` from {score}" in text
    assert f"from {FLAGGED_FROM} on" in text
    assert countries.AS_OF in text


def _row(signal: Signal) -> str:
    switch = f"`{signal.setting}`" if signal.setting else ""
    words = " ".join((signal.measure.__doc__ or "").split())
    return f"| `{signal.name}` | {signal.points} | {signal.cap} | {words} | {switch} |"


def _table(beginning: str, text: str) -> str:
    (table,) = re.findall(rf"^{re.escape(beginning)}.*?(?=\n\n)", text, re.MULTILINE | re.DOTALL)
    return str(table)


def write() -> None:
    text = PAGE.read_text()
    for beginning, table in TABLES.items():
        text = text.replace(_table(beginning, text), table())
    PAGE.write_text(text)


if __name__ == "__main__":
    write()
