"""Revenue and sales over HTTP: the shape of the answer, named periods, intervals, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY
from tests.builders import STORE, new_customer, new_product, paid_order
from tests.world import World


async def read(world: World, path: str) -> dict[str, Any]:
    answer = await world.get(path)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def a_store(world: World) -> None:
    """Three sales on two days, one of them given back on the second, and one in another currency."""
    anna, ben = [(await new_customer(world))["customer"]["id"] for _ in range(2)]
    await new_product(world)
    await new_product(world, name="Import", price="7.00", currency="EUR")
    await paid_order(world, anna, (1, 2), billing_country="KR")
    world.clock.advance(DAY)
    order = await paid_order(world, anna, (1, 1), tax_total="3.19", tax_rate="19", tax_country="DE")
    await paid_order(world, ben, (2, 1), tax_total="1.12")
    await world.post(f"{STORE}/orders/{order['id']}/refund", {"amount": "5.00"})


async def test_revenue_is_returned_with_every_field(world: World) -> None:
    await a_store(world)
    answer = await read(world, "/analytics/revenue?from=2026-11-15&to=2026-11-17&interval=day&compare=true")
    nothing = {"gross_revenue": "0.00", "refunds": "0.00", "net_revenue": "0.00", "orders_count": 0}
    nothing |= {"tax": "0.00", "net_of_tax": "0.00"}
    assert answer == {
        "period": {"from": "2026-11-15", "to": "2026-11-17", "interval": "day", "timezone": "UTC"},
        "currency": "USD",
        "totals": {
            "gross_revenue": "60.00",
            "refunds": "5.00",
            "net_revenue": "55.00",
            "discounts": "0.00",
            "gift_card_redeemed": "0.00",
            "orders_count": 2,
            "average_order_value": "30.00",
            # 3.19 of the second order, less a quarter of it with the refund, which is rounded up.
            "tax": "2.39",
            "net_of_tax": "52.61",
        },
        "previous": nothing | {"discounts": "0.00", "gift_card_redeemed": "0.00", "average_order_value": "0.00"},
        "change": dict.fromkeys(answer["totals"]),
        "series": [
            {
                "date": "2026-11-15",
                **nothing,
                "gross_revenue": "40.00",
                "net_revenue": "40.00",
                "net_of_tax": "40.00",
                "orders_count": 1,
            },
            {
                "date": "2026-11-16",
                "gross_revenue": "20.00",
                "refunds": "5.00",
                "net_revenue": "15.00",
                "orders_count": 1,
                "tax": "2.39",
                "net_of_tax": "12.61",
            },
            {"date": "2026-11-17", **nothing},
        ],
        "other_currencies": [
            {
                "gross_revenue": "7.00",
                "refunds": "0.00",
                "net_revenue": "7.00",
                "discounts": "0.00",
                "gift_card_redeemed": "0.00",
                "orders_count": 1,
                "average_order_value": "7.00",
                "tax": "1.12",
                "net_of_tax": "5.88",
                "currency": "EUR",
            }
        ],
    }


@pytest.mark.parametrize(("prices", "average"), [(("10.00", "10.01"), "10.01"), (("5.00", "5.00", "10.00"), "6.67")])
async def test_an_average_is_rounded_to_the_nearest_cent_and_a_half_up(
    world: World, prices: tuple[str, ...], average: str
) -> None:
    customer = (await new_customer(world))["customer"]["id"]
    for price in prices:
        product = await new_product(world, price=price)
        await paid_order(world, customer, (product["id"], 1))
    revenue = await read(world, "/analytics/revenue")
    assert revenue["totals"]["average_order_value"] == average
    assert (await read(world, f"/customers/{customer}"))["average_order_value"] == average


async def test_the_revenue_of_a_product_has_no_tax_because_it_is_reported_for_whole_orders(world: World) -> None:
    await a_store(world)
    answer = await read(world, "/analytics/revenue?from=2026-11-15&to=2026-11-17&product_id=1&compare=true")
    parts = (answer["totals"], answer["previous"], answer["change"], *answer["series"])
    assert {part[name] for part in parts for name in ("tax", "net_of_tax")} == {None}


async def test_a_refund_on_a_later_day_takes_the_tax_back_on_that_day_and_never_more_than_was_reported(
    world: World,
) -> None:
    await new_customer(world)
    await new_product(world)
    order = await paid_order(world, 1, (1, 1), tax_total="3.19")
    for amount in ("6.66", "6.67", "6.67"):
        world.clock.advance(DAY)
        assert (await world.post(f"{STORE}/orders/{order['id']}/refund", {"amount": amount})).status_code == 200
    answer = await read(world, "/analytics/revenue?from=2026-11-15&to=2026-11-18&interval=day")
    assert [point["tax"] for point in answer["series"]] == ["3.19", "-1.06", "-1.07", "-1.06"]
    assert (answer["totals"]["tax"], answer["totals"]["net_of_tax"]) == ("0.00", "0.00")


async def test_sales_are_returned_with_every_field(world: World) -> None:
    await a_store(world)
    answer = await read(world, "/analytics/sales?from=2026-11-16&to=2026-11-16&interval=day")
    assert answer["totals"] == {
        "orders_count": 2,
        "items_sold": 2,
        "completed_orders": 0,
        "refunded_orders": 0,
        "refund_rate": 0,
        "unique_customers": 2,
        "new_customers": 1,
        "returning_customers": 1,
    }
    assert answer["by_status"] == {
        **dict.fromkeys(("pending", "on_hold", "completed", "refunded", "cancelled"), 0),
        "paid": 1,
        "partially_refunded": 1,
    }
    assert [
        (product["product_id"], product["items_sold"], product["gross_revenue"]) for product in answer["top_products"]
    ] == [
        (1, 1, "20.00"),
        (2, 1, "0.00"),
    ]
    assert [(product["id"], product["total_spent"]) for product in answer["top_customers"]] == [(1, "15.00")]
    assert answer["by_country"] == [{"country": None, "orders_count": 2, "gross_revenue": "20.00"}]
    assert answer["by_payment_method"] == [{"payment_method": None, "orders_count": 2, "gross_revenue": "20.00"}]
    assert (answer["previous"], answer["change"]) == (None, None)
    assert answer["series"] == [
        {
            "date": "2026-11-16",
            "orders_count": 2,
            "items_sold": 2,
            "completed_orders": 0,
            "refunded_orders": 0,
            "new_customers": 1,
        }
    ]


async def test_a_comparison_reports_the_change_in_percent(world: World) -> None:
    await a_store(world)
    revenue = await read(world, "/analytics/revenue?from=2026-11-16&to=2026-11-16&compare=1")
    assert (revenue["previous"]["gross_revenue"], revenue["change"]["gross_revenue"]) == ("40.00", -50.0)
    sales = await read(world, "/analytics/sales?from=2026-11-16&to=2026-11-16&compare=1")
    assert (sales["previous"]["orders_count"], sales["change"]["orders_count"]) == (1, 100.0)


async def test_figures_can_be_limited_to_one_product(world: World) -> None:
    await a_store(world)
    revenue = await read(world, "/analytics/revenue?product_id=1")
    assert (revenue["totals"]["gross_revenue"], revenue["totals"]["orders_count"]) == ("60.00", 2)
    sales = await read(world, "/analytics/sales?product_id=2")
    assert (sales["totals"]["unique_customers"], sales["totals"]["new_customers"]) == (1, 1)
    assert sales["by_status"]["paid"] == 1
    assert [product["product_id"] for product in sales["top_products"]] == [2]
    assert (await read(world, "/analytics/sales?product_id=99"))["totals"]["orders_count"] == 0


@pytest.mark.parametrize(
    ("period", "first", "last", "interval"),
    [
        ("today", "2026-11-15", "2026-11-15", "hour"),
        ("yesterday", "2026-11-14", "2026-11-14", "hour"),
        ("last_7_days", "2026-11-09", "2026-11-15", "day"),
        ("last_30_days", "2026-10-17", "2026-11-15", "day"),
        ("last_90_days", "2026-08-18", "2026-11-15", "day"),
        ("this_month", "2026-11-01", "2026-11-15", "day"),
        ("last_month", "2026-10-01", "2026-10-31", "day"),
        ("this_year", "2026-01-01", "2026-11-15", "month"),
    ],
)
async def test_a_period_can_be_given_by_name(world: World, period: str, first: str, last: str, interval: str) -> None:
    for path in ("/analytics/revenue", "/analytics/sales"):
        answer = await read(world, f"{path}?period={period}")
        assert answer["period"] == {"from": first, "to": last, "interval": interval, "timezone": "UTC"}
        assert answer["series"][0]["date"].startswith(first)


async def test_the_default_is_the_last_thirty_days_with_every_day_filled_in(world: World) -> None:
    answer = await read(world, "/analytics/revenue")
    assert [len(answer["series"]), answer["period"]["from"]] == [30, "2026-10-17"]


async def test_days_follow_the_time_zone(world: World) -> None:
    await a_store(world)
    # Noon in UTC is one in the morning of the next day on Chatham.
    answer = await read(world, "/analytics/revenue?from=2026-11-15&to=2026-11-17&interval=day&timezone=Pacific/Chatham")
    assert [point["orders_count"] for point in answer["series"]] == [0, 1, 1]
    assert (await read(world, "/analytics/revenue?period=today&timezone=Pacific/Chatham"))["period"][
        "from"
    ] == "2026-11-17"


async def test_weeks_begin_on_monday_and_months_on_the_first_but_never_before_the_range(world: World) -> None:
    weeks = await read(world, "/analytics/revenue?from=2026-11-05&to=2026-11-17&interval=week")
    assert [point["date"] for point in weeks["series"]] == ["2026-11-05", "2026-11-09", "2026-11-16"]
    months = await read(world, "/analytics/revenue?from=2026-10-20&to=2026-12-01&interval=month")
    assert [point["date"] for point in months["series"]] == ["2026-10-20", "2026-11-01", "2026-12-01"]


@pytest.mark.parametrize("path", ["/analytics/revenue", "/analytics/sales"])
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("period=ever", "period"),
        ("period=today&from=2026-11-01&to=2026-11-02", "period"),
        ("from=2026-11-01", "to"),
        ("to=2026-11-01", "from"),
        ("from=2026-11-02&to=2026-11-01", "from"),
        ("from=1969-12-31&to=2026-11-01", "from"),
        ("timezone=Mars/Base", "timezone"),
        ("timezone=../../etc/passwd", "timezone"),
        ("timezone=", "timezone"),
        ("timezone=Europe", "timezone"),
        ("interval=year", "interval"),
        ("interval=hour&from=2026-11-01&to=2026-11-08", "interval"),
        ("interval=day&from=2025-01-01&to=2026-01-02", "interval"),
        ("interval=week&from=2024-01-01&to=2026-01-01", "interval"),
        ("interval=month&from=2016-01-01&to=2026-01-02", "interval"),
        ("from=2000-01-01&to=2026-01-02", "interval"),
        ("product_id=0", "product_id"),
        ("compare=maybe", "compare"),
    ],
)
async def test_an_invalid_parameter_is_rejected_by_name(shared_world: World, path: str, query: str, field: str) -> None:
    answer = await shared_world.get(f"{path}?{query}")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])


async def test_the_longest_ranges_are_accepted(world: World) -> None:
    for interval, first, last, count in (
        ("hour", "2026-11-01", "2026-11-07", 168),
        ("day", "2025-01-01", "2026-01-01", 366),
        ("week", "2024-01-01", "2025-12-31", 105),
        ("month", "2016-01-01", "2025-12-31", 120),
    ):
        answer = await read(world, f"/analytics/revenue?interval={interval}&from={first}&to={last}")
        assert len(answer["series"]) == count, interval
