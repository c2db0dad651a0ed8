"""Payment sources over HTTP: their life, and secrets that are never shown."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain.payments.sources import MAX_SOURCES
from lootkeep.engines.vault import Vault
from lootkeep.storage.schema import payment_sources
from tests.api.providers import SECRET, STRIPE, new_source
from tests.conftest import only_sqlite
from tests.recount import rows
from tests.world import KEY, World


async def test_a_new_source_shows_its_url_and_not_its_secret(world: World) -> None:
    source = await new_source(world)
    assert source == {
        "id": 1,
        "provider": "stripe",
        "name": "Main account",
        "url": source["url"],
        "is_active": True,
        "is_test": False,
        "last_event_at": None,
        "created_at": "2026-11-15T12:00:00Z",
        "updated_at": "2026-11-15T12:00:00Z",
    }
    assert source["url"].startswith("/inbox/")
    assert len(source["url"]) > 40
    assert (await world.get("/payment-sources/1")).json() == {"success": True, "data": source}
    assert (await world.get("/payment-sources")).json() == {"success": True, "data": [source]}


async def test_the_secret_is_stored_sealed(world: World) -> None:
    await new_source(world)
    (row,) = await rows(world.db, payment_sources)
    assert SECRET not in str(row)
    assert Vault(KEY).open(row["secret"], "payment source") == SECRET


async def test_a_source_is_renamed_and_switched_off(world: World) -> None:
    await new_source(world)
    changed = (await world.put("/payment-sources/1", {"name": "Old account", "is_active": False})).json()["data"]
    assert (changed["name"], changed["is_active"]) == ("Old account", False)


async def test_a_deleted_source_is_gone(world: World) -> None:
    await new_source(world)
    assert (await world.delete("/payment-sources/1")).json()["message"] == "Payment source deleted successfully"
    assert (await world.get("/payment-sources/1")).status_code == 404
    assert (await world.put("/payment-sources/1", {"name": "Again"})).status_code == 404
    assert (await world.get("/payment-sources")).json()["data"] == []


async def test_the_url_is_whole_where_the_store_has_one(world: World) -> None:
    store = World(world.db, public_url="https://store.example")
    store.token = world.token
    source = await new_source(store)
    assert source["url"].startswith("https://store.example/inbox/")
    await store.close()


@only_sqlite
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"secret": "3zq8Yw0J"},
            "The secret field must be the whole signing secret of the endpoint, which starts with whsec_.",
        ),
        ({"provider": "paypal"}, "The secret field must be the webhook id that PayPal shows."),
        ({"provider": "paypal", "secret": "8PT\n97"}, "The secret field must be the webhook id that PayPal shows."),
    ],
)
async def test_a_secret_of_another_form_is_refused(world: World, fields: dict[str, Any], message: str) -> None:
    answer = await world.post("/payment-sources", STRIPE | fields)
    assert (answer.status_code, answer.json()["errors"]) == (422, {"secret": [message]})


async def test_there_can_be_only_so_many_sources(world: World) -> None:
    for _ in range(MAX_SOURCES):
        await new_source(world)
    assert (await world.post("/payment-sources", STRIPE)).json()["code"] == "too_many_sources"
