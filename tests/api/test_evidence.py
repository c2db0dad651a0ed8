"""The evidence of an order: what it shows now, what it showed when the dispute was opened, and what qualifies."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY
from tests.api.commanding import bought, open_server, rank
from tests.builders import STORE, new_customer, new_order, new_product, new_ticket, paid_order
from tests.console.visits import visitor
from tests.world import World

CARD = {"payment": {"fingerprint": "card-1", "country": "DE", "funding": "credit", "three_d_secure": "passed"}}


async def evidence(world: World, order_id: int, query: str = "") -> dict[str, Any]:
    answer = await world.get(f"/orders/{order_id}/evidence{query}")
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def dispute(world: World, order_id: int, kind: str = "dispute") -> int:
    report = {"kind": kind, "reason": "fraudulent", "external_id": f"dp_{order_id}"}
    answer = await world.post(f"{STORE}/orders/{order_id}/dispute", report)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["data"]["id"])


@pytest.fixture
async def shop(world: World) -> World:
    await new_customer(world, email="jun@park.example", name="Jun Park")
    await new_product(world, delivery_type="manual")
    return world


async def test_it_shows_order_buyer_payment_goods_and_tickets(shop: World) -> None:
    await new_product(shop, name="Emberfall key", delivery_type="keys", stock=0)
    await shop.post("/products/2/keys", {"keys": ["AAAA-BBBB-7QK2"]})
    order = await paid_order(shop, 1, (2, 1), **CARD)
    await new_ticket(shop, 1, order_id=order["id"], message="Where is my key?")
    shown_evidence = await evidence(shop, order["id"])
    assert (shown_evidence["order"]["order_number"], shown_evidence["customer"]["email"]) == (
        "ORD-000001",
        "jun@park.example",
    )
    payment = {name: shown_evidence["payment"][name] for name in ("amount", "country", "funding", "three_d_secure")}
    assert payment == {"amount": "20.00", "country": "DE", "funding": "credit", "three_d_secure": "passed"}
    (good,) = shown_evidence["goods"]
    assert (good["kind"], good["state"], good["masked"], good["looks"]) == ("key", "delivered", "••••7QK2", [])
    ((message,),) = [ticket["messages"] for ticket in shown_evidence["tickets"]]
    assert (message["author_type"], message["body"]) == ("customer", "Where is my key?")
    assert "AAAA-BBBB" not in str(shown_evidence)


async def test_an_order_that_was_never_paid_has_no_payment_and_an_unknown_one_is_not_found(shop: World) -> None:
    shown_evidence = await evidence(shop, (await new_order(shop, 1, (1, 1)))["id"])
    assert (shown_evidence["payment"], shown_evidence["goods"]) == (None, [])
    assert (await shop.get("/orders/99/evidence")).status_code == 404
    assert (await shop.get("/orders/1/evidence?dispute_id=7")).status_code == 404


async def test_two_undisputed_orders_of_the_same_card_months_before_qualify(shop: World) -> None:
    for _ in range(2):
        await paid_order(shop, 1, (1, 1), **CARD)
        shop.clock.advance(10 * DAY)
    shop.clock.advance(120 * DAY)
    order = await paid_order(shop, 1, (1, 1), **CARD)
    compelling = (await evidence(shop, order["id"]))["compelling_evidence"]
    assert compelling["qualifies"]
    assert [other["order_number"] for other in compelling["orders"]] == ["ORD-000002", "ORD-000001"]
    assert compelling["matches"] == ["customer", "device", "email", "ip_address"]


async def test_what_the_payment_says_counts_also_where_it_is_not_judged(shop: World) -> None:
    await shop.put("/fraud/settings", {"fraud_judge_at_payment": False})
    for days in (10, 120, 0):
        order = await new_order(shop, 1, (1, 1))
        await shop.post(f"{STORE}/orders/{order['id']}/pay", CARD)
        shop.clock.advance(days * DAY)
    of_last = await evidence(shop, 3)
    assert (of_last["payment"]["country"], of_last["payment"]["three_d_secure"]) == ("DE", "passed")
    assert of_last["compelling_evidence"]["qualifies"]


async def test_it_says_when_the_store_read_a_key_for_its_own_pages(shop: World) -> None:
    await new_product(shop, name="Emberfall key", delivery_type="keys", stock=0)
    await shop.post("/products/2/keys", {"keys": ["AAAA-1111", "BBBB-2222"]})
    await paid_order(shop, 1, (2, 1), (1, 1))
    assert [good["handed_at"] for good in (await evidence(shop, 1))["goods"]] == [None, None]
    await shop.get(f"{STORE}/orders/1/goods")
    shop.clock.advance(DAY)
    await shop.post("/orders/1/items/1/replace-key", {"key_id": 1, "reason": "Used"})
    handed = [good["handed_at"] for good in (await evidence(shop, 1))["goods"]]
    # The key that replaced it came later, and the other line has no value.
    assert handed == ["2026-11-15T12:00:00Z", None, None]
    page = await (await visitor(shop, "staff")).get("/orders/1/evidence")
    assert page.text.count("Read by the store, for its own pages") == 1


async def test_what_staff_declare_delivered_was_not_acknowledged_by_the_server(shop: World) -> None:
    server = await open_server(shop)
    vip = await rank(shop)
    for order_id in (1, 2):
        assert await bought(shop, vip) == order_id
    await shop.post("/orders/1/fulfill", {"note": "given in the game"})
    await server.run_all()
    for order_id, is_acknowledged in ((1, False), (2, True)):
        (good,) = (await evidence(shop, order_id))["goods"]
        assert (good["delivered_at"] is not None, good["acknowledged_at"] is not None) == (True, is_acknowledged)
        page = (await (await visitor(shop, "staff")).get(f"/orders/{order_id}/evidence")).text
        assert ("Run and acknowledged by" in page, "Handed over by staff" in page) == (
            is_acknowledged,
            not is_acknowledged,
        )
        assert "Everything that was bought was delivered." in page


async def test_one_earlier_order_or_one_that_was_reported_or_refunded_does_not_qualify(shop: World) -> None:
    orders = [await paid_order(shop, 1, (1, 1), **CARD) for _ in range(3)]
    await shop.post(f"{STORE}/orders/{orders[1]['id']}/refund", {})
    await dispute(shop, orders[2]["id"], "early_warning")
    shop.clock.advance(130 * DAY)
    order = await paid_order(shop, 1, (1, 1), **CARD)
    compelling = (await evidence(shop, order["id"]))["compelling_evidence"]
    assert (compelling["qualifies"], [other["order_id"] for other in compelling["orders"]]) == (False, [1])


async def test_the_copy_of_a_dispute_shows_what_was_so_when_it_was_opened(shop: World) -> None:
    order = await paid_order(shop, 1, (1, 1), **CARD)
    dispute_id = await dispute(shop, order["id"])
    await new_ticket(shop, 1, order_id=order["id"], message="I want my money back.")
    await shop.post(f"/orders/{order['id']}/fulfill", {})
    copy, now = await evidence(shop, order["id"], f"?dispute_id={dispute_id}"), await evidence(shop, order["id"])
    assert (copy["order"]["status"], now["order"]["status"]) == ("paid", "completed")
    assert (len(copy["tickets"]), len(now["tickets"])) == (0, 1)


async def test_an_erased_buyer_is_in_no_copy(shop: World) -> None:
    order = await paid_order(shop, 1, (1, 1), **CARD)
    dispute_id = await dispute(shop, order["id"])
    assert (await shop.call("DELETE", f"{STORE}/customers/1")).status_code in (200, 204)
    assert (await shop.get(f"/orders/{order['id']}/evidence?dispute_id={dispute_id}")).status_code == 404
