"""What each step of an order writes to the outbox."""

from __future__ import annotations

from typing import Any

from lootkeep.kernel.clock import MINUTE
from tests.api.ordering import buyer, place, step, welcomed
from tests.builders import new_order, new_product
from tests.recount import outbox
from tests.world import World

EIGHT = {
    "order_id": 1,
    "order_number": "ORD-000001",
    "customer_email": "jun@j.example",
    "customer_name": "Jun Park",
    "total": "45.00",
    "currency": "USD",
}
ITEMS = [
    {"product_id": 1, "product_name": "Sword", "quantity": 2, "price": "20.00"},
    {"product_id": 2, "product_name": "Map", "quantity": 1, "price": "5.00"},
]


def data(status: str, **own: Any) -> list[tuple[str, Any]]:
    """The keys in their order: the eight that all order events have, then the event's own."""
    return list((EIGHT | {"status": status, "items": ITEMS} | own).items())


async def test_each_event_carries_exactly_its_keys_and_values(world: World) -> None:
    await buyer(world)
    await new_product(world, name="Sword", price="20.00", delivery_type="keys")
    await new_product(world, name="Map", price="5.00", delivery_type="file")
    await place(world, (1, 2), (2, 1))
    world.clock.advance(MINUTE)
    await step(world, 1, "pay", {"transaction_id": "pi_1"})
    world.clock.advance(MINUTE)
    await step(world, 1, "refund", {"amount": "1.50", "reason": "late"})
    world.clock.advance(MINUTE)
    await step(world, 1, "refund")
    created, paid, key, file, completed, partly, wholly = [
        (kind, list(payload.items())) for kind, payload in await outbox(world.db)
    ]
    assert created == ("order.created", data("pending", created_at="2026-11-15T12:00:00Z"))
    assert paid == ("order.paid", data("paid"))
    delivered_at = "2026-11-15T12:01:00Z"
    assert key == ("order.delivered", data("paid", item_id=1, kind="key", delivered_at=delivered_at))
    assert file == ("order.delivered", data("paid", item_id=2, kind="file", delivered_at=delivered_at))
    assert completed == ("order.completed", data("completed", completed_at="2026-11-15T12:01:00Z"))
    assert partly == (
        "order.refunded",
        data(
            "partially_refunded",
            refund_id=1,
            refund_amount="1.50",
            refunded_total="1.50",
            is_partial=True,
            reason="late",
            refunded_at="2026-11-15T12:02:00Z",
        ),
    )
    assert wholly == (
        "order.refunded",
        data(
            "refunded",
            refund_id=2,
            refund_amount="43.50",
            refunded_total="45.00",
            is_partial=False,
            reason=None,
            refunded_at="2026-11-15T12:03:00Z",
        ),
    )


async def test_an_event_carries_the_total_after_the_discount(world: World) -> None:
    customer, code = await welcomed(world)
    await new_product(world)
    await new_order(world, customer, (1, 1), coupon_code=code)
    ((_, created),) = await outbox(world.db)
    assert (created["total"], created["items"][0]["price"]) == ("18.00", "20.00")


async def test_a_rejected_request_writes_nothing_to_the_outbox(world: World) -> None:
    await buyer(world)
    await new_product(world, stock=0)
    await place(world, (1, 1))
    await step(world, 1, "pay")
    assert await outbox(world.db) == []
