"""Bodies that take long to check are checked on another thread: the one that answers everybody goes on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lootkeep.api.http import fields, json
from lootkeep.domain import html
from tests.world import World

# Half a megabyte, which is all that a mail may hold.
HTML = '<p>Hello <a href="https://shop.example/sale">there</a></p>' * 8000
CAMPAIGN = {"name": "Winter sale", "subject": "20% off", "body_html": HTML}
SLOW = {html.__file__, json.__file__, fields.__file__}


@contextmanager
def watched() -> Iterator[list[str]]:
    """The functions that take long with long inputs, as far as this thread calls them."""
    called: list[str] = []

    def note(frame: object, event: str, _: object) -> None:
        code = frame.f_code  # type: ignore[attr-defined]
        if event == "call" and code.co_filename in SLOW:
            called.append(code.co_name)

    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)


async def test_a_campaign_of_half_a_megabyte_is_read_on_another_thread(world: World) -> None:
    with watched() as called:
        created = await world.post("/email-campaigns", CAMPAIGN)
        changed = await world.put("/email-campaigns/1", {"body_html": HTML.replace("there", "you")})
    assert (created.status_code, changed.status_code, called) == (201, 200, [])
    assert changed.json()["data"]["body_text"].startswith("Hello you (https://shop.example/sale)\n")


@pytest.mark.parametrize(("method", "path"), [("PUT", ""), ("POST", "/duplicate")])
async def test_a_stored_half_megabyte_is_read_on_another_thread(world: World, method: str, path: str) -> None:
    await world.post("/email-campaigns", CAMPAIGN)
    with watched() as called:
        answer = await world.call(method, f"/email-campaigns/1{path}", {"from_name": "Shop"})
    assert answer.json()["data"]["body_text"].startswith("Hello there (https://shop.example/sale)\n")
    # The few fields that are sent are checked at once.
    assert set(called) & {"text_of", "links"} == set()


async def test_a_whitelist_of_ten_thousand_is_checked_on_another_thread(world: World) -> None:
    emails = [f"customer.{number}@shop.example" for number in range(10_000)]
    with watched() as called:
        answer = await world.put("/fraud/settings", {"fraud_whitelisted_emails": emails})
    assert (answer.json()["data"], called) == ({"fraud_whitelisted_emails_count": 10_000}, [])
