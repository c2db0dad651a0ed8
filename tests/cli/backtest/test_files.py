"""Files of past orders: columns that are missing, labels, bad rows, and files that say nothing."""

from __future__ import annotations

import json

import pytest

from lootkeep.domain.fraud.signals import SIGNALS
from tests.cli.backtest.runs import ORDER, BacktestRun, past


@pytest.mark.parametrize("column", [name for name in past(1)[0] if name != "fraud"])
def test_any_column_may_be_missing(run: BacktestRun, column: str) -> None:
    rows = [{name: value for name, value in row.items() if name != column} for row in past(200)]
    report = run.report(rows)
    assert report["orders"] == len(rows)
    assert column in report["missing_columns"]


def test_without_optional_columns_nothing_counts_against_anyone(run: BacktestRun) -> None:
    report = run.report("fraud\n1\n0\n0\n")
    assert (report["orders"], report["frauds"], report["auc"]) == (3, 1, 0.5)
    assert [row["fired"] for row in report["signals"]] == [0] * len(SIGNALS)


def test_a_missing_user_agent_counts_only_where_there_is_a_column_for_it(run: BacktestRun) -> None:
    assert run.scores([ORDER])[0]["score"] == "0"
    assert run.scores([ORDER | {"user_agent": ""}])[0]["score"] == "5"
    assert run.scores([ORDER | {"user_agent": "curl/8.0"}])[0]["score"] == "20"


def test_without_times_no_window_counts_but_devices_are_remembered(run: BacktestRun) -> None:
    columns = {"ip_address": "203.0.113.9", "device_id": "d", "customer_created_at": "2026-01-01", "fraud": 0}
    rows = [columns | {"customer_id": str(number)} for number in range(9)]
    assert [row["score"] for row in run.scores(rows)] == ["0", *["12"] * 8]


def test_an_order_without_an_id_is_named_by_its_line(run: BacktestRun) -> None:
    assert [row["order_id"] for row in run.scores("fraud\n1\n0\n")] == ["2", "3"]


def test_columns_are_found_in_any_case_and_order_and_others_are_ignored(run: BacktestRun) -> None:
    report = run.report("Mood, Is_Fraud ,Order_ID\ngood,TRUE,7\nbad,Legit,8\n", label="IS_FRAUD")
    assert (report["orders"], report["frauds"], report["skipped"]) == (2, 1, 0)


@pytest.mark.parametrize(
    ("label", "frauds"),
    [("1", 1), ("true", 1), ("Fraud", 1), ("0", 0), ("false", 0), ("legit", 0), ("Legitimate", 0), ("", 0), (" ", 0)],
)
def test_a_label_says_fraud_or_not(run: BacktestRun, label: str, frauds: int) -> None:
    assert run.report([ORDER | {"fraud": label}])["frauds"] == frauds


BAD = [
    (
        {"fraud": "maybe"},
        "The fraud field must be 1, true, yes or fraud, or 0, false, no, legit, legitimate or empty.",
    ),
    ({"created_at": "yesterday"}, "The created_at field must be a time such as 2026-11-15T10:30:00Z, or Unix seconds."),
    ({"created_at": ""}, "The created_at field is empty."),
    ({"ip_address": "203.0.113.256"}, "The ip_address field must be an IP address."),
    ({"ip_address": "4294967296"}, "The ip_address field must be an IP address."),
    ({"billing_country": "Atlantis"}, "The billing_country field must be a country code such as DE, or a name."),
    ({"total": "much"}, "The total field must be an amount such as 19.99."),
    (
        {"total": "nan", "fraud": "2"},
        "The total field must be an amount such as 19.99. "
        "The fraud field must be 1, true, yes or fraud, or 0, false, no, legit, legitimate or empty.",
    ),
]


@pytest.mark.parametrize(("change", "reason"), BAD, ids=[" ".join(change) for change, _ in BAD])
def test_a_bad_row_is_reported_with_its_line_and_reasons_and_skipped(
    run: BacktestRun, change: dict[str, str], reason: str
) -> None:
    usual = ORDER | {"ip_address": "203.0.113.9", "billing_country": "DE", "total": "5"}
    outcome = run([usual, usual | change, usual], "--json")
    report = json.loads(outcome.out)
    assert (outcome.code, report["orders"], report["skipped"]) == (0, 2, 1)
    assert report["skipped_rows"] == [{"line": 3, "reason": reason}]
    assert outcome.err == f"Line 3: {reason}\nSkipped rows: 1.\n"


def test_rows_that_are_not_csv_are_bad_rows_too(run: BacktestRun) -> None:
    outcome = run("order_id,fraud\n1,0\n2\n3,0,0\n4,1\n", "--json")
    assert json.loads(outcome.out)["orders"] == 2
    assert outcome.err.splitlines()[0] == "Line 3: The row has 1 cell, but the first line has 2 columns."


def test_the_first_of_many_bad_rows_are_reported_and_all_are_counted(run: BacktestRun) -> None:
    outcome = run([ORDER, *[ORDER | {"fraud": "?"}] * 150], "--json")
    assert json.loads(outcome.out)["skipped"] == 150
    assert len(json.loads(outcome.out)["skipped_rows"]) == 100
    assert outcome.err.splitlines()[20:] == ["and 130 more.", "Skipped rows: 150."]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "The file is empty: its first line must have the column names."),
        ("order_id,class\n1,0\n", "The file has no column named fraud: it has order_id, class."),
        ("order_id,fraud\n", "The file has no orders: there are no rows below the column names."),
        ("fraud,fraud\n1,0\n", "The first line has a column twice: fraud."),
        (
            "fraud\n?\n!\n",
            "None of the 2 rows can be read. Line 2: "
            "The fraud field must be 1, true, yes or fraud, or 0, false, no, legit, legitimate or empty.",
        ),
    ],
)
def test_a_file_without_usable_data_is_one_sentence_and_exit_code_2(
    run: BacktestRun, content: str, sentence: str
) -> None:
    outcome = run(content)
    assert (outcome.code, outcome.sentence) == (2, sentence)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["none.csv"], "There is no file or folder none.csv."),
        (
            ["."],
            ". has no manifest.json: it is not a folder that `lootkeep export facts` has written.",
        ),
        (["past.csv", "--html", "no/page.html"], "no/page.html cannot be written: No such file or directory."),
        (["past.csv", "--scores", "no/s.csv"], "no/s.csv cannot be written: No such file or directory."),
    ],
)
def test_files_that_cannot_be_read_or_written_are_one_sentence(
    run: BacktestRun, options: list[str], sentence: str
) -> None:
    run([ORDER])
    outcome = run.terminal.call("fraud", "backtest", "--label", "fraud", *options)
    assert (outcome.code, outcome.sentence) == (2, sentence)
