"""What every answer has in common, whatever was asked: the envelope, the id, the headers, the order of checks."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lootkeep import wiring
from lootkeep.api.http.app import Api, ASGIApp
from lootkeep.api.http.limits import Limits
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.probes import Probes
from lootkeep.api.http.routes import Call, Group, Reply, Route, only_message
from lootkeep.storage.postgres import PostgresDatabase
from tests.engines.test_ratelimit import Gate
from tests.world import EXTERNAL, World

TIERS = EXTERNAL + "/referrals/tiers"
BRONZE = {"name": "Bronze", "referrals_required": 5, "reward_type": "percentage_discount", "reward_value": 10}
ALL_PATHS = [
    (route.method, group.prefix + re.sub(r"{\w+}", "7", route.path))
    for group in wiring.groups()
    for route in group.routes
]
UNAVAILABLE = {
    "success": False,
    "error": "Service Unavailable",
    "code": "service_unavailable",
    "message": "The service is temporarily unavailable. Please try again shortly.",
}


# Addresses and methods


NOWHERE = [
    "/api",
    "/api/",
    "/api/external/v1",
    "/api/external/v1/",
    "/api/external/v2/referrals/tiers",
    "/api/external/v1//referrals/tiers",
    "/api/external/v1/Referrals/tiers",
    "/api/external/v1/referrals/tiers/",
    "/api/external/v1/referrals/tiers/seven",
    "/api/external/v1/referrals/tiers/-1",
    "/api/external/v1/referrals/tiers/1.0",
    "/api/external/v1/referrals/tiers/%D9%A3",
    "/api/external/v1/referrals/tiers/9223372036854775808",
    "/api/external/v1/referrals/tiers/" + "9" * 5000,
    "/api/external/v1/referrals/tiers/%00",
    "/api/external/v1/referrals/tiers/..%2F..",
    "/api/external/v1/referrals/tiers/7/nothing",
    "/api/external/v1/referrals/tiers/7/toggle/",
    "/nothing",
    "/healthz%00",
    "/%FF",
]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
async def test_an_unknown_address_is_not_found(world: World, method: str) -> None:
    answers = {path: await world.http.request(method, path) for path in NOWHERE}
    told = {path: (answer.status_code, answer.json()) for path, answer in answers.items()}
    not_found = {
        "success": False,
        "error": "Not Found",
        "code": "not_found",
        "message": "There is nothing at this address.",
    }
    assert told == dict.fromkeys(NOWHERE, (404, not_found))


async def test_a_part_of_the_reference_that_is_not_there_is_not_found(world: World) -> None:
    answer = await world.http.get("/docs/nothing.js")
    assert (answer.status_code, answer.json()["message"]) == (404, "There is nothing at this address.")


@pytest.mark.parametrize(
    ("methods", "path", "allowed"),
    [
        (("PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW", "get"), TIERS, "GET, HEAD, POST"),
        (("GET", "POST", "PATCH"), TIERS + "/7", "DELETE, PUT"),
        (("GET", "PUT", "DELETE"), TIERS + "/7/toggle", "POST"),
        (("POST", "DELETE"), EXTERNAL + "/referrals/settings", "GET, HEAD, PUT"),
    ],
)
async def test_a_method_the_address_does_not_have_is_refused_with_those_it_has(
    world: World, methods: tuple[str, ...], path: str, allowed: str
) -> None:
    # httpx writes methods in capitals, so the application is asked directly.
    told = {method: await ask(world.app, method, path) for method in methods}
    refusal = {
        "success": False,
        "error": "Method Not Allowed",
        "code": "method_not_allowed",
        "message": f"This address answers to {allowed} only.",
    }
    assert told == dict.fromkeys(methods, (405, allowed, refusal))


async def ask(app: ASGIApp, method: str, path: str) -> tuple[int, str | None, Any]:
    """Status, allowed methods and body of one bare request, its method as it is written."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "http_version": "1.1", "method": method, "path": path, "query_string": b"", "headers": []}
    await app(scope, receive, send)
    start, body = sent
    return start["status"], dict(start["headers"]).get(b"allow", b"").decode(), json.loads(body["body"])


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/"])
async def test_a_page_has_no_other_method_than_get(world: World, path: str) -> None:
    answer = await world.http.post(path)
    assert (answer.status_code, answer.json()["error"]) == (405, "Method Not Allowed")
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD"}


async def test_head_answers_as_get_does_without_the_body(world: World) -> None:
    get = await world.get("/referrals/settings")
    head = await world.call("HEAD", "/referrals/settings")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == get.headers["Content-Length"]
    assert head.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(("path", "status"), [("/referrals/settings", 401), ("/referrals/tiers/7", 405), ("/no", 404)])
async def test_a_refused_head_has_no_body_either(world: World, path: str, status: int) -> None:
    answer = await world.call("HEAD", path, token="lk_nobody")
    assert (answer.status_code, answer.content) == (status, b"")


# Request ids


@pytest.mark.parametrize("given", ["a", "0" * 128, "Order-7_retry.2"])
async def test_a_request_id_is_accepted_and_echoed(world: World, given: str) -> None:
    answer = await world.get("/referrals/tiers", headers={"X-Request-ID": given})
    assert answer.headers["X-Request-ID"] == given


@pytest.mark.parametrize("given", ["", "0" * 129, "two words", "semi;colon", "<script>", "a\tb", "ümlaut"])
async def test_another_request_id_is_made_for_one_that_is_not_acceptable(world: World, given: str) -> None:
    answer = await world.get("/referrals/tiers", headers={"X-Request-ID": given.encode()})
    assert answer.headers["X-Request-ID"].startswith("request-")


async def test_each_request_without_an_id_gets_its_own(world: World) -> None:
    ids = {(await world.get("/referrals/tiers")).headers["X-Request-ID"] for _ in range(3)}
    assert len(ids) == 3


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("PATCH", "/referrals/tiers", 405), ("PUT", "/referrals/tiers/7", 404)],
)
async def test_a_failure_carries_the_request_id_too(world: World, method: str, path: str, status: int) -> None:
    answer = await world.call(method, path, headers={"X-Request-ID": "mine"})
    assert (answer.status_code, answer.headers["X-Request-ID"]) == (status, "mine")


# Headers


@pytest.mark.parametrize(
    ("method", "path", "token"),
    [
        ("GET", "/referrals/tiers", None),
        ("POST", "/referrals/tiers", None),
        ("GET", "/referrals/tiers", "lk_nobody"),
        ("GET", "/nothing", None),
        ("PATCH", "/referrals/tiers", None),
    ],
)
async def test_every_answer_of_the_api_is_json_that_is_not_cached_nor_guessed_at(
    world: World, method: str, path: str, token: str | None
) -> None:
    answer = await world.call(method, path, token=token)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Length"] == str(len(answer.content))


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.json", "/docs", "/nothing"])
async def test_every_page_forbids_what_it_does_not_need(world: World, path: str) -> None:
    headers = (await world.http.get(path)).headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none';")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


async def test_no_answer_tells_what_serves_it(world: World) -> None:
    for path in ("/healthz", TIERS, "/nothing"):
        assert not {"server", "x-powered-by"} & set((await world.http.get(path)).headers)


# The order of checks: route, token, rate limit, scope, parameters and body, existence


async def test_an_unknown_address_is_told_before_the_token_is_looked_at(world: World) -> None:
    assert (await world.get("/nothing", token="lk_nobody")).status_code == 404


async def test_a_wrong_method_is_told_before_the_token_is_looked_at(world: World) -> None:
    assert (await world.call("PATCH", "/referrals/tiers", token="lk_nobody")).status_code == 405


async def test_a_bad_token_is_told_before_a_bad_body(world: World) -> None:
    answer = await world.post("/referrals/tiers", content=b"{", token="lk_nobody")
    assert answer.status_code == 401


async def test_a_full_limit_is_told_before_a_missing_scope(world: World) -> None:
    token = await world.new_token("fraud:read", rate_limit=1)
    statuses = [(await world.get("/referrals/tiers", token=token)).status_code for _ in range(2)]
    assert statuses == [403, 429]


async def test_a_missing_scope_is_told_before_a_bad_body(world: World) -> None:
    token = await world.new_token("referrals:read")
    answer = await world.post("/referrals/tiers", content=b"{" * 2_000_000, token=token)
    assert answer.status_code == 403
    assert answer.json() == {
        "success": False,
        "error": "Forbidden",
        "code": "forbidden",
        "message": "The token lacks the required scope referrals:write.",
    }


async def test_a_missing_scope_is_told_before_a_missing_thing(world: World) -> None:
    token = await world.new_token("referrals:read")
    assert (await world.delete("/referrals/tiers/7", token=token)).status_code == 403


async def test_a_bad_field_is_told_before_a_missing_thing(world: World) -> None:
    assert (await world.put("/referrals/tiers/7", {"name": ""})).status_code == 422


async def test_a_missing_thing_is_told_before_a_rule_of_the_store(world: World) -> None:
    answer = await world.put("/referrals/tiers/7", {"reward_type": "percentage_discount", "reward_value": 500})
    assert answer.status_code == 404


async def test_one_request_with_every_fault_is_told_them_one_by_one(world: World) -> None:
    poor = await world.new_token("fraud:read", rate_limit=1)
    able = await world.new_token("referrals:write")
    bad = {"content": b"{", "headers": {"Content-Type": "application/json"}}
    statuses = [
        (await world.call("PUT", "/referrals/tiers/seven", token="", **bad)).status_code,
        (await world.call("PUT", "/referrals/tiers/7", token="", **bad)).status_code,
        (await world.call("PUT", "/referrals/tiers/7", token=poor, **bad)).status_code,
        (await world.call("PUT", "/referrals/tiers/7", token=poor, **bad)).status_code,
        (await world.call("PUT", "/referrals/tiers/7", token=able, **bad)).status_code,
        (await world.call("PUT", "/referrals/tiers/7", {}, token=able)).status_code,
    ]
    assert statuses == [404, 401, 403, 429, 422, 404]


# Faults of our own


class Mishap(Exception):
    """Whatever goes wrong inside; none of it may be told outside."""


async def stumble(_: Call[None, None]) -> Reply:
    raise Mishap("the password of /etc/lootkeep is hunter2")


STUMBLES = Group(
    "Test",
    "What goes wrong.",
    (Route("GET", "/stumble", stumble, "referrals:read", "Go wrong", only_message("never")),),
)


def edge(world: World, *groups: Group) -> httpx.AsyncClient:
    """The same edge over other rows."""
    pages = Probes(world.deps, world.tokens, Metrics(), {}, {}).app()
    api = Api(world.deps, groups, world.tokens, Limits(world.deps.limiter, 60, 60), Metrics(), pages)
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(api),
        base_url="http://store.test",
        headers={"Authorization": f"Bearer {world.token}"},
    )


async def test_a_fault_of_ours_is_told_without_a_trace_of_it(world: World) -> None:
    async with edge(world, STUMBLES) as client:
        answer = await client.get(EXTERNAL + "/stumble", headers={"X-Request-ID": "mine"})
    assert answer.status_code == 500
    assert answer.json() == {
        "success": False,
        "error": "Server Error",
        "code": "server_error",
        "message": "Something went wrong on our side. The request id helps us to find it.",
    }
    assert answer.headers["X-Request-ID"] == "mine"
    assert answer.headers["X-RateLimit-Remaining"] == "59"
    told = answer.text + str(answer.headers)
    assert not [word for word in ("Mishap", "hunter2", "Traceback", "lootkeep", ".py") if word in told]


async def test_a_fault_of_a_page_is_told_without_a_trace_of_it(world: World) -> None:
    async def check() -> bool:
        raise Mishap("hunter2")

    pages = Probes(world.deps, world.tokens, Metrics(), {"database": check}, {}).app()
    # The framework raises the error again after its answer, for the server to log.
    transport = httpx.ASGITransport(pages, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://store.test") as client:
        answer = await client.get("/readyz")
    assert (answer.status_code, answer.json()["code"]) == (500, "server_error")
    assert "Mishap" not in answer.text
    assert "hunter2" not in answer.text


# The database is gone


@pytest.fixture
async def gate(postgres_url: str) -> AsyncIterator[Gate]:
    made = Gate(postgres_url)
    await made.open()
    yield made
    await made.shut()


@pytest.fixture
async def remote_world(world: World, gate: Gate) -> AsyncIterator[World]:
    """A world whose PostgreSQL stands behind a gate."""
    db = await PostgresDatabase.open(gate.url, 2)
    remote = World(db)
    remote.token = world.token
    yield remote
    await remote.close()
    await db.close()


on_postgresql = pytest.mark.parametrize("address", ["postgresql"], indirect=True)
on_sqlite = pytest.mark.parametrize("address", ["sqlite"], indirect=True)


async def told_everywhere(world: World) -> dict[str, tuple[int, Any]]:
    answers = {f"{method} {path}": await world.call(method, path) for method, path in ALL_PATHS}
    return {name: (answer.status_code, answer.json()) for name, answer in answers.items()}


@on_postgresql
async def test_every_endpoint_says_so_when_postgresql_is_gone(remote_world: World, gate: Gate) -> None:
    await gate.shut()
    told = await told_everywhere(remote_world)
    assert told == dict.fromkeys(told, (503, UNAVAILABLE))


@on_postgresql
async def test_a_known_token_does_not_hide_that_postgresql_is_gone(remote_world: World, gate: Gate) -> None:
    await remote_world.get("/referrals/tiers")
    await gate.shut()
    read = await remote_world.get("/referrals/tiers")
    write = await remote_world.post("/referrals/tiers", BRONZE)
    once = await remote_world.post("/referrals/tiers", BRONZE, headers={"Idempotency-Key": "1"})
    assert [answer.status_code for answer in (read, write, once)] == [503, 503, 503]
    assert [answer.json() for answer in (read, write, once)] == [UNAVAILABLE] * 3


@on_postgresql
async def test_all_is_well_again_when_postgresql_is_back(remote_world: World, gate: Gate) -> None:
    await gate.shut()
    gone = [(await remote_world.get("/referrals/tiers")).status_code for _ in range(5)]
    await gate.open()
    back = [(await remote_world.get("/referrals/tiers")).status_code for _ in range(5)]
    assert (gone, back) == ([503] * 5, [200] * 5)


@on_postgresql
async def test_readiness_tells_that_postgresql_is_gone(remote_world: World, gate: Gate) -> None:
    await gate.shut()
    answer = await remote_world.http.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == UNAVAILABLE | {"message": "Not ready: database, worker."}


@on_postgresql
async def test_being_alive_does_not_depend_on_postgresql(remote_world: World, gate: Gate) -> None:
    await gate.shut()
    assert (await remote_world.http.get("/healthz")).status_code == 200


@on_sqlite
async def test_every_endpoint_says_so_when_the_embedded_database_is_broken(world: World, address: Path) -> None:
    for file in address.parent.glob("test.db*"):
        file.write_bytes(b"no database" * (file.stat().st_size // 11))
    told = await told_everywhere(world)
    assert told == dict.fromkeys(told, (503, UNAVAILABLE))
