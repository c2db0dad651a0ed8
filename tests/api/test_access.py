"""Who is let in: every endpoint of the route table with every kind of token, and the life of a token."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from lootkeep import wiring
from lootkeep.api.http.app import Api
from lootkeep.api.http.auth import Tokens
from lootkeep.api.http.limits import Limits
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.probes import Probes
from lootkeep.api.http.routes import Call, Group, Reply, Route, only_message
from lootkeep.domain.access import SCOPES, Token, digest
from lootkeep.kernel.clock import DAY, SECOND
from lootkeep.services import access
from lootkeep.storage import access as storage
from lootkeep.storage.database import Engine
from tests.world import EXTERNAL, World

ROWS = [(group.prefix, route) for group in wiring.groups() for route in group.routes]

UNAUTHORIZED = {
    "success": False,
    "error": "Unauthorized",
    "code": "unauthorized",
    "message": "A valid access token is required.",
}


def address(prefix: str, route: Route) -> str:
    """Where nothing is: whoever is let in finds out."""
    return prefix + re.sub(r"{\w+}", "4711", route.path)


def row_name(route: Route) -> str:
    return f"{route.method} {route.path}"


async def stored(world: World, secret: str) -> Token:
    async with world.db.read() as tx:
        token = await storage.token_by_digest(tx, digest(secret))
    assert token
    return token


async def revoked(world: World) -> str:
    secret = await world.new_token(*SCOPES)
    await access.revoke_token(world.deps, (await stored(world, secret)).id)
    return secret


async def expired(world: World) -> str:
    secret = await world.new_token(*SCOPES, expires_in_days=1)
    world.clock.advance(DAY)
    return secret


# The matrix: every row of the route table


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


async def test_nobody_gets_in_anywhere_without_a_valid_token(unlimited: World) -> None:
    kinds = await bad_headers(unlimited)
    let_in = []
    for prefix, route in ROWS:
        for kind, headers in kinds.items():
            answer = await unlimited.http.request(route.method, address(prefix, route), headers=headers)
            told = (answer.status_code, answer.headers.get("WWW-Authenticate"), answer.json())
            if told != (401, "Bearer", UNAUTHORIZED):
                let_in.append((row_name(route), kind, told))
    assert let_in == []


async def test_exactly_the_scope_of_the_row_lets_in(unlimited: World) -> None:
    tokens = {scope: await unlimited.new_token(scope) for scope in SCOPES}
    enough: dict[str, list[str]] = {}
    wrongly_told = []
    for prefix, route in ROWS:
        enough[prefix + row_name(route)] = []
        message = f"The token lacks the required scope {route.scope}."
        refusal = {"success": False, "error": "Forbidden", "code": "forbidden", "message": message}
        for scope, token in tokens.items():
            answer = await unlimited.call(route.method, address(prefix, route), token=token)
            if answer.status_code not in (401, 403):
                enough[prefix + row_name(route)].append(scope)
            elif (answer.status_code, answer.json()) != (403, refusal):
                wrongly_told.append((row_name(route), scope, answer.text))
    assert enough == {prefix + row_name(route): [route.scope] for prefix, route in ROWS}
    assert wrongly_told == []


async def test_every_scope_but_that_of_the_row_is_not_enough(unlimited: World) -> None:
    tokens = {needed: await unlimited.new_token(*(set(SCOPES) - {needed})) for needed in SCOPES}
    told = {
        row_name(route): (
            await unlimited.call(route.method, address(prefix, route), token=tokens[route.scope])
        ).status_code
        for prefix, route in ROWS
    }
    assert told == dict.fromkeys(told, 403)


# What changes nothing although it is a POST.
READING_POSTS = {"/referrals/validate", "/gift-cards/validate"}


@pytest.mark.parametrize(("prefix", "route"), [pytest.param(*row, id=row_name(row[1])) for row in ROWS])
def test_a_row_names_the_scope_of_its_group_and_kind(prefix: str, route: Route) -> None:
    is_reading = route.method == "GET" or route.path in READING_POSTS
    group = route.path.split("/")[1] if prefix == EXTERNAL else "store"
    assert route.scope in SCOPES
    assert route.scope == f"{'webhooks' if group == 'events' else group}:{'read' if is_reading else 'write'}"


async def test_a_token_without_any_scope_is_known_but_may_nothing(world: World) -> None:
    token = await world.new_token()
    assert (await world.get("/referrals/tiers", token=token)).status_code == 403


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER ", "Bearer   "])
async def test_the_scheme_is_written_in_any_case(world: World, scheme: str) -> None:
    answer = await world.http.get(EXTERNAL + "/referrals/tiers", headers={"Authorization": f"{scheme}{world.token}"})
    assert answer.status_code == 200


@pytest.mark.parametrize(("scopes", "status"), [(("metrics:read",), 200), (set(SCOPES) - {"metrics:read"}, 403)])
async def test_metrics_need_a_token_with_their_scope(world: World, scopes: Any, status: int) -> None:
    token = await world.new_token(*scopes)
    answer = await world.http.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == status


async def test_metrics_are_not_for_everybody(world: World) -> None:
    answer = await world.http.get("/metrics")
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert answer.json() == UNAUTHORIZED


# Revocation, expiry and the cache


async def test_a_revoked_token_is_refused_at_once_after_it_was_forgotten(world: World) -> None:
    secret = await world.new_token("referrals:read")
    before = await world.get("/referrals/tiers", token=secret)
    token_id = (await stored(world, secret)).id
    await access.revoke_token(world.deps, token_id)
    world.tokens.forget(token_id)
    after = await world.get("/referrals/tiers", token=secret)
    assert (before.status_code, after.status_code) == (200, 401)


async def test_forgetting_one_token_does_not_shut_out_another(world: World) -> None:
    secret = await world.new_token("referrals:read")
    await world.get("/referrals/tiers", token=secret)
    world.tokens.forget((await stored(world, world.token)).id)
    assert (await world.get("/referrals/tiers", token=secret)).status_code == 200


async def test_a_token_revoked_by_another_process_is_refused_after_five_seconds(world: World) -> None:
    secret = await world.new_token("referrals:read")
    await world.get("/referrals/tiers", token=secret)
    await access.revoke_token(world.deps, (await stored(world, secret)).id)
    world.clock.advance(5 * SECOND)
    assert (await world.get("/referrals/tiers", token=secret)).status_code == 401


async def test_using_a_token_does_not_put_off_the_next_look_at_it(world: World) -> None:
    secret = await world.new_token("referrals:read")
    statuses = []
    for second in range(7):
        if second == 1:
            await access.revoke_token(world.deps, (await stored(world, secret)).id)
        statuses.append((await world.get("/referrals/tiers", token=secret)).status_code)
        world.clock.advance(SECOND)
    assert statuses == [200] * 5 + [401] * 2


async def test_a_token_made_a_moment_ago_is_known_although_it_was_asked_for_before(world: World) -> None:
    # The world counts what it makes: its own token, the id of the request below, and then this.
    next_secret = f"lk_secret-{3:036d}"
    before = await world.get("/referrals/tiers", token=next_secret)
    made = await world.new_token("referrals:read")
    after = await world.get("/referrals/tiers", token=made)
    assert (made, before.status_code, after.status_code) == (next_secret, 401, 200)


@pytest.mark.parametrize(("passed", "status"), [(DAY - 1, 200), (DAY, 401), (DAY + 1, 401)])
async def test_a_token_expires_to_the_microsecond(world: World, passed: int, status: int) -> None:
    secret = await world.new_token("referrals:read", expires_in_days=1)
    world.clock.advance(passed)
    assert (await world.get("/referrals/tiers", token=secret)).status_code == status


async def test_a_remembered_token_expires_to_the_microsecond_too(world: World) -> None:
    secret = await world.new_token("referrals:read", expires_in_days=1)
    world.clock.advance(DAY - 1)
    last = await world.get("/referrals/tiers", token=secret)
    world.clock.advance(1)
    late = await world.get("/referrals/tiers", token=secret)
    assert (last.status_code, late.status_code) == (200, 401)


async def test_a_token_without_an_end_stays_valid(world: World) -> None:
    world.clock.advance(36500 * DAY)
    assert (await world.get("/referrals/tiers")).status_code == 200


# When a token was used last


async def uses(world: World, secret: str, *pauses: int) -> list[int | None]:
    """When the token was noted as used, after each of several uses; the pause goes before the use."""
    noted: list[int | None] = []
    for pause in pauses:
        world.clock.advance(pause)
        await world.get("/referrals/tiers", token=secret)
        await world.tokens.note_uses()
        noted.append((await stored(world, secret)).last_used_at)
    return noted


async def test_a_new_token_was_never_used(world: World) -> None:
    assert (await stored(world, world.token)).last_used_at is None


async def test_the_use_of_a_token_is_noted_at_most_once_a_minute(world: World) -> None:
    start = world.clock.now()
    noted = await uses(world, world.token, 0, 30 * SECOND, 29 * SECOND, 6 * SECOND, 54 * SECOND, 6 * SECOND)
    assert noted == [start + seconds * SECOND for seconds in (0, 0, 0, 65, 65, 125)]


async def test_only_the_tokens_that_were_used_are_noted(world: World) -> None:
    other = await world.new_token("referrals:read")
    await uses(world, world.token, 0)
    assert (await stored(world, other)).last_used_at is None


# In whose name


async def whose(call: Call[None, None]) -> Reply:
    return Reply({"user_id": call.token.user_id})


WHOSE = Group("Test", "Who calls.", (Route("GET", "/whose", whose, "fraud:read", "Who calls", only_message("")),))


async def caller(world: World, secret: str) -> Any:
    """The user a handler is told, over the same edge with another row."""
    tokens = Tokens(world.deps)
    pages = Probes(world.deps, tokens, Metrics(), {}, {}).app()
    api = Api(world.deps, (WHOSE,), tokens, Limits(world.deps.limiter, 60, 60), Metrics(), pages)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://store.test") as client:
        answer = await client.get(EXTERNAL + "/whose", headers={"Authorization": f"Bearer {secret}"})
    return answer.json()["data"]["user_id"]


async def test_a_token_made_without_a_user_acts_for_the_owner(world: World) -> None:
    async with world.db.read() as tx:
        owner = await storage.owner(tx)
    assert owner
    assert await caller(world, world.token) == owner.id


async def test_a_token_acts_for_the_user_it_was_made_for(world: World) -> None:
    anna = await access.add_user(world.deps, "Anna@store.test", "Anna")
    ben = await access.add_user(world.deps, "ben@store.test", "Ben")
    for_anna = await world.new_token("fraud:read", user_email="anna@store.test")
    for_ben = await world.new_token("fraud:read", user_email="BEN@store.test")
    assert [await caller(world, for_anna), await caller(world, for_ben)] == [anna.id, ben.id]
