"""The events beyond orders, products and subscriptions: every way by which each happens appends it once."""

from __future__ import annotations

import asyncio
from typing import Any

from lootkeep.services import bulk as bulk_service, privacy as privacy_service
from tests.api.ordering import buyer, place, step
from tests.builders import (
    STORE,
    new_coupon,
    new_customer,
    new_gift_card,
    new_order,
    new_product,
    new_ticket,
    paid_order,
    regular_customers,
)
from tests.recount import outbox, sent
from tests.world import World

JUN: dict[str, Any] = {
    "customer_id": 1,
    "external_id": None,
    "customer_email": "jun@j.example",
    "customer_name": "Jun Park",
    "username": None,
    "country": None,
    "status": "active",
    "accepts_marketing": False,
    "email_status": "ok",
    "tags": [],
}
CARD = {"gift_card_id": 1, "currency": "USD", "order_id": None, "customer_id": None, "expires_at": None}


async def test_a_sign_up_is_announced_once_however_often_it_is_sent(world: World) -> None:
    form = {"email": "jun@j.example", "name": "Jun Park", "external_id": "p-1"}
    for _ in range(2):
        await world.post(f"{STORE}/customers", form)
    await world.post(f"{STORE}/customers", {"email": "jun@j.example", "name": "Another"})
    assert await outbox(world.db, "customer.") == [("customer.created", JUN | {"external_id": "p-1"})]


async def test_an_imported_customer_is_not_announced(world: World) -> None:
    await new_customer(world, created_at="2025-01-01T00:00:00Z")
    assert await sent(world.db, "customer.") == []


async def test_a_change_of_a_customer_names_the_fields_that_differ(world: World) -> None:
    await buyer(world)
    changes = {"tags": ["vip"], "note": "likes maps", "name": "Jun Park"}
    await world.put(f"{STORE}/customers/1", changes)
    await world.put("/customers/1", changes)
    (_, updated) = await outbox(world.db, "customer.")
    assert updated == ("customer.updated", JUN | {"tags": ["vip"], "changes": ["tags", "note"]})


async def test_a_bulk_act_announces_each_customer_that_it_changes(world: World) -> None:
    await buyer(world)
    await new_customer(world, email="ann@a.example", name="Ann")
    await world.put("/customers/2", {"tags": ["vip"]})
    for customer_id in (1, 2):
        await bulk_service.operations.tag_customer(world.deps, customer_id, 1, "vip")
    changed = [data["customer_id"] for kind, data in await outbox(world.db, "customer.updated")]
    assert changed == [2, 1]


async def test_an_erasure_is_announced_once_and_names_nobody(world: World) -> None:
    await buyer(world)
    for _ in range(2):
        await privacy_service.erase(world.deps, 1, None)
    created, erased = await outbox(world.db, "customer.")
    assert erased == ("customer.erased", {"customer_id": 1})
    assert "jun" not in str(created).lower()


async def test_erasures_at_the_same_time_are_announced_once(world: World) -> None:
    await buyer(world)
    await asyncio.gather(*(privacy_service.erase(world.deps, 1, None) for _ in range(4)))
    assert await sent(world.db, "customer.") == ["customer.created", "customer.erased"]


async def test_a_cancelled_order_is_announced_with_its_reason(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await new_order(world, 1, (1, 1))
    await asyncio.gather(*(step(world, 1, "cancel", {"reason": "late"}) for _ in range(4)))
    ((_, data),) = await outbox(world.db, "order.cancelled")
    assert (data["status"], data["reason"], data["cancelled_at"]) == ("cancelled", "late", "2026-11-15T12:00:00Z")
    assert list(data)[:8] == list((await outbox(world.db, "order.created"))[0][1])[:8]


async def test_a_held_order_that_is_fraud_is_announced_as_cancelled(world: World) -> None:
    await world.put("/fraud/settings", {"fraud_custom_blocked_countries": [], "fraud_action": "verify"})
    await world.post("/fraud/rules", {"name": "All", "expression": "total > 0", "action": "verify", "mode": "on"})
    await buyer(world)
    await new_product(world)
    await new_order(world, 1, (1, 1))
    await world.post("/fraud/checks/1/review", {"outcome": "fraud"})
    assert [data["reason"] for _, data in await outbox(world.db, "order.cancelled")] == ["fraud"]


async def test_an_order_that_is_blocked_at_once_was_never_announced(world: World) -> None:
    await world.post("/fraud/rules", {"name": "All", "expression": "total > 0", "action": "block", "mode": "on"})
    await buyer(world)
    await new_product(world)
    assert (await place(world, (1, 1))).json()["data"]["next"] == "refused"
    assert await sent(world.db) == []


async def test_a_ticket_and_every_public_message_is_announced(world: World) -> None:
    await buyer(world)
    await new_ticket(world, 1, subject="Key", message="It was used.")
    await world.post("/support-tickets/1/messages", {"message": "Only for us.", "is_internal": True})
    await world.post("/support-tickets/1/messages", {"message": "Here is another."})
    await world.post(f"{STORE}/support-tickets/1/messages", {"message": "Thank you!"})
    for _ in range(2):
        await world.post("/support-tickets/1/close", {"message": "Good bye."})
    events = await outbox(world.db, "ticket.")
    assert events[0] == (
        "ticket.created",
        {
            "ticket_id": 1,
            "ticket_number": "TKT-000001",
            "customer_id": 1,
            "customer_email": "jun@j.example",
            "customer_name": "Jun Park",
            "order_id": None,
            "subject": "Key",
            "status": "open",
            "priority": "normal",
            "category": "other",
            "message": "It was used.",
        },
    )
    replies = [(data["message"], data["author_type"], data["status"]) for _, data in events[1:]]
    assert replies == [
        ("Here is another.", "staff", "pending"),
        ("Thank you!", "customer", "open"),
        ("Good bye.", "staff", "closed"),
    ]


async def test_a_gift_card_is_announced_when_it_is_made_and_when_it_is_redeemed(world: World) -> None:
    code = (await new_gift_card(world))["code"]
    for _ in range(2):
        await world.post("/gift-cards/1/redeem", {"amount": "5.00", "reference": "till-1"})
    assert await outbox(world.db, "gift_card.") == [
        ("gift_card.created", CARD | {"masked_code": f"****-****-****-{code[-4:]}", "balance": "25.00"}),
        (
            "gift_card.redeemed",
            CARD
            | {"masked_code": f"****-****-****-{code[-4:]}", "balance": "20.00", "amount": "5.00"}
            | {"reference": "till-1"},
        ),
    ]


async def test_a_gift_card_that_pays_for_a_part_of_an_order_is_redeemed_when_it_is_placed(world: World) -> None:
    await regular_customers(world, 1)
    await new_product(world, price="40.00")
    card = await new_gift_card(world)
    await new_order(world, 1, (1, 1), gift_card_code=card["code"])
    await step(world, 1, "cancel")
    kinds = [kind for kind, _ in await outbox(world.db, "") if kind.startswith(("order.", "gift_card."))]
    assert kinds == ["gift_card.created", "order.created", "gift_card.redeemed", "order.cancelled"]
    ((_, redeemed),) = await outbox(world.db, "gift_card.redeemed")
    assert (redeemed["order_id"], redeemed["amount"], redeemed["balance"]) == (1, "25.00", "0.00")


async def test_gift_cards_that_are_sold_are_announced_with_the_payment(world: World) -> None:
    await regular_customers(world, 1)
    await new_product(world, delivery_type="gift_card", price="10.00")
    await paid_order(world, 1, (1, 2))
    events = [(kind, data["order_id"]) for kind, data in await outbox(world.db, "gift_card.")]
    assert events == [("gift_card.created", 1)] * 2


async def test_a_coupon_is_used_by_the_payment_and_not_by_the_order(world: World) -> None:
    await regular_customers(world, 1)
    await new_product(world)
    await new_coupon(world)
    await new_order(world, 1, (1, 1), coupon_code="SALE20")
    assert await sent(world.db, "coupon.") == []
    for _ in range(2):
        await step(world, 1, "pay", {"transaction_id": "t1"})
    used: dict[str, Any] = {"coupon_id": 1, "coupon_code": "SALE20", "discount": "4.00", "currency": "USD"}
    order = {"order_id": 1, "order_number": "ORD-000001", "customer_id": 1}
    assert await outbox(world.db, "coupon.") == [("coupon.used", used | order)]


async def test_a_coupon_of_a_held_payment_that_is_refunded_was_used(world: World) -> None:
    await regular_customers(world, 1)
    await new_product(world)
    await new_coupon(world)
    await new_order(world, 1, (1, 1), coupon_code="SALE20")
    await world.put("/customers/1", {"status": "blocked", "status_reason": "abuse"})
    await step(world, 1, "pay", {"transaction_id": "t1"})
    assert await sent(world.db, "coupon.") == []
    await step(world, 1, "refund")
    assert await sent(world.db, "coupon.") == ["coupon.used"]


async def test_imported_history_sends_nothing(world: World) -> None:
    await new_customer(world, created_at="2025-01-01T00:00:00Z")
    await new_product(world)
    answer = await place(world, (1, 1), created_at="2025-06-01T00:00:00Z", status="cancelled")
    assert answer.status_code == 201, answer.text
    assert await sent(world.db, "") == ["product.created"]
