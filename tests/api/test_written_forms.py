"""Days, codes and IP addresses have one written form: what only looks like one is rejected, not read as another."""

from __future__ import annotations

import pytest

from tests.builders import STORE, new_gift_card
from tests.world import World

TIER = {"name": "Gold", "referrals_required": 1, "reward_type": "fixed_discount", "reward_value": 5}

# Capital letters of these are codes that nobody meant: the first two are South Sudan and Finland.
NOT_CODES = ("ß", "ﬁ", "ıt", "ſe", "ＤＥ", "D E", " DE")


@pytest.mark.parametrize(
    "day", ["2026-1-5", "2026-01-5", "2026-1-05", "26-01-05", "20260105", "2026-W01-1", "٢٠٢٦-٠١-٠٥"]
)
@pytest.mark.parametrize(
    ("path", "first", "last"),
    [
        ("/fraud/checks", "start_date", "end_date"),
        ("/orders", "from", "to"),
        ("/analytics/revenue", "from", "to"),
    ],
)
async def test_a_day_is_written_with_all_its_digits(
    shared_world: World, path: str, first: str, last: str, day: str
) -> None:
    answer = await shared_world.get(path, params={first: day, last: "2026-01-06"})
    assert (answer.status_code, answer.json().get("errors")) == (
        422,
        {first: [f"The {first.replace('_', ' ')} field must be a day like 2026-11-15."]},
    )


@pytest.mark.parametrize("text", NOT_CODES)
@pytest.mark.parametrize("method", ["POST", "DELETE"])
async def test_a_country_code_is_two_ascii_letters(shared_world: World, method: str, text: str) -> None:
    answer = await shared_world.call(method, "/fraud/blocked-countries", {"country_code": text})
    assert (answer.status_code, list(answer.json().get("errors", {}))) == (422, ["country_code"])


@pytest.mark.parametrize("text", ["uſd", "ＵＳＤ", "US$", "EUR "])
async def test_a_currency_code_is_three_ascii_letters(shared_world: World, text: str) -> None:
    answer = await shared_world.post("/referrals/tiers", TIER | {"reward_currency": text})
    assert (answer.status_code, list(answer.json().get("errors", {}))) == (422, ["reward_currency"])


@pytest.mark.parametrize("text", ["1.2.3.4%eth0", "1.2.3.4%", "::1%", "::1%eth0%eth1"])
@pytest.mark.parametrize("method", ["POST", "DELETE"])
async def test_only_an_ipv6_address_has_a_zone(shared_world: World, method: str, text: str) -> None:
    answer = await shared_world.call(method, "/fraud/whitelist/ip", {"ip": text})
    assert (answer.status_code, list(answer.json().get("errors", {}))) == (422, ["ip"])


@pytest.mark.parametrize(
    "time",
    [
        # In UTC this is the year 10000, which no answer could show.
        "9999-12-31T23:59:59-14:00",
        "2027-01-01T00:00:00+00:60",
        "2027-01-01T00:00:00+24:00",
        "2027-01-01T00:00:00+0200",
        "2027-01-01T00:00:60Z",
        "2027-01-01T24:00:00Z",
        "2027-02-29T00:00:00Z",
        "2027-01-01T00:00:00",
        "2027-01-01",
        "٢٠٢٧-01-01T00:00:00Z",
    ],
)
async def test_a_time_is_one_that_answers_can_show(shared_world: World, time: str) -> None:
    answer = await shared_world.post(f"{STORE}/gift-cards", {"initial_balance": 5, "expires_at": time})
    assert (answer.status_code, answer.json().get("errors")) == (
        422,
        {"expires_at": ["The expires at field must be a time like 2026-11-15T10:30:00Z."]},
    )


async def test_the_last_second_of_the_calendar_can_be_stored_and_read(world: World) -> None:
    card = await new_gift_card(world, expires_at="9999-12-31T21:59:59-02:00")
    assert card["expires_at"] == "9999-12-31T23:59:59Z"
