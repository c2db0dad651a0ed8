"""Creators: their codes, what orders with them earn, what is taken back, and payouts."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from lootkeep.kernel.clock import DAY, MINUTE
from tests.api.ordering import errors, step
from tests.builders import STORE, honest_buyer, new_customer, new_order, new_product, paid_order, regular_customers
from tests.conftest import only_sqlite
from tests.recount import maintained, recounted
from tests.world import World

LUNA: dict[str, Any] = {"name": "Luna Plays", "code": "luna", "commission_percent": 10}
FRAUD = {"kind": "dispute", "reason": "fraudulent"}


async def new_creator(world: World, **fields: Any) -> dict[str, Any]:
    answer = await world.post("/creators", LUNA | fields)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def balance(world: World, creator_id: int = 1) -> tuple[str, str, str]:
    sums = (await world.get(f"/creators/{creator_id}")).json()["data"]["balance"]
    return sums["held"], sums["due"], sums["paid"]


async def ledger(world: World) -> list[tuple[str, str]]:
    """Oldest first."""
    return [(it["type"], it["amount"]) for it in reversed((await world.get("/creators/1/ledger")).json()["data"])]


async def pay_out(world: World, amount: str, reference: str = "t-1", **fields: Any) -> Any:
    return await world.post("/creators/1/payouts", {"amount": amount, "reference": reference} | fields)


async def test_a_creator_has_a_code_that_is_a_coupon(world: World) -> None:
    nothing = {"currency": "USD", "held": "0.00", "due": "0.00", "paid": "0.00"}
    creator = await new_creator(world, discount_type="percentage", discount_value=5)
    assert creator == {
        "id": 1,
        "name": "Luna Plays",
        "code": "LUNA",
        "coupon_id": 1,
        "commission_percent": "10.00",
        "discount_type": "percentage",
        "discount_value": "5.00",
        "hold_days": 30,
        "customer_id": None,
        "is_active": True,
        "balance": nothing,
        "balances": [],
        "orders_count": 0,
        "created_at": "2026-11-15T12:00:00Z",
        "updated_at": "2026-11-15T12:00:00Z",
    }
    assert (await world.get("/creators/1")).json()["data"] == creator
    assert (await world.get("/creators")).json()["data"] == [creator]
    coupon = (await world.get("/coupons/1")).json()["data"]
    assert (coupon["origin"], coupon["max_uses"], coupon["max_uses_per_customer"]) == ("creator", None, None)


@only_sqlite
async def test_a_creator_that_makes_no_sense_is_refused(world: World) -> None:
    await world.post("/coupons", {"code": "TAKEN", "discount_type": "fixed", "discount_value": 1})
    for field, value in (
        ("commission_percent", "100.01"),
        ("commission_percent", -1),
        ("hold_days", 366),
        ("code", "TAKEN"),
        ("code", "no!"),
        ("customer_id", 9),
        ("discount_value", 101),
    ):
        answer = await world.post("/creators", LUNA | {"discount_type": "percentage", field: value})
        assert list(errors(answer)) == [field]
    assert (await world.get("/coupons")).json()["meta"]["total"] == 1


async def test_a_paid_order_earns_a_share_that_is_held_and_then_due(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world, price="19.95")
    await new_creator(world, discount_type="percentage", discount_value=5)
    order = await new_order(world, customer["id"], (1, 1), coupon_code="Luna")
    assert (order["discount_total"], order["total"]) == ("1.00", "18.95")
    assert await balance(world) == ("0.00", "0.00", "0.00")
    await step(world, order["id"], "pay")
    # Half a cent is rounded up.
    assert await balance(world) == ("1.90", "0.00", "0.00")
    world.clock.advance(30 * DAY - 1)
    assert await balance(world) == ("1.90", "0.00", "0.00")
    world.clock.advance(1)
    assert await balance(world) == ("0.00", "1.90", "0.00")
    assert (await world.get("/creators/1")).json()["data"]["orders_count"] == 1


async def test_a_payment_that_is_held_earns_when_it_is_released(world: World) -> None:
    await new_creator(world)
    customer, product = (await new_customer(world))["customer"], await new_product(world, price="20.00")
    await new_order(world, customer["id"], (product["id"], 1), coupon_code="LUNA")
    await world.put(f"{STORE}/customers/{customer['id']}", {"status": "blocked", "status_reason": "Charged back."})
    assert (await step(world, 1, "pay", {"transaction_id": "pi_1"})).json()["data"]["status"] == "on_hold"
    assert await ledger(world) == []
    assert (await world.post("/fraud/checks/1/review", {"outcome": "legitimate"})).status_code == 200
    assert await ledger(world) == [("commission", "2.00")]


async def test_a_code_without_a_discount_takes_nothing_off_even_of_gift_cards(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world, delivery_type="gift_card", price="50.00")
    await new_creator(world)
    order = await paid_order(world, customer["id"], (1, 1), coupon_code="LUNA")
    assert order["discount_total"] == "0.00"
    assert await ledger(world) == [("commission", "5.00")]


async def test_the_tax_of_an_order_earns_nothing(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world, price="11.90")
    await new_creator(world)
    await paid_order(world, customer["id"], (1, 1), coupon_code="LUNA", tax_total="1.90")
    assert await ledger(world) == [("commission", "1.00")]


async def test_refunds_take_back_in_proportion(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world, price="10.00")
    await new_creator(world)
    order = await paid_order(world, customer["id"], (1, 1), coupon_code="LUNA")
    await step(world, order["id"], "refund", {"amount": "3.33"})
    assert await balance(world) == ("0.67", "0.00", "0.00")
    world.clock.advance(40 * DAY)
    await pay_out(world, "0.67")
    await step(world, order["id"], "refund")
    assert await ledger(world) == [
        ("commission", "1.00"),
        ("clawback", "-0.33"),
        ("payout", "-0.67"),
        ("clawback", "-0.67"),
    ]
    assert await balance(world) == ("0.00", "-0.67", "0.67")


async def test_a_dispute_takes_back_and_gives_back_once_every_dispute_is_won(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world, price="10.00")
    await new_creator(world)
    order = await paid_order(world, customer["id"], (1, 1), coupon_code="LUNA")
    opened = [("early_warning", "w", "1.00"), ("dispute", "a", "0.00"), ("dispute", "b", "0.00")]
    closed = [("dispute_won", "a", "0.00"), ("dispute_won", "b", "1.00")]
    for kind, external_id, held in (*opened, *closed, ("dispute", "c", "0.00"), ("dispute_lost", "c", "0.00")):
        world.clock.advance(DAY)
        await step(world, order["id"], "dispute", FRAUD | {"kind": kind, "external_id": external_id})
        assert await balance(world) == (held, "0.00", "0.00")
        assert await maintained(world.db) == await recounted(world.db)
    amounts = [("commission", "1.00"), ("clawback", "-1.00"), ("release", "1.00"), ("clawback", "-1.00")]
    assert await ledger(world) == amounts


@pytest.mark.parametrize("by", ["customer", "mailbox", "device", "instrument", "player"])
async def test_a_creator_who_buys_earns_nothing(world: World, by: str) -> None:
    player = {"game": "steam", "id": "76561198000000001"}
    luna = await new_customer(world, email="luna.p@gmail.com", device_id="lunas-laptop")
    luna_id = luna["customer"]["id"]
    assert (await world.put(f"{STORE}/customers/{luna_id}", {"identities": [player]})).status_code == 200
    await new_product(world)
    card = {"payment": {"fingerprint": "lunas-card"}}
    await paid_order(world, luna_id, (1, 1), **card)
    other = {"mailbox": {"email": "lunap+2@googlemail.com"}, "device": {"device_id": "lunas-laptop"}}.get(by, {})
    buyer = luna_id if by == "customer" else (await new_customer(world, **other))["customer"]["id"]
    world.clock.advance(2 * DAY)
    await new_creator(world, customer_id=luna_id)
    fields: dict[str, Any] = {"instrument": card, "player": {"player": player}}.get(by, {})
    await paid_order(world, buyer, (1, 1), coupon_code="LUNA", **fields)
    assert await ledger(world) == []
    assert (await world.get("/coupons/1")).json()["data"]["uses_count"] == 1
    same_home = honest_buyer(luna_id)["ip_address"]
    (stranger,) = await regular_customers(world, 1)
    await paid_order(world, stranger["id"], (1, 1), coupon_code="LUNA", ip_address=same_home)
    assert await ledger(world) == [("commission", "2.00")]


async def test_a_payout_is_booked_once_by_its_reference_and_never_above_what_is_due(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world, price="10.00")
    await new_creator(world, hold_days=0)
    await paid_order(world, customer["id"], (1, 5), coupon_code="LUNA")
    assert errors(await pay_out(world, "5.01")) == {
        "amount": ["The amount field must not be greater than 5.00, what is due."]
    }
    first, again = await pay_out(world, "3.00"), await pay_out(world, "3.00")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["data"] == again.json()["data"]
    assert first.json()["data"]["amount"] == "-3.00"
    assert (await pay_out(world, "2.00")).json()["code"] == "reference_used"
    assert list(errors(await pay_out(world, "1.00", "t-2", currency="EUR"))) == ["amount"]
    assert (await pay_out(world, "2.00", "t-2")).status_code == 201
    assert await balance(world) == ("0.00", "0.00", "5.00")


async def test_each_currency_has_its_own_balance(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world, price="10.00")
    await new_product(world, name="Euro", price="30.00", currency="EUR")
    await new_creator(world, hold_days=0)
    for product in (1, 2):
        await paid_order(world, customer["id"], (product, 1), coupon_code="LUNA")
    assert (await pay_out(world, "3.00", currency="EUR")).status_code == 201
    balances = (await world.get("/creators/1")).json()["data"]["balances"]
    assert [(it["currency"], it["due"], it["paid"]) for it in balances] == [
        ("EUR", "0.00", "3.00"),
        ("USD", "1.00", "0.00"),
    ]


async def test_the_statement_is_a_file(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world, price="10.00")
    await new_creator(world, hold_days=0)
    await paid_order(world, customer["id"], (1, 1), coupon_code="LUNA")
    await pay_out(world, "1.00", "=cmd")
    answer = await world.get("/creators/1/ledger", headers={"Accept": "text/csv"})
    assert answer.text.splitlines() == [
        "id,type,amount,currency,order_id,reference,available_at,created_at",
        "1,commission,1.00,USD,1,,2026-11-17T12:00:00Z,2026-11-17T12:00:00Z",
        "2,payout,-1.00,USD,,'=cmd,2026-11-17T12:00:00Z,2026-11-17T12:00:00Z",
    ]


async def test_a_creator_is_changed_and_a_used_code_keeps_its_discount(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world, price="10.00")
    await new_creator(world)
    world.clock.advance(MINUTE)
    changed = await world.put("/creators/1", {"code": "moon", "discount_type": "fixed", "discount_value": 1})
    assert (changed.json()["data"]["code"], changed.json()["data"]["discount_value"]) == ("MOON", "1.00")
    read = (await world.get("/creators/1")).json()["data"]
    assert read == changed.json()["data"]
    assert read["updated_at"] > read["created_at"]
    assert (await world.put("/creators/1", {"discount_type": None})).json()["data"]["discount_value"] is None
    await paid_order(world, customer["id"], (1, 1), coupon_code="MOON")
    for fields in ({"code": "LUNA"}, {"discount_type": "fixed", "discount_value": 1}):
        assert (await world.put("/creators/1", fields)).json()["code"] == "coupon_used"
    await world.put("/creators/1", {"commission_percent": 50, "hold_days": 0})
    await paid_order(world, customer["id"], (1, 1), coupon_code="MOON")
    assert await ledger(world) == [("commission", "1.00"), ("commission", "5.00")]
    await world.put("/creators/1", {"is_active": False})
    refused = await world.post(
        f"{STORE}/orders",
        {"customer_id": customer["id"], "items": [{"product_id": 1, "quantity": 1}], "coupon_code": "MOON"}
        | honest_buyer(customer["id"]),
    )
    assert refused.json()["code"] == "coupon_inactive"


async def test_imported_orders_earn_and_lose_like_others(world: World) -> None:
    (customer,) = await regular_customers(world, 1)
    await new_product(world, price="10.00")
    await new_creator(world)
    past = {"created_at": "2026-10-01T00:00:00Z", "paid_at": "2026-10-01T00:00:00Z", "coupon_code": "LUNA"}
    await new_order(world, customer["id"], (1, 1), **past)
    await new_order(world, customer["id"], (1, 1), **past, refunds=[{"amount": "5.00"}])
    assert await balance(world) == ("0.00", "1.50", "0.00")
    assert await maintained(world.db) == await recounted(world.db)


@pytest.mark.parametrize("seed", range(4))
async def test_the_ledger_equals_a_recount_after_any_refunds_and_disputes(world: World, seed: int) -> None:
    chance = Random(seed)
    customers = await regular_customers(world, 4)
    await new_product(world, price="9.99")
    await new_creator(world, commission_percent="12.34", hold_days=5, discount_type="percentage", discount_value=7)
    placed: list[int] = []
    for number in range(30):
        name = chance.choice(["order", "refund", "dispute", "dispute_won", "dispute_lost", "wait", "pay out"])
        if name == "order" or not placed:
            order = await paid_order(
                world, chance.choice(customers)["id"], (1, chance.randint(1, 4)), coupon_code="LUNA"
            )
            placed.append(order["id"])
        elif name == "refund":
            amount = f"{chance.randint(1, 1500) / 100:.2f}"
            await step(world, chance.choice(placed), "refund", {"amount": amount})
        elif name.startswith("dispute"):
            report = FRAUD | {"kind": name, "reason": "other", "external_id": f"case-{number}"}
            await step(world, chance.choice(placed), "dispute", report)
        elif name == "pay out":
            await pay_out(world, f"{chance.randint(1, 200) / 100:.2f}", f"t-{number}")
        world.clock.advance(DAY)
        totals = await maintained(world.db)
        assert totals == await recounted(world.db)
    held, due, paid = (round(float(amount) * 100) for amount in await balance(world))
    assert held + due + paid == sum(amount for (amount,) in totals["shares of creators"].values())
