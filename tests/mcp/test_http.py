"""Agents at `/mcp`: the token, the limits, the sandbox and the figures of the API hold there, too."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
import uvicorn
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from lootkeep.api.http.server import Protocol
from lootkeep.services import access as access_service
from lootkeep.storage.engine.database import Engine
from tests.conftest import only_sqlite
from tests.mcp.agents import Agent, agent, open_shop
from tests.receiver import PATIENCE_SECONDS
from tests.sandboxes import two_stores
from tests.world import World

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


async def call(world: World, body: object = PING, method: str = "POST", token: str | None = None) -> httpx2.Response:
    headers = {**ACCEPT, "Authorization": f"Bearer {world.token if token is None else token}"}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(world.app), base_url="http://store.test") as http:
        return await http.request(method, "/mcp", json=body, headers=headers)


async def test_a_message_without_a_valid_token_is_rejected(world: World) -> None:
    for token in ("", "lk_nothing"):
        answer = await call(world, token=token)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


async def test_a_revoked_token_is_rejected_at_the_next_message(world: World) -> None:
    token = await world.new_token("orders:read")
    async with agent(world, token) as asking:
        assert not (await asking.ask("find_orders")).is_error
        await access_service.revoke_token(world.deps, 2)
        with pytest.raises(MCPError):
            await asking.ask("find_orders")


async def test_messages_count_against_the_rate_limit_of_the_token(world: World) -> None:
    token = await world.new_token("orders:read", rate_limit=3)
    answers = [await call(world, token=token) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["2", "1", "0", "0"]
    assert (answers[-1].json()["code"], "Retry-After" in answers[-1].headers) == ("rate_limited", True)
    # The API counts the same.
    assert (await world.get("/orders", token=token)).status_code == 429


@only_sqlite
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_only_post_is_supported(world: World, method: str) -> None:
    answer = await call(world, method=method)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


@only_sqlite
async def test_a_body_that_is_too_large_or_no_message_is_an_error(world: World) -> None:
    assert (await call(world, {"x": "y" * 70_000})).status_code == 413
    assert (await call(world, ["ping"])).status_code == 400
    assert (await call(world, {"x": 1})).status_code == 400


async def test_a_message_is_counted_in_the_metrics(world: World) -> None:
    await call(world)
    text = world.metrics.text([]).decode()
    assert 'lootkeep_requests_total{method="POST",path="/mcp",status="200"} 1.0' in text


async def test_a_test_token_sees_the_sandbox_and_any_other_the_store(db: Engine, db_location: Path | str) -> None:
    async with two_stores(db, db_location, rate_limit_per_minute=0) as stores:
        await open_shop(stores.live)
        totals = []
        for world in (stores.live, stores.test):
            async with agent(world) as asking:
                totals.append((await asking.ask("find_orders")).data["total"])
    assert totals == [2, 0]


async def test_the_official_client_talks_to_a_server_on_loopback(world: World) -> None:
    """As the service is run: its protocol, on a real socket."""
    await open_shop(world)
    config = uvicorn.Config(world.app, port=0, http=Protocol, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0)
    port = server.servers[0].sockets[0].getsockname()[1]
    headers = {"Authorization": f"Bearer {world.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE_SECONDS) as http,
        Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)) as client,
    ):
        story = (await Agent(client).ask("order_story", order=1)).data
    server.should_exit = True
    await serving
    assert story["order"]["id"] == 1


WITHOUT = """
import asyncio, sys
{before}
from pathlib import Path
from tests.in_process import service

async def main():
    async with service(Path({folder!r})) as (http, token):
        headers = {{"Authorization": "Bearer " + token, "Accept": "application/json, text/event-stream"}}
        await http.get("/api/external/v1/orders", headers=headers)
        print("mcp" in sys.modules and sys.modules["mcp"] is not None)
        answer = await http.post("/mcp", json={{"jsonrpc": "2.0", "id": 1, "method": "ping"}}, headers=headers)
        print("answer", answer.status_code, answer.json().get("code"), answer.json().get("message"))

asyncio.run(main())
"""


def run(folder: Path, before: str) -> tuple[str, str]:
    """In its own process, where nothing is imported yet."""
    code = WITHOUT.format(before=before, folder=str(folder))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, *lines = done.stdout.splitlines()
    (answer,) = [line for line in lines if line.startswith("answer")]
    return first, answer


def test_the_protocol_is_loaded_by_the_first_message(tmp_path: Path) -> None:
    assert run(tmp_path, "") == ("False", "answer 200 None None")


def test_without_the_package_a_sentence_says_what_to_install(tmp_path: Path) -> None:
    loaded, answer = run(tmp_path, "sys.modules['mcp'] = None")
    assert loaded == "False"
    assert answer.startswith("answer 503 mcp_not_installed Agents need the package mcp, which is not installed here")
