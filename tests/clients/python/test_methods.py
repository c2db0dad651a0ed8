"""The client is complete: each row of the route table is a method, sync and async, that calls exactly that row."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from typing import Any

import httpx
import pytest

from lootkeep import wiring
from lootkeep.api.http.openapi.client_names import client_method
from lootkeep.api.http.routes import Group, Route
from lootkeep_client import AsyncClient, AsyncPages, Client, Pages, Retry
from tests.api.openapi import example_body
from tests.rules.tree import ROOT
from tools import write_clients
from tools.clients.endpoints import COMMAND
from tools.clients.php import PACKAGE as PHP
from tools.clients.python import PACKAGE

ROWS = [(group, route) for group in wiring.groups() for route in group.routes]
ROUTER = wiring.router()
_NAMED = re.compile(r"\bclient\.((?:\w+\.)*\w+)\(")


def method_of(client: Client | AsyncClient, name: str) -> Any:
    target: Any = client
    for part in name.split("."):
        target = getattr(target, part)
    return target


class RequestRecorder:
    """Answers every request with an empty success, and keeps the last one."""

    def __init__(self, route: Route) -> None:
        self.last: httpx.Request | None = None
        data: Any = [] if route.answer.is_list else {}
        meta = {"current_page": 1, "last_page": 1, "per_page": 15, "total": 0}
        self._answer = {"success": True, "data": data, "message": "Done", "meta": meta}

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.last = request
        return httpx.Response(route_status(request), json=self._answer)


def route_status(request: httpx.Request) -> int:
    return 201 if request.method == "POST" else 200


def arguments(group: Group, route: Route) -> tuple[list[Any], dict[str, Any]]:
    ids = ["7" if part == "{delivery_id}" else 7 for part in route.path.split("/") if part.startswith("{")]
    return ids, example_body(group.prefix, route) or {}


def check(group: Group, route: Route, request: httpx.Request | None) -> None:
    assert request is not None, f"{route.method} {group.prefix}{route.path}"
    assert ROUTER.find(request.method, request.url.path)[0].handler is route.handler
    assert ("idempotency-key" in request.headers) == (route.method == "POST")
    assert request.headers["authorization"] == "Bearer lk_test"
    sent = json.loads(request.content) if request.content else None
    assert sent == example_body(group.prefix, route)


def test_each_row_is_a_method_of_the_client() -> None:
    for group, route in ROWS:
        recorder = RequestRecorder(route)
        ids, body = arguments(group, route)
        with Client("http://store.test", "lk_test", transport=httpx.MockTransport(recorder)) as client:
            answer = method_of(client, client_method(group.prefix, route))(*ids, **body)
            assert isinstance(answer, Pages) == route.answer.is_paged
            if isinstance(answer, Pages):
                assert list(answer) == []
        check(group, route, recorder.last)


async def test_each_row_is_a_method_of_the_async_client() -> None:
    for group, route in ROWS:
        recorder = RequestRecorder(route)
        ids, body = arguments(group, route)
        async with AsyncClient("http://store.test", "lk_test", transport=httpx.MockTransport(recorder)) as client:
            answer = method_of(client, client_method(group.prefix, route))(*ids, **body)
            if isinstance(answer, AsyncPages):
                assert [item async for item in answer] == []
            else:
                assert inspect.isawaitable(answer)
                await answer
        check(group, route, recorder.last)


def test_no_two_rows_share_a_name() -> None:
    names = [client_method(group.prefix, route) for group in wiring.groups() for route in group.routes]
    assert len(set(names)) == len(names)


def test_the_generated_files_match_the_route_table() -> None:
    expected = write_clients.files()
    stale = [path.name for path, text in expected.items() if not path.exists() or path.read_text() != text]
    assert not stale, f"{', '.join(stale)} is not what the route table says: run `{COMMAND}`."
    python = (PACKAGE / kind for kind in ("types", "parameters", "synchronous", "asynchronous"))
    generated = [*(path for folder in python for path in folder.glob("*.py")), *(PHP / "src/Api").iterdir()]
    assert [path.name for path in generated if path not in expected] == []


def test_the_client_imports_nothing_but_httpx_and_the_standard_library() -> None:
    names = set()
    for node in (node for file in PACKAGE.rglob("*.py") for node in ast.walk(ast.parse(file.read_text()))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    assert names <= {"httpx", "lootkeep_client", *sys.stdlib_module_names}


def test_the_first_attempts_wait_half_a_second_and_then_twice_as_long_each_time() -> None:
    for attempt, most in ((1, 0.5), (2, 1.0), (3, 2.0), (4, 4.0)):
        for _ in range(50):
            wait = Retry().after_failure(attempt)
            assert wait is not None
            assert most / 2 <= wait <= most
    assert Retry().after_failure(5) is None
    assert (Retry(attempts=99).after_failure(50) or 0) <= 8


@pytest.mark.parametrize("page", ["docs/client.md", "clients/python/README.md"])
def test_every_method_named_in_the_docs_exists(page: str) -> None:
    with Client("http://store.test", "lk_test") as client:
        named = set(_NAMED.findall((ROOT / page).read_text()))
        assert named
        for name in named:
            assert callable(method_of(client, name)), f"{page} names client.{name}."
