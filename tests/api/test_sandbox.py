"""Test tokens: they work on a sandbox that shares nothing with the store, and every answer says so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from lootkeep import wiring
from lootkeep.api.http.app import ModeSwitch
from lootkeep.services import access as access_service, campaigns as campaigns_service, sandbox as sandbox_service
from lootkeep.storage.engine.database import Engine
from lootkeep.wiring.sandbox import Sandbox
from tests.builders import STORE, new_customer
from tests.sandboxes import TwoStores, fill, order, two_stores
from tests.world import World

ROWS = [group.prefix + route.path for group in wiring.groups() for route in group.routes if route.method == "GET"]
LISTS = [path for path in ROWS if "{" not in path]
SINGLE = [path.replace("{id}", "1").replace("{delivery_id}", "wh_1") for path in ROWS if "{" in path]
# The same in every store, or of the settings.
FIXED = {"/fraud/signals", "/fraud/settings", "/fraud/explain", "/webhooks/event-types", "/referrals/settings"}
# Of the riskiest orders of a day none are shown as long as there is no budget for them.
FIXED |= {"/fraud/queue/today"}
# Refused: only the token of a game server has a queue.
FIXED |= {"/api/game/v1/commands"}


@pytest.fixture
async def stores(db: Engine, db_location: Path | str) -> AsyncIterator[TwoStores]:
    async with two_stores(db, db_location, rate_limit_per_minute=0) as stores:
        yield stores


async def lists(world: World) -> dict[str, Any]:
    return {path.removeprefix("/api/external/v1"): (await world.get(path)).json() for path in LISTS}


@pytest.mark.parametrize("filled", ["live", "test"])
async def test_rows_of_one_store_are_in_no_list_of_the_other(stores: TwoStores, filled: str) -> None:
    full, empty = (stores.live, stores.test) if filled == "live" else (stores.test, stores.live)
    before = await lists(empty)
    itself_before = await lists(full)
    await fill(full)
    itself_after = await lists(full)
    assert await lists(empty) == before
    assert {path for path in itself_after if itself_after[path] == itself_before[path]} <= FIXED


@pytest.mark.parametrize("filled", ["live", "test"])
async def test_no_row_of_one_store_is_found_by_id_in_the_other(stores: TwoStores, filled: str) -> None:
    full, empty = (stores.live, stores.test) if filled == "live" else (stores.test, stores.live)
    await fill(full)
    assert {path: (await empty.get(path)).status_code for path in SINGLE} == dict.fromkeys(SINGLE, 404)


async def test_every_answer_to_a_test_token_is_flagged_and_no_other_is(stores: TwoStores) -> None:
    calls = [("GET", "/products"), ("GET", "/nowhere"), ("POST", "/webhooks"), ("DELETE", "/products"), ("GET", "/../")]
    flagged = [(await stores.test.call(*call, json={})).headers.get("Lootkeep-Mode") for call in calls]
    unknown = await stores.test.get("/products", token=f"{stores.test.token}x")
    plain = [(await stores.live.call(*call, json={})).headers.get("Lootkeep-Mode") for call in calls]
    assert flagged == ["test"] * len(calls)
    assert (unknown.status_code, unknown.headers["Lootkeep-Mode"]) == (401, "test")
    assert plain == [None] * len(calls)


async def test_a_body_in_test_mode_has_the_specified_fields(stores: TwoStores) -> None:
    live, test = await stores.live.get("/products"), await stores.test.get("/products")
    assert live.content == test.content


async def test_a_token_opens_only_the_store_it_was_created_for(stores: TwoStores) -> None:
    live_secret, test_secret = stores.live.token.removeprefix("lk_"), stores.test.token.removeprefix("lktest_")
    swapped = [f"lktest_{live_secret}", f"lk_{test_secret}", test_secret]
    assert [(await stores.live.get("/products", token=token)).status_code for token in swapped] == [401] * 3


async def test_a_revoked_test_token_is_rejected_at_once(stores: TwoStores) -> None:
    await access_service.revoke_token(stores.deps, 1)
    assert (await stores.test.get("/products")).status_code == 401
    assert (await stores.live.get("/products")).status_code == 200


async def test_an_idempotency_key_is_separate_in_each_store(stores: TwoStores) -> None:
    headers = {"Idempotency-Key": "the same"}
    body = {"name": "VIP rank", "price": "20.00"}
    answers = [await world.post(f"{STORE}/products", body, headers=headers) for world in stores[:2] * 2]
    assert [(answer.status_code, answer.headers.get("Idempotent-Replayed")) for answer in answers] == [
        (201, None),
        (201, None),
        (201, "true"),
        (201, "true"),
    ]


async def test_requests_in_test_mode_do_not_count_against_a_live_token(db: Engine, db_location: Path | str) -> None:
    async with two_stores(db, db_location) as stores:
        remaining = [
            (await world.get("/products")).headers["X-RateLimit-Remaining"] for world in (stores.test, stores.live) * 2
        ]
    assert remaining == ["59", "59", "58", "58"]


async def test_fraud_limits_are_relaxed_and_the_settings_show_it(stores: TwoStores) -> None:
    settings = (await stores.test.get("/fraud/settings")).json()["data"]["settings"]
    assert {name: settings[name] for name in sandbox_service.RELAXED} == sandbox_service.RELAXED
    await fill(stores.test)
    orders = [await order(stores.test, 2) for _ in range(7)]
    statuses = [(await stores.test.get(f"/orders/{order_id}")).json()["data"]["status"] for order_id in orders]
    assert statuses == ["paid"] * 7


async def test_a_link_signed_in_the_sandbox_is_rejected_by_the_store(stores: TwoStores) -> None:
    await new_customer(stores.live, accepts_marketing=True)
    link = stores.deps.vault.sign("1", campaigns_service.UNSUBSCRIBE)
    assert campaigns_service.recipient_of(stores.deps, link, campaigns_service.UNSUBSCRIBE) == 1
    assert campaigns_service.recipient_of(stores.live.deps, link, campaigns_service.UNSUBSCRIBE) is None


async def test_a_reset_removes_everything_but_the_tokens(stores: TwoStores) -> None:
    before, live = await lists(stores.test), await lists(stores.live)
    await fill(stores.test)
    await stores.test.put("/fraud/settings", {"fraud_action": "flag"})
    await sandbox_service.reset(stores.deps)
    assert await lists(stores.test) == before
    assert await lists(stores.live) == live
    product = await stores.test.post(f"{STORE}/products", {"name": "VIP rank", "price": "20.00"})
    assert product.json()["data"]["id"] == 1


async def test_a_sandbox_that_cannot_be_opened_stops_test_requests_only(world: World, tmp_path: Path) -> None:
    settings = world.settings.model_copy(update={"database_url": f"sqlite:///{tmp_path}/store.db"})
    (tmp_path / "store-sandbox.db").write_bytes(b"not a database" * 1000)
    broken = Sandbox(world.deps, settings, lambda _: None)
    switch = ModeSwitch(world.app, partial(broken.api, lambda _: world.app), lambda: None)
    await broken.look()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(switch), base_url="http://store.test") as world.http:
        test, live = await world.get("/products", token="lktest_x"), await world.get("/products")
    shown = test.status_code, test.headers["Lootkeep-Mode"], test.json()["code"]
    assert shown == (503, "test", "service_unavailable")
    assert live.status_code == 200


async def test_the_sandbox_has_nothing_in_memory_that_goes_by_ids_of_the_store(stores: TwoStores) -> None:
    live, test = stores.live.deps, stores.deps
    for name in ("changes", "new_commands", "feed_readers"):
        assert getattr(live, name) is not getattr(test, name)
