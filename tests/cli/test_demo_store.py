"""What is in the demo store, on each engine: loaded once, since these tests only read it."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from lootkeep.domain.goods import goods_of
from lootkeep.kernel.clock import DAY, HOUR
from lootkeep.services import recount as recount_service
from lootkeep.storage import demo as demo_db, migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.goods import owned as owned_db, waiting as waiting_db
from lootkeep.storage.schema import (
    commands,
    customers,
    deliveries,
    disputes,
    email_campaigns,
    events,
    fraud_checks,
    fraud_reviews,
    gift_cards,
    mails,
    orders,
    products,
    referrers,
    reward_claims,
    servers,
    support_tickets,
)
from lootkeep.toolbox.demo_store.frauds import SHOWN_SIGNALS
from lootkeep.toolbox.demo_store.receivers import WINDOW
from tests.cli.demo_store import ORDERS, counted, loaded, rows
from tests.conftest import ENGINES, PATIENT, drop_postgres_database, new_postgres_database
from tests.recount import maintained, recounted
from tests.world import World


class Demo(NamedTuple):
    """A loaded store, for the tests that only read it."""

    db: Engine
    world: World


@pytest.fixture(scope="module", params=ENGINES)
def demo_location(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path | str]:
    if request.param == "sqlite":
        path = tmp_path_factory.mktemp("demo") / "demo.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        yield path
        return
    admin, url = request.getfixturevalue("postgres_admin_url"), request.getfixturevalue("postgres_url")
    location = asyncio.run(new_postgres_database(admin, f"{url.rsplit('/', 1)[1]}_demo"))
    yield location
    asyncio.run(drop_postgres_database(admin, location))


@pytest.fixture(scope="module")
async def demo(demo_location: Path | str) -> AsyncIterator[Demo]:
    """Loaded once for each engine: it takes seconds."""
    is_file = isinstance(demo_location, Path)
    db = SqliteDatabase(Path(demo_location)) if is_file else await PostgresDatabase.open(str(demo_location), 2, PATIENT)
    await migrations.upgrade(db)
    world, _ = await loaded(db)
    yield Demo(db, world)
    await world.close()
    await db.close()


async def test_every_area_of_the_store_has_something_to_show(demo: Demo) -> None:
    db = demo.db
    placed = await counted(db, orders, "status")
    assert set(placed) >= {"pending", "paid", "completed", "refunded", "cancelled"}
    assert 0.9 * ORDERS < placed.total() < 1.2 * ORDERS
    assert set(await counted(db, products, "delivery_type")) == {"keys", "file", "command", "manual", "gift_card"}
    assert len(await counted(db, customers, "country")) > 12
    brought = sorted((row["total_referrals"] for row in await rows(db, referrers)), reverse=True)
    assert brought[0] > 3 * brought[-1]
    assert await rows(db, reward_claims)
    assert len(await counted(db, support_tickets, "status")) > 1
    assert len(await counted(db, gift_cards, "stored_status")) > 1
    assert await counted(db, email_campaigns, "status") == {"draft": 2, "sent": 2}
    assert set(await counted(db, mails, "status")) == {"outbox"}


async def test_every_signal_with_a_story_fires_and_every_action_is_taken(demo: Demo) -> None:
    db = demo.db
    checks = await rows(db, fraud_checks)
    fired = {name for check in checks for name in json.loads(check["signals"])}
    assert fired >= SHOWN_SIGNALS
    actions = {check["action_taken"] for check in checks}
    assert actions == {"allowed", "flagged", "blocked", "verification_required"}
    assert set(await counted(db, fraud_reviews, "outcome")) >= {"fraud", "legitimate"}


async def test_deliveries_were_retried_and_events_from_before_have_none(demo: Demo) -> None:
    db, world = demo
    assert all(event["fanned_out_at"] is not None for event in await rows(db, events))
    sent = await rows(db, deliveries)
    assert {row["status"] for row in sent} >= {"delivered", "failed"}
    assert max(row["attempts_count"] for row in sent) == 6
    assert min(row["created_at"] for row in sent) >= world.clock.now() - WINDOW - HOUR


async def test_what_waits_is_days_old_and_tickets_are_about_orders_of_their_customer(demo: Demo) -> None:
    db, world = demo
    placed = {row["id"]: row for row in await rows(db, orders)}
    soon = world.clock.now() - 5 * DAY
    assert all(row["created_at"] > soon for row in placed.values() if row["status"] in ("on_hold", "pending"))
    assert any(row["status"] == "on_hold" for row in placed.values())
    tickets = await rows(db, support_tickets)
    assert all(row["created_at"] > soon for row in tickets if row["status"] == "open")
    about = [(ticket, placed[ticket["order_id"]]) for ticket in tickets if ticket["order_id"]]
    assert about
    for ticket, order in about:
        assert ticket["customer_id"] == order["customer_id"]
        assert 0 <= ticket["created_at"] - order["created_at"] < 7 * DAY


async def test_every_maintained_total_equals_a_recount(demo: Demo) -> None:
    db, world = demo
    assert not any((await recount_service.check(world.deps)).values())
    assert await maintained(db) == await recounted(db)


async def test_no_email_address_of_a_recipient_can_exist(demo: Demo) -> None:
    db = demo.db
    assert all(row["to_email"].endswith(".example") for row in await rows(db, mails))
    assert all(row["email"].endswith(".example") for row in await rows(db, customers) if row["accepts_marketing"])


async def test_servers_have_given_what_was_bought_and_something_waits_and_failed(demo: Demo) -> None:
    db, world = demo
    assert [row["name"] for row in await rows(db, servers)] == ["Survival", "Skyblock", "Pixel Forge Discord"]
    assert set(await counted(db, commands, "status")) >= {"done", "waiting", "failed"}
    assert [row["evidence_due_at"] is not None for row in await rows(db, disputes) if row["external_id"]] == [True]
    async with db.read() as tx:
        assert await waiting_db.count(tx) == 1
        order = await demo_db.order_with_key(tx)
        assert order is not None
        goods = goods_of(await owned_db.of_order(tx, order.id), world.clock.now())
    assert {good.kind for good in goods} == {"key", "command", "file"}
