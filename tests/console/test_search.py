"""The console's search: what players and staff quote is found, as a whole or by a part."""

from __future__ import annotations

import pytest

from tests.builders import STORE, new_customer, new_gift_card, new_product, paid_order
from tests.console.visits import visitor
from tests.world import World


@pytest.fixture
async def shop(world: World) -> dict[str, str]:
    """A store with Mira and her friend Jun; returns the codes that they quote."""
    await world.put("/referrals/settings", {"referral_welcome_discount_enabled": True})
    mira = (await new_customer(world, name="Mira Okafor", username="MiraTheGreat", external_id="shop-7"))["customer"]
    jun = await new_customer(
        world,
        name="Jun Park",
        referral_code=mira["referral_code"],
        device_id="Tablet-9",
        ip_address="2001:db8::7",
    )
    await new_product(world, name="Dragon Sword", sku="SWORD-01")
    monthly = {"billing_type": "recurring", "billing_interval": "month", "billing_interval_count": 1}
    await new_product(world, name="Season pass", **monthly)
    await paid_order(world, mira["id"], (1, 1), ip_address="203.0.113.77", external_id="cart-8812", coupon_code=None)
    subscribed = {"customer_id": mira["id"], "product_id": 2, "external_id": "sub_55"}
    assert (await world.post(f"{STORE}/subscriptions", subscribed)).status_code == 201
    card = await new_gift_card(world, recipient_email="mina@m.example", recipient_name="Mina")
    return {
        "referral code": mira["referral_code"].lower(),
        "coupon": jun["welcome_coupon"]["code"].lower(),
        "gift card": card["code"].replace("-", " ").lower(),
    }


@pytest.mark.parametrize(
    ("quoted", "group", "name"),
    [
        ("mirathegreat", "Customers", "Mira Okafor"),
        ("shop-7", "Customers", "Mira Okafor"),
        ("sub_55", "Customers", "Mira Okafor"),
        ("referral code", "Customers", "Mira Okafor"),
        ("coupon", "Customers", "Jun Park"),
        ("tablet-9", "Customers", "Jun Park"),
        ("2001:db8::7", "Customers", "Jun Park"),
        ("203.0.113.77", "Customers", "Mira Okafor"),
        ("203.0.113.77", "Orders", "ORD-000001"),
        ("gift card", "Gift cards", "Mina"),
        ("dragon", "Products", "Dragon Sword"),
        ("sword-01", "Products", "Dragon Sword"),
        ("mira", "Customers", "Mira Okafor"),
    ],
)
async def test_what_is_quoted_is_found_in_its_group(
    world: World, shop: dict[str, str], quoted: str, group: str, name: str
) -> None:
    visits = await visitor(world, "read_only")
    page = (await visits.get("/search", params={"q": shop.get(quoted, quoted)})).text
    cards = page.split("<h2>")[1:]
    (found,) = [card for card in cards if card.startswith(group)]
    assert name in found


@pytest.mark.parametrize("quoted", ["mirathegrea", "shop-", "203.0.113.7", "2001:db9::7", "nothing"])
async def test_a_part_of_what_is_only_found_as_a_whole_finds_nothing(
    world: World, shop: dict[str, str], quoted: str
) -> None:
    visits = await visitor(world, "read_only")
    assert "Nothing was found." in (await visits.get("/search", params={"q": quoted})).text


async def test_the_external_id_of_an_order_leads_to_the_order(world: World, shop: dict[str, str]) -> None:
    visits = await visitor(world, "read_only")
    answer = await visits.get("/search", params={"q": "cart-8812"})
    assert answer.headers["location"] == "/console/orders/1"
