"""A provider's export is compared with the orders, and what differs is listed."""

from __future__ import annotations

from io import BytesIO

import pytest

from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.payments_check import check
from tests.api.ordering import step
from tests.api.providers import an_order
from tests.world import World

STRIPE = """id,Amount,Amount Refunded,Currency,Status,PaymentIntent ID,order_id (metadata)
ch_1,20.00,0.00,usd,Paid,pi_1,1
ch_2,15.00,0.00,usd,Paid,pi_2,ORD-000002
ch_3,20.00,20.00,usd,Refunded,pi_3,
ch_4,20.00,0.00,usd,Paid,pi_4,4
ch_5,"1,020.00",0.00,usd,Paid,pi_5,
ch_6,20.00,0.00,usd,Failed,pi_6,1
ch_7,20.00,0.00,eur,Paid,pi_1,1
"""
PAYPAL = """Transaction ID;Gross;Currency;Status;Custom Number
2GG279541U471931P;20,00;USD;Completed;1
"""


async def test_what_differs_is_listed_with_its_line(world: World) -> None:
    for number in range(1, 5):
        await an_order(world)
        if number < 4:
            await step(world, number, "pay", {"transaction_id": f"pi_{number}"})
    result = await check(world.deps, BytesIO(STRIPE.encode()))
    assert (result.compared, result.passed_over) == (6, 1)
    assert [(it.line, it.finding, it.order) for it in result.differences] == [
        (3, "amount_differs", "ORD-000002"),
        (4, "refund_differs", "ORD-000003"),
        (5, "not_paid", "ORD-000004"),
        (6, "no_order", None),
        (8, "currency_differs", "ORD-000001"),
    ]


async def test_an_export_that_agrees_has_no_differences(world: World) -> None:
    await step(world, await an_order(world), "pay")
    for gross in ("20,00", "20.00", "20"):
        export = PAYPAL.replace("20,00", gross)
        assert (await check(world.deps, BytesIO(export.encode()))).differences == []
    taken_out = "3GG279541U471932P;-5,00;USD;Completed;1\n4GG279541U471933P;-15,00;USD;Completed;\n"
    result = await check(world.deps, BytesIO((PAYPAL + taken_out).encode()))
    assert (result.compared, result.passed_over, result.differences) == (1, 2, [])


async def test_a_file_without_the_columns_is_refused(world: World) -> None:
    with pytest.raises(StartupError, match="no column for amount, currency, status"):
        await check(world.deps, BytesIO(b"id,name\n1,x\n"))
