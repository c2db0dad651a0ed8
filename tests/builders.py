"""Creates customers, products and orders through the Store API."""

from __future__ import annotations

from itertools import count
from typing import Any

from lootkeep.kernel.clock import DAY
from tests.world import World

STORE = "/api/store/v1"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
# RFC 5737 reserves these networks for documentation; the tests of fraud detection use the third for their lists.
_NETWORKS = ("203.0.113", "192.0.2")

_numbers = count(1)


SALE: dict[str, Any] = {"code": "sale 20", "discount_type": "percentage", "discount_value": 20}


async def new_coupon(world: World, **fields: Any) -> dict[str, Any]:
    answer = await world.post("/coupons", SALE | fields)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def new_customer(world: World, **fields: Any) -> dict[str, Any]:
    """A customer with a unique mailbox; returns the whole answer: customer, referral, welcome_coupon."""
    number = next(_numbers)
    body = {"email": f"player{number}@mail{number}.example", "name": f"Player {number}"} | fields
    return await _data(world, "/customers", body)


async def regular_customers(world: World, count: int) -> list[dict[str, Any]]:
    """Customers whose accounts are older than a day, so that a new account does not count against their orders."""
    customers = [(await new_customer(world))["customer"] for _ in range(count)]
    world.clock.advance(2 * DAY)
    return customers


def honest_buyer(customer_id: int) -> dict[str, Any]:
    """What the storefront reports about a customer at home: their own IP and device, and a browser."""
    network, host = divmod(customer_id - 1, 254)
    return {
        "ip_address": f"{_NETWORKS[network % len(_NETWORKS)]}.{host + 1}",
        "device_id": f"device-{customer_id}",
        "user_agent": BROWSER,
    }


async def new_product(world: World, **fields: Any) -> dict[str, Any]:
    """A product that can be delivered: the stock of a product with keys is that many keys, and a file has a URL."""
    defaults: dict[str, Any] = {"name": "VIP rank", "price": "20.00"}
    if fields.get("delivery_type") == "file":
        defaults["file_url"] = "https://files.example/map.zip"
    if fields.get("delivery_type") != "keys":
        return await _data(world, "/products", defaults | fields)
    count_of_keys = fields.pop("stock", 100)
    product = await _data(world, "/products", defaults | fields)
    if count_of_keys:
        await new_keys(world, product["id"], count_of_keys)
    return product | {"stock": count_of_keys, "keys_available": count_of_keys}


async def new_keys(world: World, product_id: int, count_of_keys: int, **fields: Any) -> dict[str, Any]:
    """Adds keys that no product has."""
    keys = [f"KEY-{next(_numbers):07d}" for _ in range(count_of_keys)]
    answer = await world.post(f"/products/{product_id}/keys", {"keys": keys} | fields)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def new_order(world: World, customer_id: int, *lines: tuple[int, int], **fields: Any) -> dict[str, Any]:
    """A placed order of (product_id, quantity) lines."""
    items = [{"product_id": product_id, "quantity": quantity} for product_id, quantity in lines]
    body = {"customer_id": customer_id, "items": items} | honest_buyer(customer_id) | fields
    data = await _data(world, "/orders", body)
    order: dict[str, Any] = data["order"]
    assert order["status"] != "cancelled", data["fraud_check"]
    return order


async def paid_order(world: World, customer_id: int, *lines: tuple[int, int], **fields: Any) -> dict[str, Any]:
    order = await new_order(world, customer_id, *lines, **fields)
    answer = await world.post(f"{STORE}/orders/{order['id']}/pay", {"transaction_id": f"t{order['id']}"})
    assert answer.status_code == 200, answer.text
    paid: dict[str, Any] = answer.json()["data"]
    # What the checkout does next is not a part of the order.
    del paid["next"]
    return paid


async def referred(world: World, code: str, **fields: Any) -> dict[str, Any]:
    """A customer who registered with the code, and was attributed."""
    answer = await new_customer(world, referral_code=code, **fields)
    assert answer["referral"]["attributed"], answer
    customer: dict[str, Any] = answer["customer"]
    return customer


async def new_gift_card(world: World, **fields: Any) -> dict[str, Any]:
    """A gift card of 25.00, returned with its whole code."""
    return await _data(world, "/gift-cards", {"initial_balance": "25.00"} | fields)


async def new_ticket(world: World, customer_id: int, **fields: Any) -> dict[str, Any]:
    body = {"customer_id": customer_id, "subject": "My key does not work", "message": "It was used before."} | fields
    return await _data(world, "/support-tickets", body)


async def new_alert(world: World, **fields: Any) -> dict[str, Any]:
    body = {"name": "Staff", "channel": "email", "target": "staff@shop.example", "triggers": ["backlog"]} | fields
    answer = await world.post("/alerts", body)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def _data(world: World, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await world.post(STORE + path, body)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data
