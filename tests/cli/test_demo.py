"""`lootkeep demo load`: a whole store, right in every total, the same for the same seed, and never among real data."""

from __future__ import annotations

import json
import re
import shutil
import signal
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from lootkeep.kernel.clock import SECOND
from lootkeep.kernel.errors import Conflict
from lootkeep.kernel.money import Hundredths
from lootkeep.services import recount as recount_service
from lootkeep.services.orders import refund
from lootkeep.storage import demo as demo_db
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import (
    customers,
    metadata,
    orders,
    tokens,
)
from lootkeep.toolbox.demo_store import load as loading
from lootkeep.toolbox.demo_store.live import Live
from tests.cli.demo_store import ORDERS, loaded, rows
from tests.cli.import_store import ImportedStore, settings_for
from tests.cli.terminal import SECONDS, Terminal
from tests.recount import maintained
from tests.world import World

# Sealed with a new nonce each time.
SEALED = {
    "alerts": {"target"},
    "webhooks": {"secret"},
    "payment_sources": {"secret"},
    "payment_events": {"body"},
    "gift_cards": {"sealed_code"},
    "mails": {"body"},
    "product_keys": {"sealed_key"},
}


async def dump(db: Engine) -> dict[str, list[dict[str, Any]]]:
    """All rows except sealed columns, the token of the test, and totals: their shards are those of connections."""
    tables = {}
    for table in metadata.sorted_tables:
        if table is not tokens and "shard" not in table.c:
            hidden = SEALED.get(table.name, set())
            tables[table.name] = [
                {name: value for name, value in row.items() if name not in hidden} for row in await rows(db, table)
            ]
    return tables


async def test_the_same_seed_gives_the_same_store_on_either_engine(
    db: Engine, sqlite_template: Path, tmp_path: Path
) -> None:
    shutil.copy(sqlite_template, tmp_path / "other.db")
    other_db = SqliteDatabase(tmp_path / "other.db")
    for engine in (db, other_db):
        world, _ = await loaded(engine)
        await world.close()
    assert await dump(db) == await dump(other_db)
    assert await maintained(db) == await maintained(other_db)
    await other_db.close()


async def test_another_seed_gives_another_store(sqlite_template: Path, tmp_path: Path) -> None:
    stores = []
    for seed in (1, 2):
        shutil.copy(sqlite_template, tmp_path / f"{seed}.db")
        db = SqliteDatabase(tmp_path / f"{seed}.db")
        world, _ = await loaded(db, seed)
        stores.append([row["email"] for row in await rows(db, customers)])
        await world.close()
        await db.close()
    assert stores[0] != stores[1]


async def test_the_demo_keeps_running_and_reports_each_step(db: Engine) -> None:
    world, _ = await loaded(db)
    lines: list[str] = []
    steps = iter(range(60))

    async def rest(seconds: float) -> bool:
        world.clock.advance(int(seconds * SECOND))
        return next(steps, None) is not None

    before = len(await rows(db, orders))
    await Live(loading.demo_deps(world.deps), Random(1), lines.append).run(rest)
    assert len(await rows(db, orders)) > before
    assert len(lines) >= 60
    assert all(any(word in line for line in lines) for word in ("signed up", "ordered", "paid", "risk score"))
    assert not any((await recount_service.check(world.deps)).values())
    await world.close()


async def test_an_interrupted_load_is_reported(world: World) -> None:
    async with world.db.write() as tx:
        await demo_db.set_mark(tx, demo_db.Demo("small", 1), world.clock.now())
    with pytest.raises(Conflict) as refused:
        await loading.load(world.deps, "small", 1, ORDERS, lambda count: None)
    assert refused.value.code == "demo_unfinished"


async def test_orders_refunded_before_delivery_are_not_delivered(db: Engine) -> None:
    world, shop = await loaded(db)
    banner = next(product for product in shop.catalogue.products if product.delivery_type == "manual")
    async with db.write() as tx:
        shop.join(tx)
        details = await shop.place(shop.people[0], [(banner, 1)])
        await shop.pay(shop.people[0], details.order.id)
        await refund(shop.deps, details.order.id, Hundredths(1_00), None)
        await shop.fulfill(details.order.id)
    assert {row["id"]: row["status"] for row in await rows(db, orders)}[details.order.id] == "partially_refunded"
    await world.close()


def test_a_store_that_is_not_empty_is_rejected(terminal: Terminal, db: Engine, db_location: Path | str) -> None:
    store = ImportedStore(terminal, settings_for(db_location))
    store.product("SWORD")
    output = terminal.call("demo", "load", **store.settings)
    assert output.sentence.startswith("This store contains products: the demo needs an empty store.")
    assert store.rows(orders) == []


def test_the_service_starts_with_the_demo_once_it_is_asked_to(terminal: Terminal) -> None:
    greetings = []
    for _ in range(2):
        with terminal.serving("--demo") as server:
            greetings.append(server.greeting)
            page = httpx.get(f"{server.url}/console/sign-in", timeout=SECONDS).text
            server.stop()
    assert "<bdi>Pixel Forge</bdi>" in page
    assert all(
        re.search(r"^  Demo        [\d,]+ orders, [\d,]+ customers, \d+ products$", text, re.M) for text in greetings
    )
    assert re.search(r"  curl -H 'Authorization: Bearer lk_\S+' http://\S+/api/external/v1/orders\n", greetings[0])
    assert re.search(r'  curl -H "Authorization: Bearer \$TOKEN" http://\S+/api/external/v1/orders\n', greetings[1])
    assert all("This link lets you in as the owner" in text and "/console/setup?token=" in text for text in greetings)
    assert all(len(re.findall(r"^  [A-Z].*  http://\S+/console/\S+tour=\d$", text, re.M)) == 5 for text in greetings)
    report = terminal.call("doctor").out
    assert "It contains the demo (small, seed 1)." in report
    assert "The receivers of the demo answer inside the process." in report
    assert [line for line in report.splitlines() if not line.startswith("ok")] == []
    assert "1 paid line waits for keys: add keys to their products. In a demo that is fine." in report


def test_the_command_loads_once_and_the_doctor_reports_it(terminal: Terminal) -> None:
    loaded = json.loads(terminal.call("demo", "load", "--seed", "7", "--json").out)
    assert (loaded["scale"], loaded["seed"]) == ("small", 7)
    assert 1_900 < loaded["orders"] < 2_200
    assert terminal.call("demo", "load").sentence == "This store already contains the demo (small, seed 7)."
    output = terminal.call("doctor", "--check-counters")
    assert (output.code, "Nothing waits for a worker." in output.out) == (0, True)
    assert "It contains the demo (small, seed 7)." in output.out
    assert "Every maintained total equals a recount." in output.out
    assert not (terminal.folder / "lootkeep-data").exists()
    process = terminal.start("demo", "load", "--live")
    assert process.stdout
    lines = [process.stdout.readline() for _ in range(4)]
    process.send_signal(signal.SIGINT)
    rest, err = process.communicate(timeout=SECONDS)
    assert lines[0] == "The store is open. Ctrl-C closes it.\n"
    assert rest.endswith("Closed.\n")
    assert (process.returncode, err) == (0, "")
