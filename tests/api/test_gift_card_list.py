"""The list and the figures of gift cards: filtered, sorted, paged, and exact at any moment."""

from __future__ import annotations

from dataclasses import replace as with_db
from typing import Any

import pytest
from msgspec.structs import replace

from lootkeep.domain.gift_cards import GiftCardTerms
from lootkeep.kernel.clock import DAY, MINUTE, Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.services import gift_cards as gift_cards_service
from lootkeep.storage.engine.database import JoinedDatabase
from tests.builders import new_customer, new_gift_card, new_product, paid_order
from tests.world import World

TERMS = GiftCardTerms(Hundredths(1), "USD", None, None, None, None, None, None, None, None, None)


async def ids(world: World, **query: Any) -> list[int]:
    answer = await world.get("/gift-cards", params=query)
    assert answer.status_code == 200, answer.text
    listed = [card["id"] for card in answer.json()["data"]]
    assert answer.json()["meta"]["total"] >= len(listed)
    return listed


async def many_cards(world: World, count: int, terms: GiftCardTerms) -> None:
    """In one transaction, which takes a fraction of the time of as many."""
    async with world.db.write() as tx:
        joined = with_db(world.deps, db=JoinedDatabase(tx))
        for _ in range(count):
            await gift_cards_service.create(joined, terms, None)


async def a_drawer(world: World) -> None:
    """One card in each state, made on two days: 1 scheduled, 2 active, 3 redeemed, 4 expired, 5 revoked, 6 in euros."""
    await new_gift_card(world, starts_at="2026-12-01T00:00:00Z", recipient_name="Anna")
    await new_gift_card(world, recipient_email="jun@example.com", recipient_name="Jun Park", initial_balance="10.00")
    await new_gift_card(world)
    await new_gift_card(world, expires_at="2026-11-15T12:01:00Z", initial_balance="7.00")
    world.clock.advance(DAY)
    await new_gift_card(world)
    await new_gift_card(world, currency="EUR", expires_at="2026-12-31T00:00:00Z", code="EURO-CARD-7K2P")
    await world.post("/gift-cards/3/redeem", {"amount": "25.00"})
    await world.post("/gift-cards/2/redeem", {"amount": "4.00"})
    await world.post("/gift-cards/5/redeem", {"amount": "5.00"})
    await world.post("/gift-cards/5/revoke")


async def test_the_list_is_newest_first_and_shows_cards_as_they_are(world: World) -> None:
    await a_drawer(world)
    answer = (await world.get("/gift-cards")).json()
    assert [card["status"] for card in answer["data"]] == [
        "active",
        "revoked",
        "expired",
        "redeemed",
        "active",
        "scheduled",
    ]
    assert answer["meta"] == {"current_page": 1, "last_page": 1, "per_page": 15, "total": 6}
    assert "transactions" not in answer["data"][0]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"status": "scheduled"}, [1]),
        ({"status": "active"}, [6, 2]),
        ({"status": "redeemed"}, [3]),
        ({"status": "expired"}, [4]),
        ({"status": "revoked"}, [5]),
        ({"currency": "eur"}, [6]),
        ({"currency": "USD", "status": "active"}, [2]),
        ({"recipient_email": "JUN@example.com"}, [2]),
        ({"search": "park"}, [2]),
        ({"search": "AN"}, [1]),
        ({"search": "7k2p"}, [6]),
        ({"search": "park", "status": "redeemed"}, []),
        ({"search": "park", "status": "active", "currency": "USD"}, [2]),
        ({"search": " "}, [6, 5, 4, 3, 2, 1]),
        ({"from": "2026-11-16"}, [6, 5]),
        ({"to": "2026-11-15"}, [4, 3, 2, 1]),
        ({"from": "2026-11-15", "to": "2026-11-15", "status": "active"}, [2]),
        ({"from": "2026-11-17"}, []),
        ({"sort": "id", "order": "asc"}, [1, 2, 3, 4, 5, 6]),
        ({"sort": "id", "order": "asc", "status": "active"}, [2, 6]),
        ({"sort": "created_at", "order": "asc"}, [1, 2, 3, 4, 5, 6]),
        ({"sort": "balance"}, [6, 1, 4, 2, 5, 3]),
        ({"sort": "balance", "order": "asc"}, [3, 5, 2, 4, 1, 6]),
        ({"sort": "balance", "status": "active"}, [6, 2]),
        ({"sort": "expires_at", "order": "asc"}, [4, 6, 1, 2, 3, 5]),
        ({"sort": "expires_at"}, [5, 3, 2, 1, 6, 4]),
        ({"sort": "expires_at", "order": "asc", "status": "active"}, [6, 2]),
        ({"per_page": 2, "page": 2}, [4, 3]),
        ({"per_page": 2, "page": 9}, []),
    ],
)
async def test_the_list_is_filtered_and_sorted(world: World, query: dict[str, Any], expected: list[int]) -> None:
    await a_drawer(world)
    assert await ids(world, **query) == expected


async def test_cards_are_found_by_their_customer_and_by_the_order_that_bought_them(world: World) -> None:
    customer = (await new_customer(world))["customer"]["id"]
    await new_gift_card(world)
    await new_gift_card(world, customer_id=customer)
    await new_product(world, delivery_type="gift_card", price="20.00")
    order = await paid_order(world, customer, (1, 2))
    assert await ids(world, customer_id=customer) == [4, 3, 2]
    assert await ids(world, customer_id=customer, sort="id", order="asc", status="active") == [2, 3, 4]
    assert await ids(world, order_id=order["id"]) == [4, 3]
    assert await ids(world, order_id=77) == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"status": "gone"}, "status"),
        ({"currency": "XXL"}, "currency"),
        ({"customer_id": "me"}, "customer_id"),
        ({"recipient_email": "x"}, "recipient_email"),
        ({"from": "yesterday"}, "from"),
        ({"from": "2026-11-16", "to": "2026-11-15"}, "from"),
        ({"sort": "code"}, "sort"),
        ({"order": "up"}, "order"),
        ({"per_page": 101}, "per_page"),
    ],
)
async def test_a_bad_filter_is_rejected(shared_world: World, query: dict[str, Any], field: str) -> None:
    answer = await shared_world.get("/gift-cards", params=query)
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])


async def test_a_page_far_down_the_list_is_the_right_one(world: World) -> None:
    for count in (300, 300, 300, 205):
        world.clock.advance(DAY)
        await many_cards(world, count, TERMS)
    assert await ids(world, page=101, per_page=10) == list(range(105, 95, -1))
    assert await ids(world, page=111, per_page=10, status="active") == [5, 4, 3, 2, 1]


# --- figures


async def figures(world: World) -> dict[str, Any]:
    data: dict[str, Any] = (await world.get("/gift-cards/statistics")).json()["data"]
    return data


async def test_without_cards_there_are_no_currencies(world: World) -> None:
    none = dict.fromkeys(("scheduled", "active", "redeemed", "expired", "revoked"), 0)
    assert await figures(world) == {"total": 0, "by_status": none, "currencies": []}


async def test_the_figures_are_given_by_currency(world: World) -> None:
    await a_drawer(world)
    assert await figures(world) == {
        "total": 6,
        "by_status": {"scheduled": 1, "active": 2, "redeemed": 1, "expired": 1, "revoked": 1},
        "currencies": [
            {
                "currency": "EUR",
                "total": 1,
                "by_status": {"scheduled": 0, "active": 1, "redeemed": 0, "expired": 0, "revoked": 0},
                "total_issued_value": "25.00",
                "outstanding_balance": "25.00",
                "total_redeemed_value": "0.00",
                "expired_value": "0.00",
                "revoked_value": "0.00",
                "redemption_rate": 0.0,
            },
            {
                "currency": "USD",
                "total": 5,
                "by_status": {"scheduled": 1, "active": 1, "redeemed": 1, "expired": 1, "revoked": 1},
                "total_issued_value": "92.00",
                "outstanding_balance": "31.00",
                "total_redeemed_value": "34.00",
                "expired_value": "7.00",
                "revoked_value": "20.00",
                "redemption_rate": 36.96,
            },
        ],
    }


async def test_an_expiry_counts_from_its_exact_moment(world: World) -> None:
    for _ in range(3):
        await new_gift_card(world, expires_at="2026-11-15T12:01:00Z")
    world.clock.advance(MINUTE - 1)
    before = (await figures(world))["currencies"][0]
    world.clock.advance(1)
    after = (await figures(world))["currencies"][0]
    assert (before["expired_value"], before["outstanding_balance"]) == ("0.00", "75.00")
    assert (after["expired_value"], after["outstanding_balance"]) == ("75.00", "0.00")
    assert after["by_status"]["expired"] == 3


async def test_the_worker_settles_status_changes_caused_by_time(world: World) -> None:
    terms = replace(TERMS, expires_at=Instant(world.clock.now() + MINUTE))
    await many_cards(world, 600, terms)
    world.clock.advance(MINUTE)
    await gift_cards_service.settle(world.deps)
    assert (await figures(world))["by_status"]["expired"] == 600
    assert (await world.get("/gift-cards", params={"status": "expired"})).json()["meta"]["total"] == 600
