"""Computes revenue and sales from the orders themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.recount.figures import taxed

Row = dict[str, Any]


class RawFigures:
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
            self.add(order["paid_at"], order["currency"], tax=order["tax_total"] or 0)
        refunded: Counter[int] = Counter()
        for refund in sorted(stored["refunds"], key=lambda refund: refund["id"]):
            order = self.orders[refund["order_id"]]
            before, after = refunded[order["id"]], refunded[order["id"]] + refund["amount"]
            refunded[order["id"]] = after
            tax = taxed(order, before) - taxed(order, after)
            self.add(refund["created_at"], order["currency"], refunds=refund["amount"], tax=tax)
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
        """The interval that a time is in, as the answer names it; None outside."""
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
        money = {name: value for name, value in values.items() if name in ("gross", "refunds", "orders", "tax")}
        self.others[currency].update(money)
        counted = {f"{name} of all": value for name, value in values.items()}
        self.points[label].update(counted | ({} if currency != "USD" else money))

    def total(self, name: str) -> int:
        return sum(point[name] for point in self.points.values())
