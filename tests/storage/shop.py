"""A generated shop: its rows, and what each filter of a list must find."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Table, bindparam, insert

from lootkeep.kernel.clock import DAY, HOUR, Instant
from lootkeep.storage.engine.database import Database
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, order_items, orders, product_tags, products
from tests.world import NOON

Row = dict[str, Any]
RowFilter = Callable[[Row], bool]
# What is asked for, and what it must find.
Filters = dict[str, tuple[dict[str, Any], RowFilter]]

STATUSES = ("pending", "paid", "paid", "completed", "refunded", "cancelled")
TODAY = NOON // DAY * DAY
DAYS = (Instant(TODAY - 6 * DAY), Instant(TODAY - 2 * DAY))


def customer_row(chance: random.Random, number: int) -> Row:
    name = chance.choice(["Ann", "ann", "Bé", "Zoë", "_%", "Ann Lee"])
    count = chance.choice([0, 0, 1, 3])
    return {
        "id": number,
        "email": f"{name[:1].lower()}{number}@mail{number % 3}.example",
        "name": name,
        "country": chance.choice([None, "KR", "DE"]),
        "status": chance.choice(["active", "active", "active", "blocked"]),
        "accepts_marketing": chance.random() < 0.4,
        "email_status": "ok",
        "referral_code": f"C{number}",
        "referred_by_id": 1 if number % 5 == 0 else None,
        "orders_count": count,
        "total_spent": count * chance.choice([5, 10]),
        "first_order_at": NOON if count else None,
        "last_order_at": NOON - chance.randrange(5) * DAY if count else None,
        "tags": "[]",
        "search_text": f"{name.casefold()}\n{name[:1].lower()}{number}@mail{number % 3}.example",
        "created_at": NOON - chance.randrange(8) * DAY - chance.randrange(3) * HOUR,
        "updated_at": NOON,
    }


def product_row(chance: random.Random, number: int) -> Row:
    name = chance.choice(["Sword", "sword", "Épée", "Shield of %"])
    return {
        "id": number,
        "name": name,
        "slug": f"p{number}",
        "sku": f"SKU-{number}",
        "delivery_type": chance.choice(["file", "manual"]),
        "billing_type": "one_time",
        "status": chance.choice(["draft", "active", "archived"]),
        "price": chance.choice([0, 5_00, 10_00, 99_99]),
        "currency": "USD",
        "stock": chance.choice([None, 0, 1, 7]),
        "category": chance.choice([None, "Weapons", "Maps"]),
        "tags": "[]",
        "sales_count": chance.randrange(4),
        "metadata": "{}",
        "search_text": f"{name}\nSKU-{number}".casefold(),
        "created_at": NOON - chance.randrange(8) * DAY,
        "updated_at": NOON - chance.randrange(3) * DAY,
        "deleted_at": NOON if number % 9 == 0 else None,
    }


def order_row(chance: random.Random, number: int, customer_ids: Sequence[int]) -> Row:
    status, total = chance.choice(STATUSES), chance.choice([0, 5_00, 20_00, 20_01])
    created_at = NOON - chance.randrange(9) * DAY - chance.randrange(3) * HOUR
    is_paid = status not in ("pending", "cancelled")
    return {
        "id": number,
        "customer_id": chance.choice(customer_ids),
        "status": status,
        "subtotal": total,
        "discount_total": 0,
        "total": total,
        "gift_card_total": 0,
        "refunded_total": 0,
        "currency": "USD",
        "coupon_code": chance.choice([None, None, "HI-1"]),
        "payment_method": chance.choice([None, "card", "crypto"]),
        "transaction_id": f"t{number}" if is_paid else None,
        "billing_country": chance.choice([None, "KR", "DE"]),
        "external_id": f"cart {number}",
        "metadata": "{}",
        "created_at": created_at,
        "updated_at": created_at,
        "paid_at": created_at + chance.randrange(4) * HOUR if is_paid else None,
        "risk_level": chance.choice([None, "low", "high"]),
    }


class ShopRows:
    """The rows of a generated shop, as they were written."""

    def __init__(self, seed: int, size: int) -> None:
        chance = random.Random(seed)
        self.customers = [customer_row(chance, number) for number in range(1, 61)]
        self.products = [product_row(chance, number) for number in range(1, 61)]
        self.orders = [order_row(chance, number, range(1, 61)) for number in range(1, size + 1)]
        self.lines = [
            {
                "order_id": order["id"],
                "product_id": chance.randint(1, 5),
                "product_name": "x",
                "delivery_type": "manual",
                "quantity": 1,
                "price": order["total"],
                "total": order["total"],
                "fulfilled_quantity": 0,
            }
            for order in self.orders
        ]
        self.tags = [
            {"tag": tag, "product_id": row["id"]}
            for row in self.products
            for tag in ("rare", "new")
            if row["deleted_at"] is None and chance.random() < 0.3
        ]
        self.emails = {row["id"]: row["email"] for row in self.customers}
        self.search = {row["id"]: row["search_text"] for row in self.customers}

    async def open(self, db: Database) -> None:
        for table, rows in (
            (customers, self.customers),
            (products, self.products),
            (orders, self.orders),
            (order_items, self.lines),
            (product_tags, self.tags),
        ):
            await add_rows(db, table, rows)

    def order_filters(self) -> Filters:
        bought = {(line["order_id"], line["product_id"]) for line in self.lines}
        mine = self.emails[7]
        return {
            "customer_id": ({"customer_id": 7}, lambda o: o["customer_id"] == 7),
            "email": ({"email": mine}, lambda o: self.emails[o["customer_id"]] == mine),
            "coupon_code": ({"coupon_code": "HI-1"}, lambda o: o["coupon_code"] == "HI-1"),
            "search": ({"search": "mail1"}, lambda o: "mail1" in self.search[o["customer_id"]]),
            "number": ({"search": "ORD-000012"}, lambda o: o["id"] == 12),
            "external": ({"search": "cart 9"}, lambda o: o["external_id"] == "cart 9"),
            "transaction": ({"search": "t1"}, lambda o: o["transaction_id"] == "t1"),
            "short": ({"search": "Z"}, lambda o: "z" in self.search[o["customer_id"]]),
            "product_id": ({"product_id": 2}, lambda o: (o["id"], 2) in bought),
            "risk_level": ({"risk_level": "high"}, lambda o: o["risk_level"] == "high"),
            "payment_method": ({"payment_method": "card"}, lambda o: o["payment_method"] == "card"),
            "country": ({"country": "KR"}, lambda o: o["billing_country"] == "KR"),
            "status": ({"status": "paid"}, lambda o: o["status"] == "paid"),
            "min_total": ({"min_total": 5_00}, lambda o: o["total"] >= 5_00),
            "max_total": ({"max_total": 20_00}, lambda o: o["total"] <= 20_00),
            "from": ({"from": DAYS[0]}, lambda o: o["created_at"] >= DAYS[0]),
            "to": ({"to": DAYS[1]}, lambda o: o["created_at"] < DAYS[1]),
        }

    def customer_filters(self) -> Filters:
        mine = self.emails[7]
        return {
            "email": ({"email": mine}, lambda c: c["email"] == mine),
            "search": ({"search": "Ann"}, lambda c: "ann" in c["search_text"]),
            "wild": ({"search": "_%"}, lambda c: "_%" in c["search_text"]),
            "country": ({"country": "KR"}, lambda c: c["country"] == "KR"),
            "status": ({"status": "blocked"}, lambda c: c["status"] == "blocked"),
            "spent": ({"min_total_spent": 10}, lambda c: c["total_spent"] >= 10),
            "has_orders": ({"has_orders": 1}, lambda c: c["orders_count"] > 0),
            "has_no_orders": ({"has_no_orders": 0}, lambda c: c["orders_count"] == 0),
            "marketing": ({"accepts_marketing": True}, lambda c: bool(c["accepts_marketing"])),
            "no marketing": ({"accepts_marketing": False}, lambda c: not c["accepts_marketing"]),
            "from": ({"from": DAYS[0]}, lambda c: c["created_at"] >= DAYS[0]),
            "to": ({"to": DAYS[1]}, lambda c: c["created_at"] < DAYS[1]),
        }

    def product_filters(self) -> Filters:
        tagged = {(row["product_id"], row["tag"]) for row in self.tags}
        return {
            "search": ({"search": "sword"}, lambda p: "sword" in p["search_text"]),
            "short": ({"search": "%"}, lambda p: "%" in p["search_text"]),
            "tag": ({"tag": "rare"}, lambda p: (p["id"], "rare") in tagged),
            "category": ({"category": "Maps"}, lambda p: p["category"] == "Maps"),
            "delivery_type": ({"delivery_type": "file"}, lambda p: p["delivery_type"] == "file"),
            "status": ({"status": "active"}, lambda p: p["status"] == "active"),
            "billing_type": ({"billing_type": "one_time"}, lambda p: p["billing_type"] == "one_time"),
            "min_price": ({"min_price": 5_00}, lambda p: p["price"] >= 5_00),
            "max_price": ({"max_price": 10_00}, lambda p: p["price"] <= 10_00),
            "in_stock": ({"in_stock": 1}, lambda p: p["stock"] is None or p["stock"] > 0),
            "out_of_stock": ({"out_of_stock": 0}, lambda p: p["stock"] == 0),
            "from": ({"from": DAYS[0]}, lambda p: p["created_at"] >= DAYS[0]),
            "to": ({"to": DAYS[1]}, lambda p: p["created_at"] < DAYS[1]),
        }


async def add_rows(db: Database, table: Table, rows: Sequence[Row]) -> None:
    names = sorted({name for row in rows for name in row})
    added = insert(table).values({name: bindparam(f"v_{name}", type_=table.c[name].type) for name in names})
    async with db.write() as tx:
        await tx.execute_many(Query(added), [{f"v_{name}": row.get(name) for name in names} for row in rows])
