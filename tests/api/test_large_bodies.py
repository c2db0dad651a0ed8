"""Bodies that take long to check are checked on another thread, so the event loop is not blocked."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest
from sqlalchemy import text

from lootkeep.api.http import body, fields, json
from lootkeep.domain import html as html_rules
from lootkeep.storage.engine.query import Query
from tests.threads import calls_of, watched
from tests.world import World

# Half a megabyte, which is all that an e-mail may hold.
LOCK = Query(text("LOCK TABLE idempotency_keys"))
HTML = '<p>Hello <a href="https://shop.example/sale">there</a></p>' * 8000
CAMPAIGN = {"name": "Winter sale", "subject": "20% off", "body_html": HTML}
SLOW = (html_rules, json, fields)
KEY = {"Idempotency-Key": "key"}
# Only a hang takes this long.
PATIENCE_SECONDS = 300


async def test_a_campaign_of_half_a_megabyte_is_parsed_on_another_thread(world: World) -> None:
    with watched(*SLOW) as called:
        created = await world.post("/email-campaigns", CAMPAIGN)
        changed = await world.put("/email-campaigns/1", {"body_html": HTML.replace("there", "you")})
    assert (created.status_code, changed.status_code, called) == (201, 200, [])
    assert changed.json()["data"]["body_text"].startswith("Hello you (https://shop.example/sale)\n")


@pytest.mark.parametrize(("method", "path"), [("PUT", ""), ("POST", "/duplicate")])
async def test_a_stored_half_megabyte_is_read_on_another_thread(world: World, method: str, path: str) -> None:
    await world.post("/email-campaigns", CAMPAIGN)
    with watched(*SLOW) as called:
        answer = await world.call(method, f"/email-campaigns/1{path}", {"from_name": "Shop"})
    assert answer.json()["data"]["body_text"].startswith("Hello there (https://shop.example/sale)\n")
    # The few fields that are sent are checked at once.
    assert set(called) & {"text_of", "links"} == set()


async def test_a_campaign_with_an_idempotency_key_is_read_before_its_transaction(world: World) -> None:
    async with stuck_keys(world):
        with reading() as was_read:
            posting = asyncio.create_task(world.post("/email-campaigns", CAMPAIGN, headers=KEY))
            assert await asyncio.to_thread(was_read.wait, PATIENCE_SECONDS)
    assert (await posting).json()["data"]["body_text"].startswith("Hello there (https://shop.example/sale)\n")


async def test_duplicating_a_campaign_parses_nothing_again(world: World) -> None:
    await world.post("/email-campaigns", CAMPAIGN)
    threads: list[str] = []
    threading.setprofile(calls_of({html_rules}, threads.append))
    with watched(html_rules) as called:
        copy = await world.post("/email-campaigns/1/duplicate", {}, headers=KEY)
    threading.setprofile(None)
    first = (await world.get("/email-campaigns/1")).json()["data"]
    assert (copy.status_code, called, threads) == (201, [], [])
    assert copy.json()["data"]["body_text"] == first["body_text"]


async def test_a_short_list_of_expensive_entries_is_checked_on_another_thread(world: World) -> None:
    emails = [f"o'{number}@mail.example" for number in range(100)]
    with watched(*SLOW) as called:
        answer = await world.put("/fraud/settings", {"fraud_whitelisted_emails": emails})
    assert (answer.json()["data"], called) == ({"fraud_whitelisted_emails_count": 100}, [])


async def test_a_whitelist_of_ten_thousand_is_checked_on_another_thread(world: World) -> None:
    emails = [f"customer.{number}@shop.example" for number in range(10_000)]
    with watched(*SLOW) as called:
        answer = await world.put("/fraud/settings", {"fraud_whitelisted_emails": emails})
    assert (answer.json()["data"], called) == ({"fraud_whitelisted_emails_count": 10_000}, [])


@contextmanager
def reading() -> Iterator[threading.Event]:
    """Set when HTML is read on the thread that checks large bodies."""
    was_read = threading.Event()
    body.ASIDE.submit(sys.setprofile, calls_of({html_rules}, lambda _: was_read.set())).result()
    yield was_read
    body.ASIDE.submit(sys.setprofile, None).result()


@asynccontextmanager
async def stuck_keys(world: World) -> AsyncIterator[None]:
    """Blocks every transaction with an idempotency key at its key."""
    async with world.db.write() as tx:
        if world.db.name == "postgresql":
            await tx.all(LOCK)
        yield
