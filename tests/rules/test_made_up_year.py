"""The report in docs/fraud.md: `python -m tests.rules.test_made_up_year` writes what `lootkeep fraud simulate` prints.

The test runs a smaller year: its figures differ, and its form is the same.
"""

from __future__ import annotations

import re

from lootkeep.toolbox.made_up_year import made_up_year
from lootkeep.toolbox.year_report import year_report
from tests.rules.tree import ROOT

PAGE = ROOT / "docs/fraud.md"
_REPORT = re.compile(r"^\| \| orders \| frauds \|.*?(?=\n\n## )", re.MULTILINE | re.DOTALL)


def form(report: str) -> str:
    return re.sub(r"[0-9][0-9.,]*", "0", report)


def test_the_report_in_the_docs_has_the_form_that_a_smaller_run_has() -> None:
    (report,) = _REPORT.findall(PAGE.read_text())
    assert form(report) == form(year_report(orders=3000))


def test_a_year_is_always_the_same_for_the_same_seed() -> None:
    assert made_up_year(500, 7).orders == made_up_year(500, 7).orders
    assert made_up_year(500, 7).orders != made_up_year(500, 8).orders


def write() -> None:
    PAGE.write_text(_REPORT.sub(lambda _: year_report(), PAGE.read_text()))


if __name__ == "__main__":
    write()
