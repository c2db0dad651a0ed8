"""Gift cards in the console: figures, the ledger, issuing, and what staff change."""

from __future__ import annotations

import re

import pytest

from lootkeep.kernel.clock import DAY, MINUTE, Instant
from lootkeep.storage import audit as audit_db
from tests.builders import new_gift_card
from tests.console.visits import Visitor, logged, visitor
from tests.world import World

CARD = re.compile(r'<a class="row" href="/console/gift-cards/(\d+)">')
HERE = "/gift-cards/1"


async def card(world: World, number: int = 1) -> dict[str, object]:
    return dict((await world.get(f"/gift-cards/{number}")).json()["data"])


async def send(visits: Visitor, change: str, **fields: str) -> int:
    return (await visits.post(f"{HERE}/{change}", on=HERE, **fields)).status_code


async def test_the_list_shows_the_current_status_and_its_figures(store: World) -> None:
    await new_gift_card(store, initial_balance="10.00", expires_at="2026-11-16T00:00:00Z")
    store.clock.advance(2 * DAY)
    visits = await visitor(store, "read_only")
    queries = ("", "?status=expired", "?customer_id=1", "?search=7k2p", "?sort=balance&order=asc")
    shown = [CARD.findall((await visits.get(f"/gift-cards{query}")).text) for query in queries]
    assert shown == [["2", "1"], ["2"], ["1"], ["1"], ["2", "1"]]
    page = (await visits.get("/gift-cards")).text
    assert re.findall(r'class="figure">([^<]+)<', page) == ["$25.00", "$35.00", "$0.00", "$0.00"]


async def test_a_card_is_issued_and_its_code_is_shown_once(store: World) -> None:
    visits = await visitor(store, "staff")
    assert "Jun Park" in (await visits.get("/gift-cards/new?customer_id=1")).text
    fields = {"initial_balance": "12.50", "customer_id": "1", "recipient_email": "Mina@Mail.example"}
    done = await visits.post("/gift-cards/new", on="/gift-cards/new", **fields, expires_at="2026-12-24")
    page = (await visits.http.get(done.headers["location"])).text
    (code,) = re.findall(r"Its code is ([\w-]+)", page)
    valid = await store.post("/gift-cards/validate", {"code": code})
    assert valid.json()["data"]["valid"] is True
    assert code not in (await visits.get("/gift-cards/2")).text
    issued = await card(store, 2)
    assert (issued["recipient_email"], issued["expires_at"]) == ("mina@mail.example", "2026-12-25T00:00:00Z")
    async with store.db.read() as tx:
        (entry,) = await audit_db.changes_since(tx, "gift_card:2", Instant(0))
    assert code not in entry.after


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("initial_balance", ""),
        ("initial_balance", "10000.01"),
        ("recipient_email", "nobody"),
        ("expires_at", "2026-11-01"),
        ("expires_at", "soon"),
        ("message", "x" * 1001),
    ],
)
async def test_an_invalid_card_is_rejected_at_its_field(store: World, field: str, value: str) -> None:
    form = {"initial_balance": "10.00"} | {field: value}
    answer = await (await visitor(store, "staff")).post("/gift-cards/new", on="/gift-cards/new", **form)
    assert (answer.status_code, 'class="error"' in answer.text) == (422, True)


async def test_an_edit_changes_only_what_differs_and_keeps_the_expiry_time(store: World) -> None:
    await store.put("/gift-cards/1", {"expires_at": "2026-12-24T17:30:00Z"})
    visits = await visitor(store, "staff")
    assert 'value="2026-12-24"' in (await visits.get(HERE)).text
    form = {"recipient_name": "Mina", "expires_at": "2026-12-24", "note": "Lost once"}
    assert await send(visits, "edit", **form) == 303
    after = await card(store)
    assert (after["note"], after["expires_at"]) == ("Lost once", "2026-12-24T17:30:00Z")
    assert await send(visits, "edit", **form) == 303
    assert "Nothing was changed." in (await visits.get(HERE)).text


async def test_an_amount_is_redeemed_and_the_card_revoked_after_a_confirmation(store: World) -> None:
    visits = await visitor(store, "staff")
    assert await send(visits, "redeem", amount="5.00", reference="till-7") == 200
    assert await send(visits, "redeem", amount="5.00", reference="till-7", confirmed="yes") == 303
    assert await send(visits, "redeem", amount="50.00", confirmed="yes") == 422
    assert await send(visits, "revoke", reason="stolen", confirmed="yes") == 303
    page = (await visits.get(HERE)).text
    assert re.findall(r'data-title="Amount">(−?\$[\d.]+)</td><td [^>]+>(\$[\d.]+)', page) == [
        ("$25.00", "$25.00"),
        ("−$5.00", "$20.00"),
        ("−$20.00", "$0.00"),
    ]
    assert "stolen" in page
    assert await send(visits, "send", email="mina@mail.example") == 409
    assert await send(visits, "edit", note="Police report 7") == 303
    assert (await card(store))["note"] == "Police report 7"


async def test_a_reference_that_was_booked_before_says_so_and_takes_nothing_off(store: World) -> None:
    visits, says = await visitor(store, "staff"), []
    for _ in range(2):
        assert await send(visits, "redeem", amount="2.00", reference="till-7", confirmed="yes") == 303
        said = re.findall(r"\$2.00 are taken off|was booked before", (await visits.get(HERE)).text)
        says += said
    assert says == ["$2.00 are taken off", "was booked before"]
    assert (await card(store))["balance"] == "23.00"
    assert await logged(store, "gift_card:1") == [("Redeem a gift card", [("balance", "25.00", "23.00")])]


async def test_a_card_is_resent_to_another_email(store: World) -> None:
    visits = await visitor(store, "staff")
    assert await send(visits, "send") == 422
    assert await send(visits, "send", email="mina@mail.example") == 303
    assert "on its way to mina@mail.example" in (await visits.get(HERE)).text


async def test_a_stale_card_form_is_rejected(store: World) -> None:
    visits = await visitor(store, "staff")
    version = re.findall(r'name="version" value="(\d+)"', (await visits.get(HERE)).text)[0]
    store.clock.advance(MINUTE)
    assert await send(visits, "edit", note="One", version=version) == 303
    assert await send(visits, "edit", note="Two", version=version) == 409


@pytest.mark.parametrize("timezone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
async def test_a_card_that_expires_at_the_end_of_the_calendar_is_shown_in_any_zone(world: World, timezone: str) -> None:
    there = World(world.db, clock=world.clock, timezone=timezone)
    card = await new_gift_card(world, expires_at="9999-12-31T23:59:59Z")
    visits = await visitor(there, "staff")
    for path in (f"/gift-cards/{card['id']}", "/gift-cards"):
        assert "31 Dec 9999" in (await visits.get(path)).text
    await there.close()
