"""The benchmark keeps its word: what it stores, how it rounds, what it calls missed, and that a section runs."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import apsw
import pytest

from bench import api, data, grown, growth, plots, report
from bench.options import Options
from bench.plots import Plot
from bench.report import MET, MISSED, SectionResult, Table
from bench.subjects import Subject, SubjectDatabase


def test_a_ratio_is_the_median_of_the_rounds() -> None:
    times = report.ratio([8.0, 12.0, 10.0], [1.0, 1.0, 2.0])
    assert (times.median, times.low, times.high) == (8.0, 6.5, 10.0)


def test_numbers_are_shown_with_three_digits() -> None:
    assert [report.shown(value) for value in (0.123, 12.34, 1234.5, 1_000_000, None)] == [
        "0.12",
        "12.3",
        "1,234",
        "1,000,000",
        "–",
    ]


def test_a_row_that_misses_its_target_counts() -> None:
    rows: list[list[report.Cell]] = [["a", 1.0, MET], ["b", 2.0, MISSED]]
    assert SectionResult([Table("Title", ["", "times", ""], rows)]).missed == 1


def test_a_section_that_was_not_run_says_so() -> None:
    page = report.pages({}, {"api": ("The API", "Text.")})[report.PAGE]
    assert "This section has not been run." in page


def test_the_tables_of_an_engine_that_was_not_measured_stay_and_name_their_run() -> None:
    def table(engine: str, figure: float) -> Table:
        return Table(f"{engine}: orders", ["", "ms"], [["placed", figure]])

    first, second = (
        {"command": "bench", "measured": "Monday"},
        {"command": "bench --engine sqlite", "measured": "Friday"},
    )
    both = SectionResult([table("sqlite", 1.0), table("postgresql", 2.0)])
    section = report.section_with(both, first, ("sqlite", "postgresql"), None)
    section = report.section_with(SectionResult([table("sqlite", 3.0)]), second, ("sqlite",), section)
    page = report.pages({"orders": section}, {"orders": ("Orders", "Text.")})[report.PAGE]
    assert page.count("Monday") == page.count("Friday") == 1
    assert [page.index(text) for text in ("Friday", "3.00", "2.00", "Monday")] == sorted(
        page.index(text) for text in ("Friday", "3.00", "2.00", "Monday")
    )
    section = report.section_with(both, second, ("sqlite", "postgresql"), section)
    assert "Monday" not in report.pages({"orders": section}, {"orders": ("Orders", "Text.")})[report.PAGE]


def test_plots_are_well_formed() -> None:
    bars = Plot("bars", "A <title>", "times", {"one": [("a & b", 2.0)], "two": [("a & b", 3.0)]}, {"target": 8.0})
    lines = Plot("lines", "Title", "ms", {"one": [(10, 1.0), (100, 20.0)]}, {"150 ms": 150.0}, is_lines=True)
    for plot in (bars, lines):
        assert ElementTree.fromstring(plots.svg(plot)).tag.endswith("svg")


def test_every_endpoint_and_page_answers_in_a_grown_store() -> None:
    result = growth.measure(Options(is_quick=True, engines=("sqlite",), rounds=1, rows=(100, 200)))
    (table,) = result.tables
    measured = [str(row[0]) for row in table.rows]
    assert {"/external/v1/orders", "/external/v1/orders, middle page", "/console/orders/{id}"} <= set(measured)
    assert [row for row in table.rows if "answered" in str(row)] == []
    assert len(table.columns) == len(table.rows[0])


async def test_an_answer_that_is_an_error_misses_and_what_has_no_example_is_left_out() -> None:
    store = await growth.open_store("sqlite", 100, await grown.store("sqlite", 100), grown.END)
    try:
        failed = await growth.compare_path("lost", "/api/external/v1/orders?status=lost", [store], 1)
        assert failed == ["lost", None, None, "answered 422", MISSED]
        assert await growth.compare_path("none", "/api/external/v1/orders/999999", [store], 1) is None
    finally:
        await store.world.close()
        await store.world.db.close()


def test_what_is_deep_or_rare_may_cost_more_in_a_large_store() -> None:
    pages = ("/console/orders", "/console/analytics, a year", "/console/analytics/growth, a year", "/fraud/signals")
    assert [growth.max_ms(page) for page in pages] == [0.0, 150.0, 1000.0, 1000.0]


def test_a_copied_store_has_every_order_with_its_buyer_and_its_check_as_often_as_it_should(tmp_path: Path) -> None:
    asyncio.run(data.make_sqlite(tmp_path / "copied.db", replace(data.PAST, copies=3), 900))
    connection = apsw.Connection(str(tmp_path / "copied.db"))
    same = "orders o JOIN customers c ON c.id = o.customer_id JOIN fraud_checks f ON f.order_id = o.id"
    counts = connection.execute(
        f"SELECT count(*), count(DISTINCT o.id), count(DISTINCT c.email) % 3 FROM {same}"
        " WHERE f.customer_id = c.id AND c.email LIKE '%' || f.email"
    ).fetchall()
    assert counts == [(900, 900, 0)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_buyer_orders_from_their_own_device_whatever_id_they_got() -> None:
    side = api.Side(Subject("", 0, 0, ""), SubjectDatabase("", None), 1)
    side.customers = {"jun0@example.com": 71, "jun1@example.com": 70}
    bodies = [json.loads(request.partition(b"\r\n\r\n")[2]) for request in side.requests("an order placed", 2)]
    assert [(body["customer_id"], body["device_id"]) for body in bodies] == [(71, "device-0"), (70, "device-1")]


@pytest.mark.parametrize(("action", "status"), [("flagged", "paid"), ("allowed", "on_hold")])
def test_orders_that_something_speaks_against_are_not_reported(tmp_path: Path, action: str, status: str) -> None:
    connection = apsw.Connection(str(tmp_path / "orders.db"))
    connection.execute("CREATE TABLE orders (status TEXT); CREATE TABLE fraud_checks (action_taken TEXT)")
    database = SubjectDatabase(f"sqlite:///{tmp_path}/orders.db", None)
    rows = [("paid", "allowed")] * 99 + [(status, action)]
    for row in rows:
        connection.execute("INSERT INTO orders VALUES (?)", row[:1])
        connection.execute("INSERT INTO fraud_checks VALUES (?)", row[1:])
    asyncio.run(api.refuse_suspected("Lootkeep", database))
    connection.execute("UPDATE orders SET status = ? WHERE rowid = 1", (status,))
    connection.execute("UPDATE fraud_checks SET action_taken = ? WHERE rowid = 1", (action,))
    with pytest.raises(SystemExit, match="of 100 orders"):
        asyncio.run(api.refuse_suspected("Lootkeep", database))
