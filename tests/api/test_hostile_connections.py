"""Connections that break off, request upgrades or arrive in pieces: nothing is lost and nothing is half done."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from tests.api.tiers import BRONZE
from tests.api.tokens import revoked, stored
from tests.world import EXTERNAL, World

TIERS = EXTERNAL + "/referrals/tiers"


async def test_an_interrupted_body_changes_nothing(world: World) -> None:
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": b"{", "more_body": True},
        {"type": "http.disconnect"},
    ]
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    headers = [
        (b"authorization", b"Bearer " + world.token.encode()),
        (b"content-length", b"50"),
        (b"content-type", b"application/json"),
    ]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": TIERS,
        "query_string": b"",
        "headers": headers,
    }
    await world.app(scope, receive, send)
    assert sent[0]["status"] == 400
    assert (await world.get("/referrals/tiers")).json()["data"] == []


async def test_a_route_without_a_body_ignores_one(world: World) -> None:
    await world.post("/referrals/tiers", BRONZE)
    answer = await world.post("/referrals/tiers/1/toggle", content=b"<xml/>", headers={"Content-Type": "text/xml"})
    assert answer.json()["message"] == "Tier deactivated"


async def test_a_revoked_token_is_not_noted_as_used(world: World) -> None:
    secret = await revoked(world)
    await world.get("/referrals/tiers", token=secret)
    await world.tokens.note_uses()
    assert (await stored(world, secret)).last_used_at is None


async def test_pages_carry_a_request_id_and_the_security_headers(world: World) -> None:
    for path in ("/healthz", "/metrics", "/nothing", "/docs", "/openapi.json"):
        answer = await world.http.get(path, headers={"Authorization": f"Bearer {world.token}"})
        assert answer.headers["x-request-id"]
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_metrics_report_requests_and_the_backlog(world: World) -> None:
    await world.get("/referrals/tiers")
    text = (await world.http.get("/metrics", headers={"Authorization": f"Bearer {world.token}"})).text
    assert 'lootkeep_requests_total{method="GET",path="/api/external/v1/referrals/tiers",status="200"} 1.0' in text
    assert "lootkeep_webhook_due 0.0" in text
