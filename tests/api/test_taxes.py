"""The tax of an order, as the checkout reports it: stored and shown, never computed."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from lootkeep.storage.orders import rows as orders_db
from tests.api.ordering import ORDERS, errors, place, welcomed
from tests.builders import STORE, new_customer, new_order, new_product
from tests.conftest import only_sqlite
from tests.world import World

TAX = {"tax_total": "3.19", "tax_rate": "19", "tax_country": "DE"}


async def test_the_tax_of_an_order_is_stored_and_shown_as_it_was_reported(world: World) -> None:
    await new_customer(world)
    await new_product(world, price="20.00")
    reported = await new_order(world, 1, (1, 1), **TAX | {"tax_country": "de"})
    silent = await new_order(world, 1, (1, 1))
    assert {name: reported[name] for name in TAX} == TAX
    assert (reported["total"], reported["amount_due"]) == ("20.00", "20.00")
    assert {silent[name] for name in TAX} == {None}
    for path in ("/orders/1", f"{ORDERS}/1"):
        shown = (await world.get(path)).json()["data"]
        assert {name: shown[name] for name in TAX} == TAX


async def test_the_tax_may_be_all_of_what_is_left_after_a_discount_and_no_more(world: World) -> None:
    await new_product(world, price="20.00")
    customer_id, coupon = await welcomed(world)
    buyer = {"customer_id": customer_id, "coupon_code": coupon}
    refused = await place(world, (1, 1), **buyer, tax_total="18.01")
    sentence = "The tax total field must not be greater than the total of the order."
    assert (refused.status_code, errors(refused)) == (422, {"tax_total": [sentence]})
    assert (await place(world, (1, 1), **buyer, tax_total="18.00")).status_code == 201


@only_sqlite
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tax_total", "-0.01"),
        ("tax_total", "1.234"),
        ("tax_rate", "101"),
        ("tax_rate", "-1"),
        ("tax_rate", "19 %"),
        ("tax_rate", "1.23456"),
        ("tax_country", "XX"),
    ],
)
async def test_a_tax_that_is_none_is_refused(world: World, field: str, value: Any) -> None:
    await new_customer(world)
    await new_product(world)
    body = {"customer_id": 1, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9", field: value}
    answer = await world.post(f"{STORE}/orders", body)
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])


TAX_REPORT = "/analytics/tax"
GERMAN = {"billing_country": "DE", "tax_country": "DE", "tax_rate": "19"}


async def sold(world: World, **fields: Any) -> int:
    order = await new_order(world, 1, (1, 1), **fields)
    assert (await world.post(f"{ORDERS}/{order['id']}/pay", {})).status_code == 200
    return int(order["id"])


async def report(world: World, query: str = "") -> list[dict[str, Any]]:
    answer = await world.get(TAX_REPORT + query)
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["data"]
    return rows


async def test_the_report_adds_up_what_was_paid_by_country_and_reduces_refunds_in_proportion(world: World) -> None:
    await new_customer(world)
    await new_product(world, price="20.00")
    await sold(world, **GERMAN, tax_total="3.19")
    refunded = await sold(world, **GERMAN, tax_total="3.19")
    await sold(world)
    await new_customer(world)
    await new_order(world, 2, (1, 1), **GERMAN, tax_total="3.19")
    assert (await world.post(f"{ORDERS}/{refunded}/refund", {"amount": "5.00"})).status_code == 200
    # 3.19 less a quarter, 0.7975, which is rounded to 0.80.
    assert await report(world) == [
        {"country": "DE", "currency": "USD", "orders_count": 2, "gross": "35.00", "tax": "5.58", "contradictions": 0},
        {"country": None, "currency": "USD", "orders_count": 1, "gross": "20.00", "tax": "0.00", "contradictions": 0},
    ]
    assert (await world.post(f"{ORDERS}/{refunded}/refund", {})).status_code == 200
    assert [(row["gross"], row["tax"]) for row in await report(world)] == [("20.00", "3.19"), ("20.00", "0.00")]


async def test_the_report_goes_by_the_time_of_the_payment(world: World) -> None:
    await new_customer(world)
    await new_product(world, price="20.00")
    await sold(world, **GERMAN)
    assert [len(await report(world, query)) for query in ("", "?quarter=2026-Q4", "?quarter=2026-Q3")] == [1, 1, 0]
    days = ("2026-11-15&to=2026-11-15", "2026-11-14&to=2026-11-14", "2026-11-16&to=2026-11-30")
    assert [len(await report(world, f"?from={day}")) for day in days] == [1, 0, 0]


async def test_countries_that_contradict_each_other_are_counted_and_listed_for_each_order(world: World) -> None:
    await new_customer(world)
    await new_product(world, price="20.00")
    await sold(world, **GERMAN, tax_total="3.19", payment={"country": "FR"})
    await sold(world, **GERMAN, tax_total="3.19", payment={"country": "DE"})
    (row,) = await report(world)
    assert (row["orders_count"], row["contradictions"]) == (2, 1)
    file = await world.get(TAX_REPORT, headers={"Accept": "text/csv"})
    assert file.headers["content-type"].startswith("text/csv")
    assert file.text.splitlines() == [
        "order_number,paid_at,currency,total,refunded_total,tax_rate,tax_total,tax_after_refunds,"
        "tax_country,billing_country,ip_country,card_country,contradicts",
        "ORD-000001,2026-11-15T12:00:00Z,USD,20.00,0.00,19,3.19,3.19,DE,DE,,FR,yes",
        "ORD-000002,2026-11-15T12:00:00Z,USD,20.00,0.00,19,3.19,3.19,DE,DE,,DE,no",
    ]


async def test_the_country_of_the_ip_address_contradicts_the_others(world: World) -> None:
    await new_customer(world)
    await new_product(world, price="20.00")
    order_id = await sold(world, **GERMAN, tax_total="3.19")
    await sold(world, **GERMAN, tax_total="3.19")
    async with world.db.write() as tx:
        order = await orders_db.ROWS.get(tx, order_id)
        assert order
        await orders_db.ROWS.save(tx, order, replace(order, ip_country="FR"))
    (row,) = await report(world)
    assert (row["orders_count"], row["contradictions"]) == (2, 1)


@only_sqlite
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?quarter=2026-Q5", "quarter"),
        ("?quarter=2026", "quarter"),
        ("?quarter=2026-Q4&from=2026-11-01&to=2026-11-02", "quarter"),
        ("?from=2026-11-01", "to"),
        ("?from=2026-11-02&to=2026-11-01", "from"),
    ],
)
async def test_a_time_that_makes_no_sense_is_rejected(world: World, query: str, field: str) -> None:
    assert list(errors(await world.get(TAX_REPORT + query))) == [field]
