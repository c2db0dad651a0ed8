"""Any history, read in any time zone: revenue and sales are what a reckoning over the orders themselves gives."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.orders import Sale
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant, instant
from lootkeep.kernel.errors import Reason
from lootkeep.kernel.money import Hundredths, text
from lootkeep.services import checkout, customers, fulfillment, orders, products
from lootkeep.storage import analytics, tables
from lootkeep.storage.database import Engine
from lootkeep.storage.postgres import PostgresDatabase
from lootkeep.storage.sqlite import SqliteDatabase
from tests.recount import kept, recounted, rows
from tests.services.goods import PLAIN
from tests.services.machines import Home
from tests.world import World

Row = dict[str, Any]

# A zone, and a night in which its clock is changed: forward or back, by an hour or half of one, at midnight or later.
NIGHTS = (
    ("UTC", datetime(2026, 11, 1, tzinfo=UTC)),
    ("Asia/Kathmandu", datetime(2026, 11, 1, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2026, 3, 29, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2026, 10, 25, tzinfo=UTC)),
    ("America/St_Johns", datetime(2026, 3, 8, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2026, 4, 5, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2025, 10, 5, tzinfo=UTC)),
    ("Pacific/Chatham", datetime(2026, 4, 5, tzinfo=UTC)),
    ("America/Havana", datetime(2026, 11, 1, tzinfo=UTC)),
    ("America/Sao_Paulo", datetime(2018, 11, 4, tzinfo=UTC)),
    ("America/Sao_Paulo", datetime(2018, 2, 18, tzinfo=UTC)),
)
COUNTRIES, METHODS = (None, "KR", "DE"), (None, "card", "crypto")
CATALOGUE = ({"price": 20_00}, {"price": 5, "delivery_type": "keys"}, {"price": 10_00, "currency": "EUR"}, {"price": 0})


class Deed(NamedTuple):
    """Something that happens after some minutes: a sale, or a step of an earlier order."""

    after: int
    kind: str
    who: int
    product: int
    quantity: int
    country: str | None
    method: str | None


deeds = st.lists(
    st.builds(
        Deed,
        st.sampled_from([0, 1, 14, 15, 45, 60, 600, 1440, 10_080, 46_080]),
        st.sampled_from(["buy", "buy", "buy", "order", "history", "refund", "part", "cancel", "fulfill"]),
        st.integers(0, 2),
        st.integers(0, 3),
        st.integers(1, 3),
        st.sampled_from(COUNTRIES),
        st.sampled_from(METHODS),
    ),
    max_size=14,
)


class Question(NamedTuple):
    night: tuple[str, datetime]
    begins: int
    days: int
    interval: str | None
    lead: int


questions = st.builds(
    Question,
    st.sampled_from(NIGHTS),
    st.integers(-3, 1),
    st.sampled_from([1, 2, 3, 7, 40, 100]),
    st.sampled_from([None, "hour", "day", "week", "month"]),
    st.integers(0, 48 * 4),
)


async def live(world: World, told: list[Deed], start: datetime) -> None:
    """The deeds one after another; what the store refuses did not happen."""
    people = [
        (await customers.sign_up(world.deps, SignUp(f"p{n}@p{n}.example", f"P{n}"))).customer.id for n in range(3)
    ]
    goods = [(await products.create(world.deps, replace(PLAIN, name="g", **terms))).id for terms in CATALOGUE]
    world.clock.advance(instant(start) - world.clock.now())
    placed: list[int] = []
    for deed in told:
        world.clock.advance(deed.after * MINUTE)
        line = CartLine(goods[deed.product], deed.quantity)
        cart = Cart(people[deed.who], (line, line), "203.0.113.9", billing_country=deed.country)
        try:
            placed += [sale.order.id for sale in await _do(world, deed, cart, placed)]
        except Reason:
            continue


async def _do(world: World, deed: Deed, cart: Cart, placed: list[int]) -> list[Sale]:
    deps, now = world.deps, world.clock.now()
    if deed.kind == "history":
        paid_at = Instant(now - deed.quantity * 5 * HOUR)
        times = {"created_at": Instant(paid_at - HOUR), "paid_at": paid_at, "completed_at": Instant(paid_at + HOUR)}
        return [(await checkout.place(deps, replace(cart, **times)))[0]]
    if deed.kind in ("buy", "order"):
        sale, _ = await checkout.place(deps, cart)
        if deed.kind == "buy" and sale.order.paid_at is None:
            await orders.pay(deps, sale.order.id, deed.method, None)
        return [sale]
    if placed:
        order_id = placed[deed.who - 1 if deed.who < len(placed) else -1]
        if deed.kind in ("refund", "part"):
            await orders.refund(deps, order_id, Hundredths(3) if deed.kind == "part" else None, None)
        elif deed.kind == "cancel":
            await orders.cancel(deps, order_id, None)
        else:
            await fulfillment.fulfill(deps, order_id, None, None)
    return []


class Reckoning:
    """The same figures from the raw rows, by asking each order on which local day it fell."""

    def __init__(self, stored: dict[str, list[Row]], first: date, last: date, zone: str, interval: str) -> None:
        self.zone, self.first, self.last, self.interval = ZoneInfo(zone), first, last, interval
        self.start = datetime(first.year, first.month, first.day, tzinfo=self.zone).astimezone(UTC)
        self.orders = {row["id"]: row for row in stored["orders"]}
        self.lines: dict[int, list[Row]] = defaultdict(list)
        for line in stored["items"]:
            self.lines[line["order_id"]].append(line)
        self.points: dict[str, Counter[str]] = defaultdict(Counter)
        self.others: dict[str, Counter[str]] = defaultdict(Counter)
        self.paid = [row for row in self.orders.values() if self.label(row["paid_at"])]
        for order in self.paid:
            items = sum(line["quantity"] for line in self.lines[order["id"]])
            self.add(order["paid_at"], order["currency"], gross=order["total"], orders=1, items=items)
        for refund in stored["refunds"]:
            self.add(refund["created_at"], self.orders[refund["order_id"]]["currency"], refunds=refund["amount"])
        for order in self.orders.values():
            self.add(order["completed_at"], order["currency"], completed=1)
            if order["status"] == "refunded":
                self.add(order["refunded_at"], order["currency"], refunded=1)
        firsts: dict[int, int] = {}
        for order in self.orders.values():
            if order["paid_at"] is not None:
                firsts[order["customer_id"]] = min(order["paid_at"], firsts.get(order["customer_id"], 2**62))
        for first_at in firsts.values():
            self.add(first_at, "USD", new=1)

    def label(self, at: int | None) -> str | None:
        """The interval in which a time lies, as the answer names it; None outside."""
        if at is None:
            return None
        moment = datetime.fromtimestamp(at // 1_000_000, UTC)
        day = moment.astimezone(self.zone).date()
        if not self.first <= day <= self.last:
            return None
        if self.interval == "hour":
            begun = self.start + timedelta(hours=(moment - self.start) // timedelta(hours=1))
            return begun.strftime("%Y-%m-%dT%H:%M:%SZ")
        if self.interval == "week":
            day -= timedelta(days=day.weekday())
        if self.interval == "month":
            day = day.replace(day=1)
        return max(day, self.first).isoformat()

    def add(self, at: int | None, currency: str, **values: int) -> None:
        label = self.label(at)
        if label is None:
            return
        money = {name: value for name, value in values.items() if name in ("gross", "refunds", "orders")}
        self.others[currency].update(money)
        counted = {f"{name} of all": value for name, value in values.items()}
        self.points[label].update(counted | ({} if currency != "USD" else money))

    def total(self, name: str) -> int:
        return sum(point[name] for point in self.points.values())


async def check_revenue(world: World, query: str, interval: str, reckoning: Callable[[str], Reckoning]) -> None:
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
    totals = answer["totals"]
    assert (totals["gross_revenue"], totals["refunds"]) == (_text(right.total("gross")), _text(right.total("refunds")))
    others = {one["currency"]: (one["gross_revenue"], one["refunds"]) for one in answer["other_currencies"]}
    assert others == {
        currency: (_text(sums["gross"]), _text(sums["refunds"]))
        for currency, sums in right.others.items()
        if currency != "USD"
    }


async def check_sales(world: World, query: str, interval: str, reckoning: Callable[[str], Reckoning]) -> None:
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


def _check_parts(answer: Row, right: Reckoning) -> None:
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
    assert {one["id"]: one["total_spent"] for one in answer["top_customers"]} == {
        who: _text(amount) for who, amount in spent.items() if amount
    }
    amounts = [float(one["total_spent"]) for one in answer["top_customers"]]
    assert amounts == sorted(amounts, reverse=True)


def _text(amount: int) -> str:
    return text(Hundredths(amount))


async def check(world: World, told: list[Deed], question: Question) -> None:
    zone, night = question.night
    await live(world, told, night - timedelta(days=1) + timedelta(minutes=15 * question.lead))
    first = night.date() + timedelta(days=question.begins)
    last = first + timedelta(days=question.days - 1)
    asked = {"from": first.isoformat(), "to": last.isoformat(), "timezone": zone}
    if question.interval and not (question.interval == "hour" and question.days > 7):
        asked["interval"] = question.interval
    stored = {
        "orders": await rows(world.db, tables.orders),
        "items": await rows(world.db, tables.order_items),
        "refunds": await rows(world.db, tables.refunds),
    }

    def reckoning(interval: str) -> Reckoning:
        return Reckoning(stored, first, last, zone, interval)

    await check_revenue(world, urlencode(asked), asked.get("interval", ""), reckoning)
    await check_sales(world, urlencode(asked), asked.get("interval", ""), reckoning)
    assert await kept(world.db) == await recounted(world.db)
    await check_ways_to_the_top(world, instant(night))


# Stretches around the night, as days before it and after it, and how many are asked for: within one month and over
# several, years and more of them.
SPANS = ((0, 1, 1), (3, 4, 1), (20, 45, 2), (40, 130, 1), (100, 400, 1), (100, 400, 2), (700, 90, 1), (1500, 600, 1))


async def check_ways_to_the_top(world: World, night: Instant) -> None:
    """Adding everything up and looking at those first who spent most around that time give the same."""
    async with world.db.read() as tx:
        for before, after, size in SPANS:
            # A time that no zone's day begins with: what is left over at the ends is cut by the second.
            start, end = Instant(night - before * DAY - 7 * HOUR), Instant(night + after * DAY + 5 * MINUTE)
            added_up, looked_at = [
                await analytics.top_customers(tx, start, end, "USD", size, orders=orders, product_id=None)
                for orders in (0, 10**9)
            ]
            assert looked_at == added_up


def play(empty: Callable[[], Coroutine[Any, Any, Engine]], examples: int) -> None:
    home = Home(empty)

    @settings(
        deadline=None, max_examples=examples, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
    )
    @given(told=deeds, question=questions)
    def every_history_agrees(told: list[Deed], question: Question) -> None:
        world = home.move_in()
        try:
            home.run(check(world, told, question))
        finally:
            home.move_out(world)

    try:
        every_history_agrees()
    finally:
        home.leave()


@pytest.mark.timeout(600)
def test_figures_of_any_history_agree_with_the_orders_on_sqlite(sqlite_template: Path, tmp_path: Path) -> None:
    numbers = count(1)

    async def empty() -> Engine:
        path = tmp_path / f"{next(numbers)}.db"
        shutil.copy(sqlite_template, path)
        return SqliteDatabase(path)

    play(empty, 100)


@pytest.mark.timeout(600)
def test_figures_of_any_history_agree_with_the_orders_on_postgresql(postgres_url: str) -> None:
    names = ", ".join(table.name for table in tables.metadata.sorted_tables)

    async def empty() -> Engine:
        connection = await asyncpg.connect(postgres_url)
        await connection.execute(f"TRUNCATE {names} RESTART IDENTITY CASCADE")
        await connection.close()
        return await PostgresDatabase.open(postgres_url, 1)

    play(empty, 25)
