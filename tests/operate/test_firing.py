"""Every alert fires when its condition really occurs, and no other does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lootkeep.api.http.admission import Admission
from lootkeep.kernel.clock import MINUTE
from lootkeep.services import fraud as fraud_service
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.postgres_session import Deadlines
from tests.api.server.overload import listening
from tests.builders import STORE, new_customer, new_product
from tests.cli import terminal
from tests.cli.receivers import receiving
from tests.cli.terminal import KEY, SECONDS, Serving
from tests.gate import Gate
from tests.operate.prometheus import UNANSWERED, Scrape, assert_fires, scrape, scrape_world
from tests.worker import delivering, emailing
from tests.world import EXTERNAL, World

TIERS = f"{EXTERNAL}/referrals/tiers"


def test_down_fires_when_the_service_has_stopped(tmp_path: Path) -> None:
    started = terminal.start(tmp_path, terminal.environment({}), "serve", "--port", "0")
    with terminal.served(started) as server:
        url, token = server.url, server.token
        calm = scrape(url, token)
        server.stop()
    assert_fires(tmp_path, calm, scrape(url, token), alerts={"LootkeepDown"})


@delivering.only_postgresql
async def test_down_fires_while_the_database_is_silent_and_fails_and_is_slow_fire_later(
    world_behind_a_gate: World, gate: Gate, tmp_path: Path
) -> None:
    world = world_behind_a_gate
    for _ in range(20):
        await world.get("/referrals/tiers")
    calm = await scrape_world(world)
    gate.is_silent = True
    answers = await asyncio.gather(*(world.get("/referrals/tiers") for _ in range(5)))
    during = await scrape_world(world)
    gate.is_silent = False
    while (after := await scrape_world(world)) == UNANSWERED:
        pass
    assert {answer.status_code for answer in answers} == {503}
    assert_fires(tmp_path, calm, during, alerts={"LootkeepDown"})
    assert_fires(tmp_path, calm, after, alerts={"LootkeepFails", "LootkeepIsSlow"})


async def test_overloaded_fires_when_requests_are_rejected(world: World, tmp_path: Path) -> None:
    calm = await scrape_world(world)
    # One request at a time, and nobody waits.
    hasty = Admission(1, world.metrics.refused.inc, burst_seconds=0, overload_seconds=0)
    async with listening(world.app, hasty) as client:
        answers = await asyncio.gather(*(client.get(TIERS, headers=_bearer(world.token)) for _ in range(10)))
    assert 503 in {answer.status_code for answer in answers}
    assert_fires(tmp_path, calm, await scrape_world(world), alerts={"LootkeepIsOverloaded"})


# A busy machine takes its time to start processes.
@pytest.mark.timeout(600)
def test_restarts_fires_when_processes_keep_dying(tmp_path: Path, postgres_url: str) -> None:
    settings = {"database_url": postgres_url, "secret_key": KEY, "log_level": "error"}
    environment = terminal.environment(settings)
    with terminal.start(tmp_path, environment, "token", "create", "--name", "t", "--all-scopes", "--quiet") as created:
        token = created.communicate(timeout=SECONDS)[0].strip()
    started = terminal.start(tmp_path, environment, "serve", "--workers", "2", "--port", "0")
    with terminal.served(started) as server:
        scrapes = [scrape(server.url, token)]
        for _ in range(3):
            server.kill_workers()
            scrapes.append(scrape(server.url, token))
    calm, *trouble = scrapes
    assert_fires(tmp_path, calm, *trouble, alerts={"LootkeepRestarts"}, minutes=5)


def test_disk_fills_fires_on_a_small_disk(service: Serving, tmp_path: Path) -> None:
    calm = scrape(service.url, service.token)
    # In a name space of its own, which is gone with the server.
    mount = 'mkdir small && mount -t tmpfs -o size=64m tmpfs small && cd small && exec "$@"'
    launcher = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, "sh")
    started = terminal.start(tmp_path, terminal.environment({}), "serve", "--port", "0", launcher=launcher)
    with terminal.served(started) as server:
        full = scrape(server.url, server.token)
    assert_fires(tmp_path, calm, full, alerts={"LootkeepDiskFills"})


async def test_deliveries_wait_fires_when_no_worker_sends_them(world: World, tmp_path: Path) -> None:
    await world.post("/webhooks", {"url": "https://shop.example/hook", "events": ["product.created"]})
    calm = await scrape_world(world)
    await delivering.record(world)
    await delivering.fan_out(world)
    world.clock.advance(2 * MINUTE)
    assert_fires(tmp_path, calm, await scrape_world(world), alerts={"LootkeepDeliveriesWait"})


async def test_deliveries_wait_fires_when_no_worker_has_picked_up_the_event(world: World, tmp_path: Path) -> None:
    calm = await scrape_world(world)
    await delivering.record(world)
    world.clock.advance(2 * MINUTE)
    assert_fires(tmp_path, calm, await scrape_world(world), alerts={"LootkeepDeliveriesWait"})


async def test_emails_wait_fires_when_no_worker_sends_them(world: World, tmp_path: Path) -> None:
    calm = await scrape_world(world)
    await emailing.write(world)
    world.clock.advance(6 * MINUTE)
    assert_fires(tmp_path, calm, await scrape_world(world), alerts={"LootkeepEmailsWait"})


def test_receivers_fail_fires_when_a_receiver_answers_with_errors(service: Serving, tmp_path: Path) -> None:
    calm = scrape(service.url, service.token)
    with receiving(lambda _: (500, b"")) as receiver:
        body = {"url": receiver.url, "events": ["product.created"]}
        webhook = _call(service, "POST", f"{EXTERNAL}/webhooks", body).json()["data"]
        product = {"name": "Coins", "price": "5.00"}
        assert _call(service, "POST", f"{STORE}/products", product).status_code == 201
        failed = _scrape_with_growth(service, calm, "lootkeep_webhook_attempts_total", "failed")
    _call(service, "DELETE", f"{EXTERNAL}/webhooks/{webhook['id']}")
    assert_fires(tmp_path, calm, failed, alerts={"LootkeepReceiversFail"})


def test_emails_fail_fires_when_the_mail_server_is_gone(service: Serving, tmp_path: Path) -> None:
    calm = scrape(service.url, service.token)
    campaign = {"name": "News", "subject": "News", "body_html": "Hi"}
    created = _call(service, "POST", f"{EXTERNAL}/email-campaigns", campaign).json()["data"]
    _call(service, "POST", f"{EXTERNAL}/email-campaigns/{created['id']}/test", {"email": "me@shop.example"})
    failed = _scrape_with_growth(service, calm, "lootkeep_email_attempts_total", "failed")
    assert_fires(tmp_path, calm, failed, alerts={"LootkeepEmailsFail"})


async def test_blocks_many_orders_fires_when_a_store_blocks_most_orders(world: World, tmp_path: Path) -> None:
    await fraud_service.change_list(world.deps, "fraud_custom_blocked_countries", "DE", is_added=True)
    await new_product(world)
    customer = (await new_customer(world))["customer"]
    calm = await scrape_world(world)
    body = {"customer_id": customer["id"], "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.7"}
    answer = await world.post(f"{STORE}/orders", body | {"billing_country": "DE"})
    assert answer.json()["data"]["fraud_check"]["action_taken"] == "blocked"
    assert_fires(tmp_path, calm, await scrape_world(world), alerts={"LootkeepBlocksManyOrders"})


async def test_tokens_are_guessed_fires_when_many_requests_have_an_invalid_token(world: World, tmp_path: Path) -> None:
    calm = await scrape_world(world)
    for number in range(40):
        assert (await world.get("/referrals/tiers", token=f"lk_guess{number}")).status_code == 401
    assert_fires(tmp_path, calm, await scrape_world(world), alerts={"LootkeepTokensAreGuessed"})


async def test_limits_are_hit_fires_when_a_token_calls_too_often(world: World, tmp_path: Path) -> None:
    calm = await scrape_world(world)
    token = await world.new_token("referrals:read", rate_limit=1)
    statuses = [(await world.get("/referrals/tiers", token=token)).status_code for _ in range(10)]
    assert statuses == [200] + [429] * 9
    assert_fires(tmp_path, calm, await scrape_world(world), alerts={"LootkeepLimitsAreHit"})


@pytest.fixture
async def world_behind_a_gate(world: World, gate: Gate) -> AsyncIterator[World]:
    db = await PostgresDatabase.open(gate.url, 2, Deadlines(statement=2, connection=5))
    remote = World(db, rate_limit_per_minute=0)
    remote.token = world.token
    yield remote
    await remote.close()
    await db.close()


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _call(service: Serving, method: str, path: str, json: dict[str, Any] | None = None) -> httpx.Response:
    return httpx.request(
        method, service.url + path, json=json, headers=_bearer(service.token), timeout=SECONDS, verify=False
    )


def _scrape_with_growth(service: Serving, before: Scrape, name: str, outcome: str) -> Scrape:
    """The next one in which the worker has got there."""

    def total(scrape: Scrape) -> float:
        return sum(
            value for (of, labels), value in scrape.samples.items() if of == name and outcome in dict(labels).values()
        )

    after = scrape(service.url, service.token)
    while total(after) == total(before):
        after = scrape(service.url, service.token)
    return after
