"""docs/fraud.md has what `lootkeep fraud simulate` prints: `python -m tests.rules.test_made_up_year` writes it."""

from __future__ import annotations

import re

from lootkeep.toolbox.made_up_year import kind_of, made_up_year
from lootkeep.toolbox.year_report import year_report
from tests.rules.tree import ROOT

PAGE = ROOT / "docs/fraud.md"
_REPORT = re.compile(r"^\| \| orders \| frauds \|.*?(?=\n\n## )", re.MULTILINE | re.DOTALL)


def test_the_report_in_the_docs_is_what_the_command_prints() -> None:
    assert _REPORT.findall(PAGE.read_text()) == [year_report()]


def test_a_year_has_all_kinds_of_buyers_and_later_reports_on_them() -> None:
    year = made_up_year(3000)
    frauds = {kind_of(order) for order in year.orders if order.is_fraud}
    assert frauds == {"ring", "card tester", "spree buyer", "refund abuser"}
    honest = {kind_of(order) for order in year.orders if not order.is_fraud}
    assert honest >= {"regular", "newcomer", "family", "cafe guest", "VPN user", "reseller", "unlucky regular"}
    assert {kind_of(order) for order in year.orders if order.disputed_at} == frauds
    assert {kind_of(order) for order in year.orders if order.declined_at} == {
        *("newcomer", "card tester", "unlucky regular")
    }


def test_a_year_is_always_the_same_for_the_same_seed() -> None:
    assert made_up_year(500, 7).orders == made_up_year(500, 7).orders
    assert made_up_year(500, 7).orders != made_up_year(500, 8).orders


def write() -> None:
    PAGE.write_text(_REPORT.sub(lambda _: year_report(), PAGE.read_text()))


if __name__ == "__main__":
    write()
