"""Orders imported as a batch equal orders imported one by one."""

from __future__ import annotations

import random
from typing import Any

from sqlalchemy import Table, select

from lootkeep.domain.checkout import Cart, CartLine, PastRefund
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant
from lootkeep.kernel.errors import AppError
from lootkeep.kernel.money import Hundredths
from lootkeep.services import orders as orders_service
from lootkeep.services.orders.place import PlacedOrder
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import (
    counters,
    customers,
    events,
    fraud_checks,
    order_items,
    orders,
    products,
    referrals,
    referrers,
    refunds,
    sales_rollups,
    sightings,
)
from lootkeep.storage.totals.declared import SALES
from tests.builders import new_customer, new_product, referred
from tests.world import NOON, World

# All that placing an order can touch.
TOUCHED = (
    orders,
    order_items,
    refunds,
    fraud_checks,
    sightings,
    customers,
    products,
    counters,
    sales_rollups,
    referrals,
    referrers,
    events,
)
# PostgreSQL gives out no number twice, even if nothing came of it: so ids count from the first of their table.
NUMBERED = {"orders": {"id": orders}, "order_items": {"id": order_items, "order_id": orders}}
NUMBERED |= {"refunds": {"id": refunds, "order_id": orders}}
NUMBERED |= {"fraud_checks": {"id": fraud_checks, "order_id": orders}}

# How what was paid, and what was not, came out; some of it cannot have been.
PART = (PastRefund(Hundredths(1_00), "late", Instant(NOON - DAY)), PastRefund(Hundredths(50)))
ENDINGS: list[dict[str, Any]] = [{}, {}, {"status": "refunded"}, {"refunds": PART}, {"discount": Hundredths(5_00)}]
UNPAID: list[dict[str, Any]] = [{}, {}, {}, {"status": "cancelled"}]

CheckoutResult = tuple[list[str], dict[str, list[dict[str, Any]]]]


class _Rollback(Exception):
    """Rolls the transaction back."""


async def test_orders_imported_as_a_batch_equal_orders_imported_one_by_one(world: World) -> None:
    carts = _carts(random.Random(5), await _people(world), await _product_ids(world))
    together, alone = await _outcome(world, carts, 500), await _outcome(world, carts, 1)
    assert together == alone
    messages, tables = together
    assert {"placed", "The items.0.quantity field is more than what is in stock."} <= set(messages)
    assert len(tables["orders"]) == messages.count("placed") > 150
    assert {row["status"] for row in tables["orders"]} >= {
        "pending",
        "paid",
        "completed",
        "partially_refunded",
        "refunded",
        "cancelled",
    }
    # Orders have seen those before them, or the two could not differ.
    assert len({row["risk_score"] for row in tables["fraud_checks"]}) > 3


async def _people(world: World) -> list[int]:
    first = (await new_customer(world, email="first@first.example"))["customer"]
    plain = [(await new_customer(world, email=f"p{n}@mail.example"))["customer"]["id"] for n in range(25)]
    # Some share a mailbox, and some were brought by another.
    tagged = [(await new_customer(world, email=f"p1+{n}@mail.example"))["customer"]["id"] for n in range(3)]
    brought = [(await referred(world, first["referral_code"], email=f"r{n}@far{n}.example"))["id"] for n in range(3)]
    return [*plain, *tagged, *brought]


async def _product_ids(world: World) -> list[int]:
    terms: list[dict[str, Any]] = [{}, {"delivery_type": "keys"}, {"stock": 4}, {"price": "0.00"}, {"stock": 1000}]
    return [(await new_product(world, name=f"Thing {n}", **fields))["id"] for n, fields in enumerate(terms)]


def _carts(chance: random.Random, people: list[int], product_ids: list[int]) -> list[Cart]:
    """Of few customers, addresses and devices, within few hours: nearly every order must see one before it."""
    carts = []
    for number in range(220):
        at = Instant(NOON - 2 * DAY + chance.randrange(5 * HOUR))
        paid = Instant(at + MINUTE) if chance.random() < 0.7 else None
        done = Instant(at + HOUR) if paid is not None and chance.random() < 0.5 else None
        price = None if paid is None else chance.choice((None, Hundredths(7_77)))
        lines = tuple(
            CartLine(product_id, chance.choice((1, 2)), price)
            for product_id in chance.sample(product_ids, chance.choice((1, 2)))
        )
        ending: dict[str, Any] = chance.choice(ENDINGS) if paid is not None else chance.choice(UNPAID)
        carts.append(
            Cart(
                # One is of nobody.
                customer_id=99_999 if number == 50 else chance.choice(people),
                lines=lines,
                ip_address=f"203.0.113.{chance.randrange(60)}",
                billing_country=chance.choice(("DE", "US", None)),
                device_id=f"d{chance.randrange(40)}" if chance.random() < 0.8 else None,
                external_id=f"o{number}",
                created_at=at,
                paid_at=paid,
                completed_at=done,
                payment_method="card" if paid is not None else None,
                **ending,
            )
        )
    return carts


async def _outcome(world: World, carts: list[Cart], size: int) -> CheckoutResult:
    """What is said of each cart and what is in the tables then; nothing of it stays."""
    messages: list[str] = []
    tables: dict[str, list[dict[str, Any]]] = {}
    try:
        async with world.db.write() as tx:
            for start in range(0, len(carts), size):
                placed = await orders_service.import_history(world.deps, tx, carts[start : start + size])
                messages += [_said(result) for result in placed]
            tables = {table.name: await _rows(tx, table) for table in TOUCHED}
            raise _Rollback
    except _Rollback:
        pass
    # What went up and down again within one set was never written.
    tables["counters"] = [row for row in tables["counters"] if row["value"]]
    tables["sales_rollups"] = [row for row in tables["sales_rollups"] if any(row[name] for name in SALES.sums)]
    firsts = {
        table: min(row["id"] for row in tables[table.name]) for table in (orders, order_items, refunds, fraud_checks)
    }
    for name, columns in NUMBERED.items():
        for row in tables[name]:
            row.update({column: row[column] - firsts[table] for column, table in columns.items()})
    return messages, tables


def _said(placed: PlacedOrder | AppError) -> str:
    if isinstance(placed, AppError):
        return " ".join(sentence for texts in (placed.fields or {}).values() for sentence in texts)
    return "placed"


async def _rows(tx: Transaction, table: Table) -> list[dict[str, Any]]:
    rows = await tx.all(Query(select(table).order_by(*table.primary_key.columns)))
    return [dict(zip(table.c.keys(), row, strict=True)) for row in rows]
