"""`lootkeep fraud backtest`: what it tells of past orders and of odd files, and that its numbers are right."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest

from lootkeep.cli.backtest.cells import amount, country, ip_address, time
from lootkeep.cli.backtest.reading import PastOrder, PastOrders
from lootkeep.cli.backtest.replay import replay
from lootkeep.domain.fraud.facts import Network
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.signals import SIGNALS
from lootkeep.kernel.clock import iso
from tests.cli.import_store import csv_text
from tests.cli.terminal import Outcome, Terminal

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ORDER = {"order_id": "1", "created_at": "2026-01-01T00:00:00Z", "email": "ada@a.example", "fraud": "0"}


class Run:
    """The command, on a file of rows."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def __call__(self, rows: Iterable[dict[str, Any]] | str, *options: str, label: str = "fraud") -> Outcome:
        text = rows if isinstance(rows, str) else csv_text([{k: str(v) for k, v in row.items()} for row in rows])
        (self.terminal.folder / "past.csv").write_text(text)
        return self.terminal.call("fraud", "backtest", "past.csv", "--label", label, *options)

    def report(self, rows: Iterable[dict[str, Any]] | str, *options: str, label: str = "fraud") -> dict[str, Any]:
        outcome = self(rows, "--json", *options, label=label)
        assert outcome.code == 0, outcome.err
        found: dict[str, Any] = json.loads(outcome.out)
        return found

    def scores(self, rows: Iterable[dict[str, Any]] | str) -> list[dict[str, str]]:
        self.report(rows, "--scores", "scores.csv")
        with (self.terminal.folder / "scores.csv").open(newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture
def run(terminal: Terminal) -> Run:
    return Run(terminal)


def past(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """A year of a made-up shop: most are customers, some are rings of fresh accounts on one device."""
    made = random.Random(seed)
    rows: list[dict[str, Any]] = []

    def add(signed_up: datetime, at: datetime, device: str, address: int, is_fraud: bool) -> None:
        rows.append(
            {
                "order_id": f"o{len(rows)}",
                "customer_id": f"c{len(rows)}",
                "email": f"p{len(rows)}@mail.example",
                "customer_created_at": signed_up.isoformat(),
                "created_at": at.isoformat(),
                "ip_address": address,
                "device_id": device,
                "total": f"{made.randint(5, 99)}.00",
                "fraud": int(is_fraud),
            }
        )

    # In a range that is not in use, of which no list knows anything: a network's points would blur the picture.
    while len(rows) < count:
        signed_up = BEGIN + timedelta(minutes=made.randrange(500_000))
        device, address = f"d{made.randrange(count * 20)}", made.randrange(240 << 24, 2**32 - 1)
        if made.random() < 0.02:
            for place in range(made.randint(2, 8)):
                moment = signed_up + timedelta(minutes=place * made.randint(1, 90))
                add(moment, moment + timedelta(seconds=1), device, address, True)
        else:
            bought = signed_up + timedelta(minutes=made.randrange(200_000))
            add(signed_up, bought, device, address, made.random() < 0.02)
    made.shuffle(rows)
    return rows


def test_rings_of_fresh_accounts_are_told_from_customers(run: Run) -> None:
    rows = past(3000)
    found = run.report(rows)
    assert (found["orders"], found["frauds"]) == (len(rows), sum(row["fraud"] for row in rows))
    assert found["auc"] > 0.85
    assert found["tpr_at_1pct_fpr"] > 0.7
    medium = found["sensitivity"][1]
    assert (medium["level"], medium["precision"]) == ("medium", 1)
    assert medium["recall"] > 0.4
    assert found["signals"][0]["name"] in ("account_age", "device_reuse")


def test_json_has_every_key(run: Run) -> None:
    found = run.report(past(200))
    assert set(found) >= {"orders", "frauds", "auc", "tpr_at_1pct_fpr", "thresholds", "signals", "seconds"}
    assert [row["score"] for row in found["thresholds"]] == list(range(10, 101, 10))
    assert {row["name"] for row in found["signals"]} == {signal.name for signal in SIGNALS}
    assert [(row["level"], row["threshold"]) for row in found["sensitivity"]] == [
        ("low", 80),
        ("medium", 60),
        ("high", 40),
    ]
    assert found["settings"] == "the defaults of a new store"
    assert (found["skipped"], found["skipped_rows"]) == (0, [])


def test_the_numbers_are_those_of_counting_by_hand(run: Run) -> None:
    rows = past(1500, seed=2)
    scores = {row["order_id"]: row for row in run.scores(rows)}
    found = run.report(rows)
    points = [(int(scores[row["order_id"]]["score"]), bool(row["fraud"])) for row in rows]
    frauds = [score for score, is_fraud in points if is_fraud]
    goods = [score for score, is_fraud in points if not is_fraud]
    pairs = sum((fraud > good) + 0.5 * (fraud == good) for fraud in frauds for good in goods)
    assert found["auc"] == pytest.approx(pairs / len(frauds) / len(goods))
    for row in found["thresholds"]:
        caught = [is_fraud for score, is_fraud in points if score >= row["score"]]
        assert (row["flagged"], row["frauds"]) == (len(caught), sum(caught))
        assert row["recall"] == pytest.approx(sum(caught) / len(frauds))
    blocked = [row for row in scores.values() if row["action_taken"] == "blocked"]
    assert len(blocked) == found["sensitivity"][1]["blocked"]


def test_scores_are_written_in_the_order_of_the_file(run: Run) -> None:
    rows = past(300)
    assert [row["order_id"] for row in run.scores(rows)] == [row["order_id"] for row in rows]


def test_what_came_later_is_not_held_against_an_order(run: Run) -> None:
    later = ORDER | {"order_id": "later", "email": "bob@a.example", "device_id": "d", "created_at": "2026-01-03"}
    earlier = ORDER | {"order_id": "earlier", "device_id": "d", "created_at": "2026-01-02"}
    assert {row["order_id"]: row["score"] for row in run.scores([later, earlier])} == {"later": "12", "earlier": "0"}


def test_orders_of_the_same_moment_come_as_in_the_file(run: Run) -> None:
    rows = [ORDER | {"order_id": name, "email": f"{name}@a.example", "device_id": "d"} for name in "ab"]
    assert [row["score"] for row in run.scores(rows)] == ["0", "24"]


def test_labels_are_not_learned_from(run: Run) -> None:
    rows = past(300)
    turned = [row | {"fraud": 1 - row["fraud"]} for row in rows]
    assert run.scores(rows) == run.scores(turned)


def test_accounts_are_known_by_their_mailbox_where_there_is_no_customer_id(run: Run) -> None:
    mails = ["anna@gmail.com", "an.na+x@googlemail.com", "eve@a.example"]
    rows = [
        {"created_at": f"2026-01-0{day}", "device_id": "d", "email": mail, "fraud": 0}
        for day, mail in enumerate(mails, 1)
    ]
    assert [row["score"] for row in run.scores(rows)] == ["0", "5", "12"]


def test_velocity_is_exceeded_by_the_order_after_the_limit(run: Run) -> None:
    rows = [
        {"created_at": f"2026-01-01 10:0{n}:00", "customer_id": "ada", "ip_address": "203.0.113.9", "fraud": 0}
        for n in range(8)
    ]
    assert [row["score"] for row in run.scores(rows)] == ["0"] * 5 + ["20", "40", "40"]


@pytest.mark.parametrize("column", [name for name in past(1)[0] if name != "fraud"])
def test_any_column_may_be_missing(run: Run, column: str) -> None:
    rows = [{name: value for name, value in row.items() if name != column} for row in past(200)]
    found = run.report(rows)
    assert found["orders"] == len(rows)
    assert column in found["missing_columns"]


def test_all_columns_may_be_missing_and_then_nothing_is_held_against_anyone(run: Run) -> None:
    found = run.report("fraud\n1\n0\n0\n")
    assert (found["orders"], found["frauds"], found["auc"]) == (3, 1, 0.5)
    assert [row["fired"] for row in found["signals"]] == [0] * len(SIGNALS)


def test_a_user_agent_is_missed_only_where_there_is_a_column_for_it(run: Run) -> None:
    assert run.scores([ORDER])[0]["score"] == "0"
    assert run.scores([ORDER | {"user_agent": ""}])[0]["score"] == "5"
    assert run.scores([ORDER | {"user_agent": "curl/8.0"}])[0]["score"] == "20"


def test_without_times_nothing_is_said_of_an_hour_but_devices_are_remembered(run: Run) -> None:
    told = {"ip_address": "203.0.113.9", "device_id": "d", "customer_created_at": "2026-01-01", "fraud": 0}
    rows = [told | {"customer_id": str(number)} for number in range(9)]
    assert [row["score"] for row in run.scores(rows)] == ["0", "12", "24", *["36"] * 6]


def test_an_order_without_an_id_is_named_by_its_line(run: Run) -> None:
    assert [row["order_id"] for row in run.scores("fraud\n1\n0\n")] == ["2", "3"]


def test_columns_are_found_in_any_case_and_order_and_others_are_ignored(run: Run) -> None:
    found = run.report("Mood, Is_Fraud ,Order_ID\ngood,TRUE,7\nbad,Legit,8\n", label="IS_FRAUD")
    assert (found["orders"], found["frauds"], found["skipped"]) == (2, 1, 0)


@pytest.mark.parametrize(
    ("label", "frauds"),
    [("1", 1), ("true", 1), ("Fraud", 1), ("0", 0), ("false", 0), ("legit", 0), ("Legitimate", 0), ("", 0), (" ", 0)],
)
def test_a_label_says_fraud_or_not(run: Run, label: str, frauds: int) -> None:
    assert run.report([ORDER | {"fraud": label}])["frauds"] == frauds


BAD = [
    ({"fraud": "maybe"}, "The fraud field must be 1, true or fraud, or else 0, false, legit, legitimate or nothing."),
    ({"created_at": "yesterday"}, "The created_at field must be a time such as 2026-11-15T10:30:00Z, or Unix seconds."),
    ({"created_at": ""}, "The created_at field is empty."),
    ({"ip_address": "203.0.113.256"}, "The ip_address field must be an IP address."),
    ({"ip_address": "4294967296"}, "The ip_address field must be an IP address."),
    ({"billing_country": "Atlantis"}, "The billing_country field must be a country code such as DE."),
    ({"total": "much"}, "The total field must be an amount such as 19.99."),
    (
        {"total": "nan", "fraud": "2"},
        "The total field must be an amount such as 19.99. "
        "The fraud field must be 1, true or fraud, or else 0, false, legit, legitimate or nothing.",
    ),
]


@pytest.mark.parametrize(("change", "reason"), BAD, ids=[" ".join(change) for change, _ in BAD])
def test_a_bad_row_is_told_with_its_line_and_reasons_and_skipped(run: Run, change: dict[str, str], reason: str) -> None:
    usual = ORDER | {"ip_address": "203.0.113.9", "billing_country": "DE", "total": "5"}
    outcome = run([usual, usual | change, usual], "--json")
    found = json.loads(outcome.out)
    assert (outcome.code, found["orders"], found["skipped"]) == (0, 2, 1)
    assert found["skipped_rows"] == [{"line": 3, "reason": reason}]
    assert outcome.err == f"Line 3: {reason}\nSkipped rows: 1.\n"


def test_rows_that_are_no_csv_are_bad_rows_too(run: Run) -> None:
    outcome = run("order_id,fraud\n1,0\n2\n3,0,0\n4,1\n", "--json")
    assert json.loads(outcome.out)["orders"] == 2
    assert outcome.err.splitlines()[0] == "Line 3: The row has 1 cells, but the first line names 2 columns."


def test_of_many_bad_rows_the_first_are_told_and_all_are_counted(run: Run) -> None:
    outcome = run([ORDER, *[ORDER | {"fraud": "?"}] * 150], "--json")
    assert json.loads(outcome.out)["skipped"] == 150
    assert len(json.loads(outcome.out)["skipped_rows"]) == 100
    assert outcome.err.splitlines()[20:] == ["and 130 more.", "Skipped rows: 150."]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "The file is empty: its first line must name the columns."),
        ("order_id,class\n1,0\n", "The file has no column named fraud: it has order_id, class."),
        ("order_id,fraud\n", "The file holds no orders: there is nothing below the names of the columns."),
        ("fraud,fraud\n1,0\n", "The first line names a column twice: fraud."),
        (
            "fraud\n?\n!\n",
            "None of the 2 rows can be read. Line 2: "
            "The fraud field must be 1, true or fraud, or else 0, false, legit, legitimate or nothing.",
        ),
    ],
)
def test_a_file_that_says_nothing_is_one_sentence_and_exit_code_2(run: Run, content: str, sentence: str) -> None:
    outcome = run(content)
    assert (outcome.code, outcome.sentence) == (2, sentence)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["none.csv"], "none.csv cannot be read: No such file or directory."),
        (["."], ". cannot be read: Is a directory."),
        (["past.csv", "--html", "no/page.html"], "no/page.html cannot be written: No such file or directory."),
        (["past.csv", "--scores", "no/s.csv"], "no/s.csv cannot be written: No such file or directory."),
    ],
)
def test_files_that_cannot_be_read_or_written_are_one_sentence(run: Run, options: list[str], sentence: str) -> None:
    run([ORDER])
    outcome = run.terminal.call("fraud", "backtest", "--label", "fraud", *options)
    assert (outcome.code, outcome.sentence) == (2, sentence)


def test_the_terminal_shows_tables(run: Run) -> None:
    outcome = run(past(500))
    assert (outcome.code, outcome.err) == (0, "")
    assert re.match(r"5\d\d orders, \d+ of them fraud \(\d+\.\d %\)\.\nJudged with the defaults", outcome.out)
    for words in ("AUC", "What each sensitivity would have done", "medium", "account_age", "Score from"):
        assert words in outcome.out
    assert "Columns that the file lacks, so that they say nothing: billing_country, user_agent." in outcome.out


def test_where_no_order_was_fraud_there_is_nothing_to_rank(run: Run) -> None:
    found = run.report([ORDER])
    assert (found["auc"], found["tpr_at_1pct_fpr"], found["roc"]) == (None, None, [])
    assert "AUC                            –" in run([ORDER], "--html", "page.html").out
    assert "ROC curve" not in (run.terminal.folder / "page.html").read_text()


def test_the_command_runs_by_itself(terminal: Terminal) -> None:
    (terminal.folder / "past.csv").write_text(csv_text([ORDER]))
    outcome = terminal.run("fraud", "backtest", "past.csv", "--label", "fraud", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    assert list(terminal.folder.iterdir()) == [terminal.folder / "past.csv"]


class Page(HTMLParser):
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


def test_the_page_is_whole_and_needs_nothing_from_elsewhere(run: Run) -> None:
    rows = past(400)
    run([*rows, rows[0] | {"fraud": "?"}], "--html", "page.html")
    text = (run.terminal.folder / "page.html").read_text()
    page = Page(text)
    assert page.open == []
    assert page.seen.count("svg") == 2
    assert page.seen.count("table") == 4
    assert not {"script", "link", "img", "iframe", "object", "use"} & set(page.seen)
    assert not {"src", "href", "xlink:href", "onclick"} & {name for name, _ in page.attributes}
    assert not re.search(r"https?:|url\(|@import|//[a-z]", text)
    assert "prefers-color-scheme: dark" in text
    assert "Line 4" in text


def test_a_name_with_markup_in_it_stays_a_name(terminal: Terminal) -> None:
    (terminal.folder / "<b>.csv").write_text(csv_text([ORDER]))
    terminal.call("fraud", "backtest", "<b>.csv", "--label", "fraud", "--html", "page.html")
    text = (terminal.folder / "page.html").read_text()
    assert "&lt;b&gt;.csv" in text
    assert "<b>" not in text


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z"),
        ("2026-01-02T03:04:05.250000Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02 03:04:05", "2026-01-02T03:04:05Z"),
        ("2026-01-02", "2026-01-02T00:00:00Z"),
        ("20260102", "2026-01-02T00:00:00Z"),
        ("1767323045", "2026-01-02T03:04:05Z"),
        ("1767323045.75", "2026-01-02T03:04:05Z"),
    ],
)
def test_times_are_read_in_all_their_forms(text: str, moment: str) -> None:
    assert iso(time(text)) == moment


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:DB8::1", "2001:db8::1"),
        ("3405803785", "203.0.113.9"),
        ("3405803785.79972", "203.0.113.9"),
        ("3.405803785e9", "203.0.113.9"),
        ("0", "0.0.0.0"),
    ],
)
def test_addresses_are_read_in_all_their_forms(text: str, address: str) -> None:
    assert ip_address(text) == address


def test_countries_and_amounts_are_read_as_shops_write_them() -> None:
    assert [country(text) for text in ("DE", "de", "DEU", "Germany")] == ["DE"] * 4
    assert country("UK") == "GB"
    assert [amount(text) for text in ("19.99", "20", "1e2", "0.005", "-3")] == [1999, 2000, 10000, 0, -300]


class NoLists:
    """Knows nothing of anybody."""

    def network(self, ip_address: str) -> Network:
        return Network()

    def is_disposable(self, domain: str) -> bool:
        return False


class Lists(NoLists):
    """Knows one VPN and one throw-away domain."""

    def network(self, ip_address: str) -> Network:
        return Network(is_vpn=ip_address == "203.0.113.9", country="DE")

    def is_disposable(self, domain: str) -> bool:
        return domain == "gone.example"


def test_what_lists_know_is_taken_into_account() -> None:
    orders = [
        PastOrder(order_id="1", is_fraud=True, email="x@Gone.example", ip_address="203.0.113.9", billing_country="FR"),
        PastOrder(order_id="2", is_fraud=False, email="y@a.example"),
    ]
    judged = replay(PastOrders(orders=orders), Policy(), Lists(), lambda done: None)
    assert [one.verdict.signals for one in judged] == [{"vpn": 15, "geo_mismatch": 20, "disposable_email": 25}, {}]
    assert judged[0].actions == {"low": "flagged", "medium": "blocked", "high": "blocked"}
