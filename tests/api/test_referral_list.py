"""The list of referrals over HTTP: every page in order, and a search that finds exactly what contains the term."""

from __future__ import annotations

from itertools import product
from typing import Any
from urllib.parse import urlencode

import pytest

from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.sign_up import SignedUp, SignUp
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.services import customers as customers_service, orders as orders_service
from tests.builders import new_customer, new_product, referred
from tests.world import NOON, World

# Pages that begin beyond 1000 rows are found by the counts per day.
MANY = 1250
STATUSES = (None, "pending", "successful")


async def test_an_empty_list_has_one_empty_page(world: World) -> None:
    assert await _page(world) == ([], {"current_page": 1, "last_page": 1, "per_page": 15, "total": 0})


async def test_all_pages_together_hold_every_referral_once_newest_first(world: World) -> None:
    everyone = await _refer(world, 250)
    world.token = await world.new_token("referrals:read", rate_limit=0)
    for status, per_page in product(STATUSES, (3, 7, 100)):
        expected = _in_order(everyone, status)
        ids: list[int] = []
        for number in range(1, -(-len(expected) // per_page) + 1):
            ids += await _ids(world, status, page=number, per_page=per_page)
        assert ids == expected, (status, per_page)


async def test_deep_pages_equal_those_counted_from_the_top(world: World) -> None:
    everyone = await _refer(world, MANY)
    world.token = await world.new_token("referrals:read", rate_limit=0)
    for status in STATUSES:
        expected = _in_order(everyone, status)
        for size in (7, 100):
            # From just before the first that is deep.
            first = min(len(expected), 900) // size
            pages = range(first + 1, -(-len(expected) // size) + 1)
            ids = [record_id for page in pages for record_id in await _ids(world, status, page=page, per_page=size)]
            assert ids == expected[first * size :], (status, size)
        ends = [*range(995, 1010), *range(len(expected) - 5, len(expected) + 1)]
        single = [await _ids(world, status, page=page, per_page=1) for page in ends]
        assert single == [expected[page - 1 : page] for page in ends], status


async def test_the_list_returns_its_total(world: World) -> None:
    everyone = await _refer(world, 40)
    for status in STATUSES:
        total = len(_in_order(everyone, status))
        _, meta = await _page(world, status, page=2, per_page=7)
        assert meta == {"current_page": 2, "last_page": -(-total // 7), "per_page": 7, "total": total}


async def test_a_page_past_the_end_is_empty_and_still_returns_the_total(world: World) -> None:
    await _refer(world, 4)
    filters: list[dict[str, str]] = [{}, {"status": "pending"}, {"search": "friend"}, {"search": "fr"}]
    for fields, page in product(filters, (2, 3, 1_000_000_000, 2**63 - 1)):
        ids, meta = await _page(world, page=page, per_page=100, **fields)
        assert (ids, meta["current_page"], meta["last_page"]) == ([], page, 1)
        assert meta["total"] == (3 if "status" in fields else 4)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("page=0", "page"),
        ("page=-1", "page"),
        ("page=two", "page"),
        ("page=1.5", "page"),
        ("page=", "page"),
        ("page=9223372036854775808", "page"),
        ("page=99999999999999999999999", "page"),
        ("per_page=0", "per_page"),
        ("per_page=101", "per_page"),
        ("per_page=ten", "per_page"),
        ("status=lost", "status"),
        ("status=PENDING", "status"),
        ("status=", "status"),
        ("search=a%00b", "search"),
        ("search=" + "x" * 256, "search"),
    ],
)
async def test_a_bad_parameter_is_rejected_by_name(shared_world: World, query: str, field: str) -> None:
    answer = await shared_world.get(f"/referrals?{query}")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])


async def test_every_bad_parameter_is_named_at_once(world: World) -> None:
    answer = await world.get("/referrals?page=0&per_page=0&status=lost")
    assert sorted(answer.json()["errors"]) == ["page", "per_page", "status"]


NAMES = [
    "Anna Öberg",
    "ÖRJAN Ek",
    "Strauß",
    "STRASSER Karl",
    "İbrahim",
    "ibrahim two",
    "Σίσυφος",
    "ΣΊΣΥΦΟΣ",
    "Žofie Č.",
    "김민준",
    "김 민",
    "Pro🎮Gamer",
    "🎮🎮🎮",
    "100% Real",
    "100 percent",
    "under_score",
    "underXscore",
    "O'Brien",
    'The "Boss"',
    "back\\slash",
    "back slash",
    "Ann\nMarie",
    "a*b OR c",
    "NEAR(x y)",
    "-minus ^caret",
    "semi;colon--",
    "x",
    "Q",
    "İİİ",
]
TERMS = [
    *("a", "Q", "ö", "Ö", "ß", "İ", "ı", "%", "_", "'", '"', "\\", "🎮", "김", "@", ".", "*", "-", "^", "("),
    *("an", "OB", "ss", "ÖR", "0%", "r_", "o'", '"b', "k\\", "🎮🎮", "김민", "\\s", "--", "c."),
    *("öbe", "ÖBE", "örj", "strauß", "STRAUSS", "strasse", "İbr", "ibr", "σίσυφος", "ΣΊΣ", "žof", "김민준"),
    *("🎮🎮🎮", "o🎮g", "0% r", "100%", "r_s", "%%%", "___", "'br", "o'brien", '"boss"', 'e "b', "k\\s", "\\\\\\"),
    *("ann\nmar", "a*b", "a* OR", "NEAR(", "-minus", "^caret", ";colon--", "n4@mail", "MAIL4.EX", ".example", "İİİ"),
    *("no such name", "example.", "%na", "' OR 1=1 --", "  anna  ", "anna  ö"),
]


async def test_a_search_finds_exactly_the_customers_whose_name_or_email_contains_the_term(world: World) -> None:
    people = await _named(world)
    world.token = await world.new_token("referrals:read", rate_limit=0)
    wrong = {}
    for term in TERMS:
        expected = _containing(people, term)
        ids = await _ids(world, search=term, per_page=100)
        if ids != expected:
            wrong[term] = (
                [_name(people, record_id) for record_id in ids],
                [_name(people, record_id) for record_id in expected],
            )
    assert wrong == {}


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        ("Zoe\u0308 Quinn", ["zoë", "ZOE\u0308", "Zoë Q"]),
        ("Gülşah Ak", ["gülşah", "GU\u0308LS\u0327AH"]),
        ("İpek Ay", ["ipek", "I\u0307PEK"]),
    ],
)
async def test_a_search_finds_a_name_in_whatever_form_its_letters_are_written(
    world: World, name: str, terms: list[str]
) -> None:
    referrer = (await new_customer(world))["customer"]
    await new_customer(world, name=name, referral_code=referrer["referral_code"])
    for term in terms:
        answer = await world.get(f"/referrals?{urlencode({'search': term})}")
        assert answer.json()["meta"]["total"] == 1, term


async def test_a_search_within_a_status_pages_like_the_list(world: World) -> None:
    everyone = await _refer(world, 30)
    world.token = await world.new_token("referrals:read", rate_limit=0)
    for status, term in product(("pending", "successful"), ("e", "ex", "exa", "example", "ann")):
        expected = _in_order(everyone, status) if term != "ann" else []
        ids: list[int] = []
        for page in range(1, 8):
            ids += await _ids(world, status, search=term, page=page, per_page=4)
        _, meta = await _page(world, status, search=term, per_page=4)
        assert (ids, meta["total"]) == (expected[:28], len(expected)), (status, term)


@pytest.mark.parametrize("term", ["", "   ", "%09"])
async def test_a_blank_search_is_ignored(world: World, term: str) -> None:
    await _refer(world, 3)
    answer = await world.get(f"/referrals?search={term}")
    assert answer.json()["meta"]["total"] == 3


async def test_a_search_matches_the_referred_customer_and_not_the_referrer(world: World) -> None:
    anna = (await new_customer(world, name="Annabel", email="annabel@a.example"))["customer"]
    ben = await referred(world, anna["referral_code"], name="Ben")
    assert await _ids(world, search="annabel") == []
    assert await _ids(world, search="ben") == [ben["id"]]


async def _refer(world: World, count: int) -> list[tuple[Instant, int, str]]:
    """Time, id and status of this many referrals over many days, some at the same moment, not in order of time."""
    referrer = (await new_customer(world))["customer"]
    product = (await new_product(world))["id"]
    times = [_time(number, count) for number in range(count)]
    forms = [
        SignUp(
            email=f"friend{number}@mail{number}.example",
            name=f"Friend {number}",
            referral_code=referrer["referral_code"],
            created_at=time,
        )
        for number, time in enumerate(times)
    ]
    buys = [number % 7 == 0 if count < MANY else number % 7 > 0 for number in range(count)]
    line = CartLine(product, 1)
    async with world.db.write() as tx:
        signed_up = await customers_service.sign_up_all(world.deps, tx, forms)
        ids = [it.customer.id for it in signed_up if isinstance(it, SignedUp)]
        paid = [
            Cart(id_, (line,), None, created_at=time, paid_at=Instant(time + 1))
            for id_, time, is_buyer in zip(ids, times, buys, strict=True)
            if is_buyer
        ]
        await orders_service.import_history(world.deps, tx, paid)
    statuses = ["successful" if is_buyer else "pending" for is_buyer in buys]
    return list(zip(times, ids, statuses, strict=True))


def _time(number: int, count: int) -> Instant:
    """Four a day or so, on some days dozens; every few at the first or the last moment of the day."""
    day = NOON // DAY - 1 - (number * 37 % count) // 4 % 90 * (1 if number % 5 else 0)
    within = (0, DAY - 1, DAY // 2, number * 1000)[number % 4]
    return Instant(day * DAY + within)


def _in_order(everyone: list[tuple[Instant, int, str]], status: str | None) -> list[int]:
    return [
        record_id
        for _, record_id, referral_status in sorted(everyone, reverse=True)
        if status in (None, referral_status)
    ]


async def _named(world: World) -> list[dict[str, Any]]:
    code = (await new_customer(world))["customer"]["referral_code"]
    return [
        await referred(world, code, name=name, email=f"person{number}@mail{number}.example")
        for number, name in enumerate(NAMES)
    ]


def _containing(people: list[dict[str, Any]], term: str) -> list[int]:
    needle = _folded(term.strip())
    ids = [person["id"] for person in people if needle in _folded(person["name"]) or needle in _folded(person["email"])]
    return sorted(ids, reverse=True)


def _folded(text: str) -> str:
    return text.casefold().replace("i\N{COMBINING DOT ABOVE}", "i")


def _name(people: list[dict[str, Any]], customer_id: int) -> str:
    return str(next(person["name"] for person in people if person["id"] == customer_id))


async def _ids(world: World, status: str | None = None, **query: Any) -> list[int]:
    return [entry["id"] for entry in (await _page(world, status, **query))[0]]


async def _page(world: World, status: str | None = None, **query: Any) -> tuple[list[Any], dict[str, int]]:
    answer = await world.get("/referrals?" + urlencode(query | ({"status": status} if status else {})))
    assert answer.status_code == 200, answer.text
    return answer.json()["data"], answer.json()["meta"]
