"""`lootkeep orders get`: an order on the terminal, on both engines."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import cast

import pytest

from lootkeep import wiring
from lootkeep.settings import Settings
from lootkeep.storage.engine.database import Engine
from tests.builders import new_customer, new_order, new_product, paid_order
from tests.cli.terminal import KEY, Terminal
from tests.conftest import ENGINES
from tests.world import World

# As it may come from a buyer: it would clear the screen, and is not our own markup.
NASTY = "\x1b[2JJun [bold]P[/]"


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, terminal: Terminal, tmp_path: Path) -> Terminal:
    """With a paid order whose key was delivered, and one that was cancelled."""
    on_postgres = request.param == "postgresql"
    url = request.getfixturevalue("new_postgres_url") if on_postgres else f"sqlite:///{tmp_path / 'store.db'}"
    terminal.settings |= {"database_url": url, "secret_key": KEY}
    assert terminal.call("migrate").code == 0
    asyncio.run(_sell(Settings(**terminal.settings)))  # type: ignore[arg-type]
    return terminal


async def _sell(settings: Settings) -> None:
    async with wiring.opened(settings) as deps:
        world = World(cast(Engine, deps.db))
        await world.begin()
        await new_customer(world, email="jun@j.example", name=NASTY)
        await new_product(world, name="Ember", delivery_type="keys", stock=2)
        await paid_order(world, 1, (1, 1))
        await new_order(world, 1, (1, 1))
        await world.post("/api/store/v1/orders/2/cancel", {"reason": "too late"})
        await world.outbound.close()


def test_an_order_is_printed_with_its_items_goods_and_story(store: Terminal) -> None:
    outcome = store.call("orders", "get", "ORD-000001")
    assert (outcome.code, outcome.err) == (0, "")
    for part in ("completed", "Ember", "t1", "20.00 USD", "key", "delivered", "Placed", "Paid", "Fulfilled"):
        assert part in outcome.out
    assert "\x1b[2J" not in outcome.out
    assert "KEY-" not in outcome.out


@pytest.mark.parametrize("number", ["2", "ord-000002", "ORD-2"])
def test_an_order_is_found_by_number_and_by_id(store: Terminal, number: str) -> None:
    outcome = json.loads(store.call("orders", "get", number, "--json").out)
    assert (outcome["order"]["id"], outcome["order"]["cancel_reason"]) == (2, "too late")
    story = [(step["what"], step["text"]) for step in outcome["story"]]
    assert (story[0], story[-1]) == (("Placed", ""), ("Cancelled", "too late"))
    assert outcome["goods"] == outcome["payment_events"] == []


def test_an_order_that_does_not_exist_is_an_error(store: Terminal) -> None:
    assert store.call("orders", "get", "77").sentence == "Order not found."
    wrong = store.call("orders", "get", "TKT-1")
    assert (wrong.code, wrong.sentence) == (2, "This is no number of an order. Write it as ORD-000123 or 123.")
