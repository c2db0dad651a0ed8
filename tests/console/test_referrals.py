"""Referrals in the console: the program, its tiers, who brought whom, claims, and rejections with their reason."""

from __future__ import annotations

import re

import pytest

from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.storage import audit as audit_db
from tests.api.claiming import new_tier
from tests.builders import STORE, new_customer, paid_order, referred
from tests.console.visits import Visitor, visitor
from tests.world import World

TIERS = re.compile(r'href="/console/referrals/tiers/\d+"><bdi>([^<]+)')
SILVER = {
    "name": "Silver",
    "referrals_required": "5",
    "reward_type": "fixed_discount",
    "reward_value": "7.50",
    "coupon_validity_days": "14",
    "sort_order": "-1",
}
PROGRAM = {
    "referral_enabled": "no",
    "referral_reward_event": "signup",
    "referral_welcome_discount_enabled": "yes",
    "referral_welcome_discount_type": "percentage",
    "referral_welcome_discount_value": "15",
}


@pytest.fixture
async def program(store: World) -> World:
    """Jun brought two, of whom one bought something, and tried to bring himself."""
    code = (await store.get("/customers/1")).json()["data"]["referral_code"]
    buyer = await referred(store, code, name="Bea Buyer")
    await referred(store, code, name="Lou Looker")
    await paid_order(store, buyer["id"], (1, 1))
    await new_customer(store, referral_code=code, email="jun+2@park.example", name="Jun Again")
    assert (await store.post(f"{STORE}/customers/1/claims", {"tier_id": 1})).status_code == 201
    return store


async def send(visits: Visitor, path: str, **fields: str) -> int:
    return (await visits.post(f"/referrals/{path}", on="/referrals", **fields)).status_code


async def test_the_program_has_its_figures_and_a_leaderboard(program: World) -> None:
    page = (await (await visitor(program, "owner")).get("/referrals")).text
    assert re.findall(r'class="figure">([^<]+)<', page) == ["2", "1", "1", "$0.00", "1"]
    assert "50.0 % of them" in page
    assert re.search(r"<bdi>Jun Park</bdi></a></td><td [^>]+>2</td><td [^>]+>1</td>", page)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("list", ["Lou Looker", "Bea Buyer"]),
        ("list?status=successful", ["Bea Buyer"]),
        ("list?search=lou", ["Lou Looker"]),
        ("list?referrer_id=2", []),
        ("claims", ["Jun Park"]),
        ("refused", ["Jun Again"]),
    ],
)
async def test_the_lists_show_referrers_claims_and_rejections(program: World, path: str, names: list[str]) -> None:
    page = (await (await visitor(program, "read_only")).get(f"/referrals/{path}")).text
    assert re.findall(r'<a class="row" href="[^"]+"><bdi>([^<]+)', page) == names
    assert path != "refused" or "The customer and the referrer share a mailbox." in page


async def test_tiers_are_created_in_order_changed_and_deactivated(store: World) -> None:
    visits = await visitor(store, "staff")
    assert await send(visits, "tiers/new", **SILVER) == 303
    page = (await visits.get("/referrals")).text
    assert TIERS.findall(page) == ["Silver", "Bronze"]
    assert "$7.50 off" in page
    assert "10 % off" in page
    await new_tier(store, name="Odd", reward_value="10.05", sort_order=9)
    assert "10.05 % off" in (await visits.get("/referrals")).text
    assert await send(visits, "tiers/3/delete", confirmed="yes") == 303
    assert await send(visits, "tiers/2", **(SILVER | {"sort_order": "3", "name": "Gold"})) == 303
    assert TIERS.findall((await visits.get("/referrals")).text) == ["Bronze", "Gold"]
    assert await send(visits, "tiers/2/toggle") == 303
    tiers = (await store.get("/referrals/tiers")).json()["data"]
    assert [tier["is_active"] for tier in tiers] == [True, False]
    async with store.db.read() as tx:
        entries = await audit_db.changes_since(tx, "tier:2", Instant(0))
    assert [entry.action for entry in entries] == ["Switch a tier on or off", "Change a tier", "Create a tier"]
    assert entries[1].changes == [("name", "Silver", "Gold"), ("sort_order", -1, 3)]


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", ""), ("referrals_required", "0"), ("reward_value", "x"), ("coupon_validity_days", "366")],
)
async def test_an_invalid_tier_is_rejected_at_its_field(store: World, field: str, value: str) -> None:
    answer = await (await visitor(store, "staff")).post(
        "/referrals/tiers/new", on="/referrals/tiers/new", **(SILVER | {field: value})
    )
    assert (answer.status_code, f'id="{field}-error"' in answer.text) == (422, True)


async def test_a_tier_is_deleted_after_a_confirmation_and_deactivated_if_it_has_claims(program: World) -> None:
    visits = await visitor(program, "staff")
    await new_tier(program, name="Unused")
    assert await send(visits, "tiers/2/delete") == 200
    for number in (1, 2):
        assert await send(visits, f"tiers/{number}/delete", confirmed="yes") == 303
    tiers = (await program.get("/referrals/tiers")).json()["data"]
    assert [(tier["name"], tier["is_active"]) for tier in tiers] == [("Bronze", False)]


async def test_a_stale_tier_is_not_saved(store: World) -> None:
    visits = await visitor(store, "staff")
    version = re.findall(r'name="version" value="(\d+)"', (await visits.get("/referrals/tiers/1")).text)[0]
    store.clock.advance(MINUTE)
    assert await send(visits, "tiers/1", **SILVER, version=version) == 303
    assert await send(visits, "tiers/1", **SILVER, version=version) == 409


async def test_the_owner_changes_the_program_and_a_stale_form_does_not(store: World) -> None:
    visits = await visitor(store, "owner")
    assert await send(visits, "settings", **PROGRAM, version="0") == 303
    settings = (await store.get("/referrals/settings")).json()["data"]
    assert (settings["referral_enabled"], settings["referral_reward_event"]) == (False, "signup")
    stale = await visits.post("/referrals/settings", on="/referrals", **PROGRAM, version="0")
    assert (stale.status_code, "The owner" in stale.text) == (409, True)
    too_much = PROGRAM | {"referral_welcome_discount_value": "101"}
    assert await send(visits, "settings", **too_much, version="1") == 422
