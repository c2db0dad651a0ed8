"""Revenue and sales of any history in any time zone equal a computation from the orders themselves."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Coroutine
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings

from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant, instant
from lootkeep.kernel.money import Hundredths, text
from lootkeep.storage import schema
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.sales import direct as sales_direct_db
from tests.recount import maintained, recounted, rows
from tests.services.histories import Question, ScheduledStep, live, operations, questions
from tests.services.machines import MachineEnvironment
from tests.services.raw_figures import RawFigures, Row
from tests.world import World


async def check_revenue(world: World, query: str, interval: str, reckoning: Callable[[str], RawFigures]) -> None:
    answer = (await world.get(f"/analytics/revenue?{query}")).json()["data"]
    right = reckoning(answer["period"]["interval"])
    shown = {
        point["date"]: (point["gross_revenue"], point["refunds"], point["net_revenue"], point["orders_count"])
        for point in answer["series"]
    }
    assert set(right.points) <= set(shown)
    for label, figures in shown.items():
        gross, refunds = right.points[label]["gross"], right.points[label]["refunds"]
        assert figures == (_text(gross), _text(refunds), _text(gross - refunds), right.points[label]["orders"]), label
    assert {point["date"]: point["tax"] for point in answer["series"]} == {
        label: _text(right.points[label]["tax"]) for label in shown
    }
    totals = answer["totals"]
    assert totals["net_of_tax"] == _text(right.total("gross") - right.total("refunds") - right.total("tax"))
    assert (totals["gross_revenue"], totals["refunds"]) == (_text(right.total("gross")), _text(right.total("refunds")))
    others = {row["currency"]: (row["gross_revenue"], row["refunds"]) for row in answer["other_currencies"]}
    assert others == {
        currency: (_text(sums["gross"]), _text(sums["refunds"]))
        for currency, sums in right.others.items()
        if currency != "USD"
    }


async def check_sales(world: World, query: str, interval: str, reckoning: Callable[[str], RawFigures]) -> None:
    answer = (await world.get(f"/analytics/sales?{query}")).json()["data"]
    right = reckoning(answer["period"]["interval"])
    for point in answer["series"]:
        counted = right.points[point["date"]]
        names = ("orders", "items", "completed", "refunded", "new")
        assert list(point.values())[1:] == [counted[f"{name} of all"] for name in names], point["date"]
    totals = answer["totals"]
    unique = len({order["customer_id"] for order in right.paid})
    new = right.total("new of all")
    assert (totals["orders_count"], totals["unique_customers"]) == (len(right.paid), unique)
    assert (totals["new_customers"], totals["returning_customers"]) == (new, unique - new)
    placed = Counter(order["status"] for order in right.orders.values() if right.label(order["created_at"]))
    assert +Counter(answer["by_status"]) == placed
    _check_parts(answer, right)


def _check_parts(answer: Row, right: RawFigures) -> None:
    for name, column in (("country", "billing_country"), ("payment_method", "payment_method")):
        counted = Counter(order[column] for order in right.paid)
        money: Counter[str | None] = Counter()
        for order in right.paid:
            money[order[column]] += order["total"] if order["currency"] == "USD" else 0
        shown = {part[name]: (part["orders_count"], part["gross_revenue"]) for part in answer[f"by_{name}"]}
        assert shown == {key: (counted[key], _text(money[key])) for key in counted}
    sold: Counter[int] = Counter()
    for order in right.paid:
        for line in right.lines[order["id"]]:
            sold[line["product_id"]] += line["quantity"]
    assert {part["product_id"]: part["items_sold"] for part in answer["top_products"]} == dict(sold)
    spent: Counter[int] = Counter()
    for order in right.paid:
        if order["currency"] == "USD":
            spent[order["customer_id"]] += order["total"] - order["refunded_total"]
    assert {customer["id"]: customer["total_spent"] for customer in answer["top_customers"]} == {
        who: _text(amount) for who, amount in spent.items() if amount
    }
    amounts = [float(customer["total_spent"]) for customer in answer["top_customers"]]
    assert amounts == sorted(amounts, reverse=True)


def _text(amount: int) -> str:
    return text(Hundredths(amount))


async def check(world: World, steps: list[ScheduledStep], question: Question) -> None:
    zone, night = question.night
    await live(world, steps, night - timedelta(days=1) + timedelta(minutes=15 * question.lead))
    first = night.date() + timedelta(days=question.begins)
    last = first + timedelta(days=question.days - 1)
    query = {"from": first.isoformat(), "to": last.isoformat(), "timezone": zone}
    if question.interval and not (question.interval == "hour" and question.days > 7):
        query["interval"] = question.interval
    stored = {
        "orders": await rows(world.db, schema.orders),
        "items": await rows(world.db, schema.order_items),
        "refunds": await rows(world.db, schema.refunds),
    }

    def reckoning(interval: str) -> RawFigures:
        return RawFigures(stored, first, last, zone, interval)

    await check_revenue(world, urlencode(query), query.get("interval", ""), reckoning)
    await check_sales(world, urlencode(query), query.get("interval", ""), reckoning)
    assert await maintained(world.db) == await recounted(world.db)
    await check_ways_to_the_top(world, instant(night))


# Date ranges around the night, as days before it and after it, and how many are asked for: within one month and over
# several, years and more of them.
SPANS = ((0, 1, 1), (3, 4, 1), (20, 45, 2), (40, 130, 1), (100, 400, 1), (100, 400, 2), (700, 90, 1), (1500, 600, 1))


async def check_ways_to_the_top(world: World, night: Instant) -> None:
    """Adding everything up and looking at those first who spent most around that time give the same."""
    async with world.db.read() as tx:
        for before, after, size in SPANS:
            # A time that no zone's day begins with: what is left over at the ends is cut by the second.
            start, end = Instant(night - before * DAY - 7 * HOUR), Instant(night + after * DAY + 5 * MINUTE)
            added_up, looked_at = [
                await sales_direct_db.top_customers(tx, start, end, "USD", size, orders=orders, product_id=None)
                for orders in (0, 10**9)
            ]
            # Who spent alike at the end of a list may be on it or not.
            assert [customer.spent for customer in looked_at] == [customer.spent for customer in added_up]


def play(empty: Callable[[], Coroutine[Any, Any, Engine]], examples: int) -> None:
    home = MachineEnvironment(empty)

    @settings(
        deadline=None, max_examples=examples, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
    )
    @given(steps=operations, question=questions)
    def every_history_agrees(steps: list[ScheduledStep], question: Question) -> None:
        world = home.move_in()
        try:
            home.run(check(world, steps, question))
        finally:
            home.move_out(world)

    try:
        every_history_agrees()
    finally:
        home.leave()


@pytest.mark.timeout(600)
def test_figures_agree_with_the_orders_for_any_history_on_sqlite(sqlite_template: Path, tmp_path: Path) -> None:
    numbers = count(1)

    async def empty() -> Engine:
        path = tmp_path / f"{next(numbers)}.db"
        shutil.copy(sqlite_template, path)
        return SqliteDatabase(path)

    play(empty, 100)


@pytest.mark.timeout(600)
def test_figures_agree_with_the_orders_for_any_history_on_postgresql(postgres_url: str) -> None:
    names = ", ".join(table.name for table in schema.metadata.sorted_tables)

    async def empty() -> Engine:
        connection = await asyncpg.connect(postgres_url)
        await connection.execute(f"TRUNCATE {names} RESTART IDENTITY CASCADE")
        await connection.close()
        return await PostgresDatabase.open(postgres_url, 1)

    play(empty, 25)
