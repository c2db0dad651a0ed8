"""Who is let in: every endpoint of the route table with every kind of token."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from lootkeep import wiring
from lootkeep.api.http.routes import Route
from lootkeep.domain.access import SCOPES, SERVER_SCOPE, digest
from lootkeep.kernel.clock import DAY
from lootkeep.storage.engine.database import Engine
from tests.api.tokens import revoked
from tests.conftest import only_sqlite
from tests.world import EXTERNAL, World

ROWS = [(group.prefix, route) for group in wiring.groups() for route in group.routes]
# The scope of a game server's own token is in no other token.
SCOPED_ROWS = [(prefix, route) for prefix, route in ROWS if route.scope != SERVER_SCOPE]

UNAUTHORIZED = {
    "success": False,
    "error": "Unauthorized",
    "code": "unauthorized",
    "message": "A valid access token is required.",
}


def path_of(prefix: str, route: Route) -> str:
    """A path of a resource that does not exist: only an authorized caller gets a 404."""
    return prefix + re.sub(r"{\w+}", "4711", route.path)


def row_name(route: Route) -> str:
    return f"{route.method} {route.path}"


async def expired(world: World) -> str:
    secret = await world.new_token(*SCOPES, expires_in_days=1)
    world.clock.advance(DAY)
    return secret


@pytest.fixture
async def unlimited(db: Engine) -> AsyncIterator[World]:
    world = World(db, rate_limit_per_minute=0, auth_failures_per_minute=0)
    await world.begin()
    yield world
    await world.close()


async def bad_headers(world: World) -> dict[str, dict[str, str]]:
    good = world.token
    sent = {
        "empty": "",
        "no scheme": good,
        "no token": "Bearer",
        "blank token": "Bearer  ",
        "another scheme": f"Basic {good}",
        "no space": f"Bearer{good}",
        "two tokens": f"Bearer {good} {good}",
        "quoted": f'Bearer "{good}"',
        "cut": f"Bearer {good[:-1]}",
        "other case": f"Bearer {good.upper()}",
        "digest": f"Bearer {digest(good)}",
        "unknown": "Bearer lk_nobody",
        "huge": "Bearer " + "x" * 10_000,
        "revoked": f"Bearer {await revoked(world)}",
        "expired": f"Bearer {await expired(world)}",
    }
    return {"none": {}, **{kind: {"Authorization": value} for kind, value in sent.items()}}


@only_sqlite
async def test_nobody_gets_in_anywhere_without_a_valid_token(unlimited: World) -> None:
    kinds = await bad_headers(unlimited)
    let_in = []
    for prefix, route in ROWS:
        for kind, headers in kinds.items():
            answer = await unlimited.http.request(route.method, path_of(prefix, route), headers=headers)
            response = (answer.status_code, answer.headers.get("WWW-Authenticate"), answer.json())
            if response != (401, "Bearer", UNAUTHORIZED):
                let_in.append((row_name(route), kind, response))
    assert let_in == []


@only_sqlite
async def test_the_scope_of_the_route_is_enough(unlimited: World) -> None:
    tokens = {scope: await unlimited.new_token(scope) for scope in SCOPES}
    enough: dict[str, list[str]] = {}
    wrong_answers = []
    for prefix, route in SCOPED_ROWS:
        enough[prefix + row_name(route)] = []
        message = f"The token lacks the required scope {route.scope}."
        rejection = {"success": False, "error": "Forbidden", "code": "forbidden", "message": message}
        for scope, token in tokens.items():
            answer = await unlimited.call(route.method, path_of(prefix, route), token=token)
            if answer.status_code not in (401, 403):
                enough[prefix + row_name(route)].append(scope)
            elif (answer.status_code, answer.json()) != (403, rejection):
                wrong_answers.append((row_name(route), scope, answer.text))
    expected = {prefix + row_name(route): {route.scope, route.other_scope} - {None} for prefix, route in SCOPED_ROWS}
    assert {row: set(scopes) for row, scopes in enough.items()} == expected
    assert wrong_answers == []


async def test_all_scopes_but_that_of_the_route_are_not_enough(unlimited: World) -> None:
    needed = {(route.scope, route.other_scope) for _, route in SCOPED_ROWS}
    tokens = {scopes: await unlimited.new_token(*(set(SCOPES) - set(scopes))) for scopes in needed}
    statuses = {
        row_name(route): (
            await unlimited.call(route.method, path_of(prefix, route), token=tokens[route.scope, route.other_scope])
        ).status_code
        for prefix, route in SCOPED_ROWS
    }
    assert statuses == dict.fromkeys(statuses, 403)


async def test_a_token_without_scopes_is_valid_but_may_do_nothing(shared_world: World) -> None:
    token = await shared_world.new_token()
    assert (await shared_world.get("/referrals/tiers", token=token)).status_code == 403


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER ", "Bearer   "])
async def test_the_authorization_scheme_is_case_insensitive(world: World, scheme: str) -> None:
    answer = await world.http.get(EXTERNAL + "/referrals/tiers", headers={"Authorization": f"{scheme}{world.token}"})
    assert answer.status_code == 200


@pytest.mark.parametrize(("scopes", "status"), [(("metrics:read",), 200), (set(SCOPES) - {"metrics:read"}, 403)])
async def test_metrics_need_a_token_with_their_scope(world: World, scopes: Any, status: int) -> None:
    token = await world.new_token(*scopes)
    answer = await world.http.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == status


async def test_metrics_are_not_public(shared_world: World) -> None:
    answer = await shared_world.http.get("/metrics")
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert answer.json() == UNAUTHORIZED
