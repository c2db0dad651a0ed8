"""A key is shown where someone asks for it, and is nowhere else: not in a table, a log, an event, an export."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from lootkeep.api.http.metrics import Metrics
from lootkeep.engines.lines import Lines
from lootkeep.storage.schema import metadata
from lootkeep.wiring import serving
from lootkeep.wiring.observation import Observation
from lootkeep.worker.loop import Worker
from tests.api.key_shop import KEYS, added, open_shop
from tests.api.ordering import ORDERS, step
from tests.builders import STORE, new_order
from tests.recount import rows
from tests.world import World

CANARIES = tuple(f"CANARY{number}-QZXJ-{number}{number}{number}{number}" for number in range(4))
# The end of a key is shown in lists.
HIDDEN = tuple(key[:-4] for key in CANARIES)


@pytest.fixture
async def shop(world: World) -> World:
    """A key was added, sold, read by the store, looked at, replaced and revoked, each with an idempotency key."""
    await open_shop(world)
    await added(world, *CANARIES, batch="October")
    await new_order(world, 1, (1, 2))
    once = {"Idempotency-Key": "once"}
    assert (await world.post(f"{ORDERS}/1/pay", {}, headers=once)).status_code == 200
    shown = await world.get(f"{ORDERS}/1/goods"), await world.post(f"{KEYS}/1/reveal", headers=once)
    assert all(CANARIES[0] in answer.text for answer in shown)
    body = {"key_id": 1, "reason": "It was used."}
    assert (await world.post("/orders/1/items/1/replace-key", body, headers=once)).status_code == 200
    assert (await world.post(f"{KEYS}/withdraw", {"key_ids": [4]}, headers=once)).status_code == 200
    refused = await world.post(KEYS, {"keys": [CANARIES[0] + "x" * 4000]})
    assert refused.status_code == 422
    assert not [key for key in HIDDEN if key in refused.text]
    assert (await step(world, 1, "refund")).status_code == 200
    return world


async def test_no_table_holds_a_readable_key(shop: World, db_location: Path | str) -> None:
    for table in metadata.sorted_tables:
        text = repr(await rows(shop.db, table))
        assert not [key for key in HIDDEN if key in text], table.name
    if isinstance(db_location, Path):
        files = [path for path in db_location.parent.iterdir() if path.name.startswith(db_location.name)]
        content = b"".join(path.read_bytes() for path in files)
        assert not [key for key in HIDDEN if key.encode() in content]


async def test_nothing_that_is_read_shows_a_key(shop: World) -> None:
    paths = (
        *(
            "/products/1",
            KEYS,
            "/products/1/key-batches",
            "/orders/1",
            "/orders/1/goods",
            "/events",
            "/analytics/sales",
        ),
        *(f"{STORE}/customers/1/export", f"{STORE}/customers/1/goods", f"{ORDERS}/1/goods", f"{ORDERS}/1"),
    )
    for path in paths:
        answer = await shop.get(path)
        assert answer.status_code == 200, answer.text
        assert not [key for key in HIDDEN if key in answer.text], path
    metrics = await shop.http.get("/metrics", headers={"Authorization": f"Bearer {shop.token}"})
    assert not [key for key in HIDDEN if key in metrics.text]


async def test_no_log_line_shows_a_key(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines("info", "json")
    api = serving.api(world.deps, world.settings, world.tokens, Worker(()), Metrics(), Observation(lines))
    await world.http.aclose()
    world.http = httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://store.test")
    await open_shop(world)
    await added(world, *CANARIES)
    await world.post(f"{KEYS}/1/reveal")
    await world.post(KEYS, {"keys": [CANARIES[0] + "x" * 4000, 5]})
    lines.flush()
    output = "".join(capsys.readouterr())
    assert "/keys/1/reveal" in output
    assert not [key for key in HIDDEN if key in output]
