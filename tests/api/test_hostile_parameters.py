"""Every parameter of every row, sent what no client should send: it is rejected, never an internal error."""

from __future__ import annotations

import re

import pytest

from lootkeep import wiring
from lootkeep.api.http.pages import PageQuery
from lootkeep.api.http.routes import Route
from lootkeep.api.http.validation import parse_query
from lootkeep.domain.access import SCOPES, SERVER_SCOPE
from lootkeep.kernel.errors import InvalidFields
from lootkeep.storage.engine.postgres import PostgresDatabase
from tests.conftest import only_sqlite
from tests.world import World

# The calls of game servers have a token of their own, whose parameters their tests send.
ROWS = [(group.prefix, row) for group in wiring.groups() for row in group.routes if row.scope != SERVER_SCOPE]
HOSTILE = [
    str(2**63 - 1),
    str(2**63),
    "1" * 5000,
    "-1" + "0" * 19,
    "1e999",
    "²",
    "a%00b",
    "%FF",
    "%ED%A0%80",
    "0001-01-01",
    "9999-12-31",
]


def queries(route: Route) -> list[str]:
    if route.query is None:
        return []
    names = [field.alias or name for name, field in route.query.model_fields.items()]
    return [f"{name}={value}" for name in names for value in HOSTILE]


@pytest.fixture
async def unlimited(world: World) -> str:
    return await world.new_token(*SCOPES, rate_limit=0)


def is_parsed(route: Route, query: str) -> bool:
    try:
        parse_query(query.encode(), route, [])
    except InvalidFields:
        return False
    return True


async def test_no_query_parameter_causes_an_internal_error(world: World, unlimited: str) -> None:
    errors = {}
    for prefix, route in ROWS:
        path = prefix + re.sub(r"{\w+}", "1", route.path)
        for query in queries(route):
            # Most are refused before a database is asked: once is enough for these.
            if isinstance(world.db, PostgresDatabase) and not is_parsed(route, query):
                continue
            answer = await world.call(route.method, f"{path}?{query}", token=unlimited)
            if answer.status_code not in (200, 404, 422):
                errors[f"{route.method} {path}?{query[:60]}"] = answer.status_code
    assert errors == {}


async def test_every_list_is_empty_on_any_page_past_its_end(world: World, unlimited: str) -> None:
    for prefix, route in ROWS:
        if route.query is None or not issubclass(route.query, PageQuery) or "{" in route.path:
            continue
        for page in (2**31, 10**12, 2**63 - 1):
            answer = await world.get(f"{prefix}{route.path}?page={page}&per_page=100", token=unlimited)
            assert answer.status_code == 200, (route.path, answer.text)
            assert (answer.json()["data"], answer.json()["meta"]["current_page"]) == ([], page), route.path


@only_sqlite
async def test_no_path_parameter_causes_an_internal_error(world: World, unlimited: str) -> None:
    assert await errors_in_paths(world, unlimited, HOSTILE) == {}


async def test_the_highest_id_is_of_no_record(world: World, unlimited: str) -> None:
    assert await errors_in_paths(world, unlimited, [str(2**63 - 1)]) == {}


async def errors_in_paths(world: World, token: str, values: list[str]) -> dict[str, int]:
    errors = {}
    for prefix, route in ROWS:
        for value in values if "{" in route.path else ():
            path = prefix + re.sub(r"{\w+}", value, route.path)
            answer = await world.call(route.method, path, token=token)
            if answer.status_code not in (404, 422):
                errors[f"{route.method} {route.path} {value[:40]}"] = answer.status_code
    return errors
