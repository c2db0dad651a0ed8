"""The leaderboard and the top referrers: who is before whom, and how many are shown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import STORE, new_customer, new_product, paid_order, referred
from tests.recount import maintained, recounted
from tests.world import World

MINUTE = 60_000_000
TIER = {"name": "One", "referrals_required": 1, "reward_type": "percentage_discount", "reward_value": 10}


class RankedShop:
    """Customers by name, each of whom brings others; minutes pass between the operations."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.customers: dict[str, dict[str, Any]] = {}

    async def open(self, *names: str) -> None:
        await new_product(self.world)
        for name in names:
            answer = await new_customer(self.world, name=name, email=f"{name.lower()}@own.example")
            self.customers[name] = answer["customer"]

    async def bring(self, name: str, *, buys: bool = False) -> int:
        """Someone new comes through the named customer; gives their id."""
        self.world.clock.advance(MINUTE)
        who = await referred(self.world, self.customers[name]["referral_code"])
        if buys:
            await self.buy(who["id"])
        return int(who["id"])

    async def buy(self, customer_id: int) -> int:
        self.world.clock.advance(MINUTE)
        return int((await paid_order(self.world, customer_id, (1, 1)))["id"])

    async def count_at(self, event: str) -> None:
        await self.world.put("/referrals/settings", {"referral_reward_event": event})

    async def leaderboard(self) -> list[tuple[str, int]]:
        entries = (await self.world.get("/referrals/leaderboard")).json()["data"]
        return [(entry["name"], entry["referral_count"]) for entry in entries]

    async def top(self) -> list[tuple[str, int, int]]:
        entries = (await self.world.get("/referrals/top-referrers")).json()["data"]
        return [(entry["name"], entry["successful_referrals"], entry["total_referrals"]) for entry in entries]


@pytest.fixture
def shop(world: World) -> RankedShop:
    return RankedShop(world)


async def test_an_entry_of_the_leaderboard_has_exactly_its_fields(world: World, shop: RankedShop) -> None:
    await shop.open("Anna")
    await shop.bring("Anna", buys=True)
    assert (await world.get("/referrals/leaderboard")).json() == {
        "success": True,
        "data": [{"id": 1, "name": "Anna", "referral_count": 1}],
    }


async def test_an_entry_of_the_top_referrers_has_exactly_its_fields(world: World, shop: RankedShop) -> None:
    await shop.open("Anna")
    await shop.bring("Anna", buys=True)
    await shop.bring("Anna")
    await world.post("/referrals/tiers", TIER)
    await world.post(f"{STORE}/customers/1/claims", {"tier_id": 1})
    assert (await world.get("/referrals/top-referrers")).json() == {
        "success": True,
        "data": [
            {
                "id": 1,
                "name": "Anna",
                "email": "anna@own.example",
                "referral_code": shop.customers["Anna"]["referral_code"],
                "total_referrals": 2,
                "successful_referrals": 1,
                "rewards_claimed": 1,
            }
        ],
    }


@pytest.mark.parametrize("path", ["leaderboard", "top-referrers"])
async def test_customers_without_referrals_are_not_ranked(world: World, shop: RankedShop, path: str) -> None:
    await shop.open("Anna", "Ben")
    empty = (await world.get(f"/referrals/{path}")).json()
    await shop.bring("Ben")
    ranked = (await world.get(f"/referrals/{path}")).json()["data"]
    assert empty == {"success": True, "data": []}
    assert [entry["name"] for entry in ranked] == ["Ben"]


async def test_the_leaderboard_counts_purchases_or_sign_ups_as_the_setting_says(shop: RankedShop) -> None:
    await shop.open("Anna", "Ben")
    for _ in range(3):
        await shop.bring("Anna")
    await shop.bring("Ben", buys=True)
    by_purchase = await shop.leaderboard()
    await shop.count_at("signup")
    by_sign_up = await shop.leaderboard()
    assert by_purchase == [("Ben", 1), ("Anna", 0)]
    assert by_sign_up == [("Anna", 3), ("Ben", 1)]


async def test_a_tie_by_sign_ups_goes_to_the_customer_who_reached_it_first(shop: RankedShop) -> None:
    await shop.open("Anna", "Ben", "Cleo")
    await shop.count_at("signup")
    for name in ("Cleo", "Anna", "Ben", "Ben", "Cleo", "Anna"):
        await shop.bring(name)
    assert await shop.leaderboard() == [("Ben", 2), ("Cleo", 2), ("Anna", 2)]


async def test_a_tie_by_purchases_goes_to_the_customer_whose_friends_bought_first(shop: RankedShop) -> None:
    await shop.open("Anna", "Ben")
    of_anna, of_ben = await shop.bring("Anna"), await shop.bring("Ben")
    await shop.buy(of_ben)
    await shop.buy(of_anna)
    assert await shop.leaderboard() == [("Ben", 1), ("Anna", 1)]


async def test_a_friends_second_purchase_changes_no_rank(shop: RankedShop) -> None:
    await shop.open("Anna", "Ben")
    of_anna = await shop.bring("Anna", buys=True)
    await shop.bring("Ben", buys=True)
    await shop.buy(of_anna)
    assert await shop.leaderboard() == [("Anna", 1), ("Ben", 1)]


async def test_a_tie_at_the_same_moment_goes_to_the_older_customer(world: World) -> None:
    friends = [(await new_customer(world, name=name))["customer"] for name in ("Anna", "Ben")]
    await world.put("/referrals/settings", {"referral_reward_event": "signup"})
    for friend in reversed(friends):
        await referred(world, friend["referral_code"])
    ranked = (await world.get("/referrals/leaderboard")).json()["data"]
    assert [entry["name"] for entry in ranked] == ["Anna", "Ben"]


async def test_a_full_refund_removes_the_rank_and_the_next_purchase_gives_a_later_one(
    world: World, shop: RankedShop
) -> None:
    await shop.open("Anna", "Ben")
    of_anna = await shop.bring("Anna")
    order = await shop.buy(of_anna)
    await shop.bring("Ben", buys=True)
    before = await shop.leaderboard()
    await world.post(f"{STORE}/orders/{order}/refund")
    refunded = await shop.leaderboard()
    await shop.buy(of_anna)
    assert before == [("Anna", 1), ("Ben", 1)]
    assert refunded == [("Ben", 1), ("Anna", 0)]
    assert await shop.leaderboard() == [("Ben", 1), ("Anna", 1)]
    assert await maintained(world.db) == await recounted(world.db)


async def test_top_referrers_are_ranked_by_successful_then_total_then_id(shop: RankedShop) -> None:
    await shop.open("Anna", "Ben", "Cleo", "Dora")
    for name in ("Dora", "Cleo", "Ben", "Anna"):
        await shop.bring(name)
    await shop.bring("Ben", buys=True)
    await shop.bring("Cleo", buys=True)
    await shop.bring("Cleo")
    assert await shop.top() == [("Cleo", 1, 3), ("Ben", 1, 2), ("Anna", 0, 1), ("Dora", 0, 1)]


async def test_top_referrers_do_not_depend_on_the_reward_event(shop: RankedShop) -> None:
    await shop.open("Anna", "Ben")
    await shop.bring("Anna", buys=True)
    await shop.bring("Ben")
    before = await shop.top()
    await shop.count_at("signup")
    assert await shop.top() == before


async def test_a_rejected_referral_ranks_nobody(world: World, shop: RankedShop) -> None:
    await shop.open("Anna")
    code = shop.customers["Anna"]["referral_code"]
    await new_customer(world, email="anna+2@own.example", referral_code=code)
    assert await shop.top() == []


@pytest.mark.parametrize("path", ["leaderboard", "top-referrers"])
async def test_ten_are_shown_unless_another_limit_is_asked_for(world: World, shop: RankedShop, path: str) -> None:
    names = [f"P{number}" for number in range(11)]
    await shop.open(*names)
    for name in names:
        await shop.bring(name)
    lengths = [len((await world.get(f"/referrals/{path}{query}")).json()["data"]) for query in ("", "?limit=3")]
    everyone = (await world.get(f"/referrals/{path}?limit=100")).json()["data"]
    assert lengths == [10, 3]
    assert sorted(entry["name"] for entry in everyone) == sorted(names)


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        ("0", "The limit field must be at least 1."),
        ("-1", "The limit field must be at least 1."),
        ("101", "The limit field must not be greater than 100."),
        ("ten", "The limit field must be an integer."),
        ("", "The limit field must be an integer."),
        ("1.5", "The limit field must be an integer."),
    ],
)
async def test_a_limit_out_of_bounds_is_rejected(shared_world: World, limit: str, sentence: str) -> None:
    for path in ("leaderboard", "top-referrers"):
        answer = await shared_world.get(f"/referrals/{path}?limit={limit}")
        assert answer.status_code == 422
        assert answer.json()["errors"] == {"limit": [sentence]}


@pytest.mark.parametrize("path", ["leaderboard", "top-referrers"])
async def test_rankings_need_the_referral_scope(shared_world: World, path: str) -> None:
    answer = await shared_world.get(
        f"/referrals/{path}", token=await shared_world.new_token("store:read", "referrals:write")
    )
    assert answer.status_code == 403
