"""What `lootkeep fraud backtest` shows in the terminal and on its page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from tests.cli.backtest.runs import ORDER, BacktestRun, past
from tests.cli.import_store import csv_text
from tests.cli.terminal import Terminal


def test_the_terminal_shows_tables(run: BacktestRun) -> None:
    outcome = run(past(500))
    assert (outcome.code, outcome.err) == (0, "")
    assert re.match(r"5\d\d orders, \d+ of them fraud \(\d+\.\d %\)\.\nJudged with the defaults", outcome.out)
    for words in ("AUC", "What each sensitivity would have done", "medium", "account_age", "Score from"):
        assert words in outcome.out
    assert "Columns that are missing in the file: billing_country, user_agent, signup" in outcome.out


def test_where_no_order_was_fraud_there_is_nothing_to_rank(run: BacktestRun) -> None:
    report = run.report([ORDER])
    assert (report["auc"], report["tpr_at_1pct_fpr"], report["roc"]) == (None, None, [])
    assert "AUC                            –" in run([ORDER], "--html", "page.html").out
    assert "ROC curve" not in (run.terminal.folder / "page.html").read_text()


def test_lists_that_are_missing_or_newer_than_the_orders_are_named(run: BacktestRun) -> None:
    folder = run.terminal.folder / "lootkeep-data"
    folder.mkdir()
    (folder / "vpn.txt").write_text("192.0.2.0/24\n")
    report = run.report([ORDER])
    missing, *younger = report["list_warnings"]
    assert missing == "No list loaded, so these signals are inactive: proxy, tor."
    assert any(sentence.startswith("The list for vpn is of ") for sentence in younger)
    assert missing in run([ORDER]).out
    late = ORDER | {"created_at": "2199-01-01T00:00:00Z"}
    assert run.report([late])["list_warnings"] == [missing]


def test_the_command_needs_no_store_and_makes_none(terminal: Terminal) -> None:
    (terminal.folder / "past.csv").write_text(csv_text([ORDER]))
    outcome = terminal.call("fraud", "backtest", "past.csv", "--label", "fraud", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    assert list(terminal.folder.iterdir()) == [terminal.folder / "past.csv"]


class ReportPage(HTMLParser):
    """Sees that every element is closed, and collects what could lead elsewhere."""

    _VOID = ("meta", "br", "hr")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in self._VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_self_contained(run: BacktestRun) -> None:
    rows = past(400)
    run([*rows, rows[0] | {"fraud": "?"}], "--html", "page.html")
    text = (run.terminal.folder / "page.html").read_text()
    page = ReportPage(text)
    assert page.open == []
    assert page.seen.count("svg") == 2
    assert page.seen.count("table") == 4
    assert not {"script", "link", "img", "iframe", "object", "use"} & set(page.seen)
    assert not {"src", "href", "xlink:href", "onclick"} & {name for name, _ in page.attributes}
    assert not re.search(r"https?:|url\(|@import|//[a-z]", text)
    assert "prefers-color-scheme: dark" in text
    assert "Line 4" in text


def test_markup_in_a_name_is_escaped(terminal: Terminal) -> None:
    (terminal.folder / "<b>.csv").write_text(csv_text([ORDER]))
    terminal.call("fraud", "backtest", "<b>.csv", "--label", "fraud", "--html", "page.html")
    text = (terminal.folder / "page.html").read_text()
    assert "&lt;b&gt;.csv" in text
    assert "<b>" not in text
