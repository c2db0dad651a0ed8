"""What every answer has in common, whatever was asked: the envelope, the id and the headers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lootkeep.api.http.app import ASGIApp
from tests.world import EXTERNAL, World

TIERS = EXTERNAL + "/referrals/tiers"


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
async def test_an_unknown_path_is_not_found(shared_world: World, method: str) -> None:
    answers = {path: await shared_world.http.request(method, path) for path in NOWHERE}
    responses = {path: (answer.status_code, answer.json()) for path, answer in answers.items()}
    not_found = {
        "success": False,
        "error": "Not Found",
        "code": "not_found",
        "message": "There is nothing at this path.",
    }
    assert responses == dict.fromkeys(NOWHERE, (404, not_found))


async def test_a_missing_part_of_the_reference_is_not_found(world: World) -> None:
    answer = await world.http.get("/docs/nothing.js")
    assert (answer.status_code, answer.json()["message"]) == (404, "There is nothing at this path.")


@pytest.mark.parametrize(
    ("methods", "path", "allowed"),
    [
        (("PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW", "get"), TIERS, "GET, HEAD, POST"),
        (("GET", "POST", "PATCH"), EXTERNAL + "/fraud/rules/7", "DELETE, PUT"),
        (("GET", "PUT", "DELETE"), TIERS + "/7/toggle", "POST"),
        (("POST", "DELETE"), EXTERNAL + "/referrals/settings", "GET, HEAD, PUT"),
    ],
)
async def test_an_unsupported_method_is_rejected_with_the_supported_ones(
    shared_world: World, methods: tuple[str, ...], path: str, allowed: str
) -> None:
    # httpx writes methods in capitals, so the application is asked directly.
    responses = {method: await ask(shared_world.app, method, path) for method in methods}
    rejection = {
        "success": False,
        "error": "Method Not Allowed",
        "code": "method_not_allowed",
        "message": f"This path only supports {allowed}.",
    }
    assert responses == dict.fromkeys(methods, (405, allowed, rejection))


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


GUIDES = "/docs/guides/index"
REDIRECTS = [("/", "/console"), ("/docs/", "/docs"), ("/docs/guides", GUIDES), ("/docs/guides/", GUIDES)]


@pytest.mark.parametrize(("path", "target"), REDIRECTS)
async def test_redirects_do_not_depend_on_the_host_header(shared_world: World, path: str, target: str) -> None:
    answer = await shared_world.http.get(path, headers={"Host": "evil.example"})
    assert (answer.status_code, answer.headers["Location"]) == (307, target)


@pytest.mark.parametrize("path", ["/healthz/", "/metrics/", "/docs//", "/u/token/"])
async def test_an_extra_slash_is_not_found(shared_world: World, path: str) -> None:
    answer = await shared_world.http.get(path, headers={"Host": "evil.example"})
    assert (answer.status_code, answer.json()["error"]) == (404, "Not Found")


DOCUMENTATION = ["/openapi.json", "/docs", GUIDES, f"{GUIDES}.md", "/docs/search", "/docs/search.json", "/llms.txt"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/", *DOCUMENTATION])
async def test_a_page_supports_only_get(shared_world: World, path: str) -> None:
    answer = await shared_world.http.post(path)
    assert (answer.status_code, answer.json()["error"]) == (405, "Method Not Allowed")
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD"}


async def test_head_answers_as_get_does_without_the_body(world: World) -> None:
    get = await world.get("/referrals/settings")
    head = await world.call("HEAD", "/referrals/settings")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == get.headers["Content-Length"]
    assert head.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(("path", "status"), [("/referrals/settings", 401), ("/fraud/rules/7", 405), ("/no", 404)])
async def test_a_rejected_head_request_has_no_body_either(shared_world: World, path: str, status: int) -> None:
    answer = await shared_world.call("HEAD", path, token="lk_nobody")
    assert (answer.status_code, answer.content) == (status, b"")


# Request ids


@pytest.mark.parametrize("request_id", ["a", "0" * 128, "Order-7_retry.2"])
async def test_a_request_id_is_accepted_and_echoed(shared_world: World, request_id: str) -> None:
    answer = await shared_world.get("/referrals/tiers", headers={"X-Request-ID": request_id})
    assert answer.headers["X-Request-ID"] == request_id


@pytest.mark.parametrize("request_id", ["", "0" * 129, "two words", "semi;colon", "<script>", "a\tb", "ümlaut"])
async def test_an_unacceptable_request_id_is_replaced(shared_world: World, request_id: str) -> None:
    answer = await shared_world.get("/referrals/tiers", headers={"X-Request-ID": request_id.encode()})
    assert answer.headers["X-Request-ID"].startswith("request-")


async def test_each_request_without_an_id_gets_its_own(world: World) -> None:
    ids = {(await world.get("/referrals/tiers")).headers["X-Request-ID"] for _ in range(3)}
    assert len(ids) == 3


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("PATCH", "/referrals/tiers", 405), ("PUT", "/referrals/tiers/7", 404)],
)
async def test_a_failure_carries_the_request_id_too(shared_world: World, method: str, path: str, status: int) -> None:
    answer = await shared_world.call(method, path, headers={"X-Request-ID": "mine"})
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
async def test_every_api_answer_is_json_that_is_neither_cached_nor_sniffed(
    shared_world: World, method: str, path: str, token: str | None
) -> None:
    answer = await shared_world.call(method, path, token=token)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Length"] == str(len(answer.content))


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/nothing", "/docs/guides/nothing", *DOCUMENTATION])
async def test_every_page_forbids_what_it_does_not_need(shared_world: World, path: str) -> None:
    headers = (await shared_world.http.get(path)).headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none';")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


async def test_no_answer_names_the_server_software(world: World) -> None:
    for path in ("/healthz", TIERS, "/nothing"):
        assert not {"server", "x-powered-by"} & set((await world.http.get(path)).headers)
