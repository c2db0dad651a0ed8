"""The life of a token: revoked, expired, noted as used, and in whose name it acts."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from lootkeep.api.http.app import Api
from lootkeep.api.http.auth import Tokens
from lootkeep.api.http.limits import Limits
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.probes import Probes
from lootkeep.api.http.router import Router
from lootkeep.api.http.routes import Call, Group, Reply, Route, only_message
from lootkeep.kernel.clock import DAY, SECOND, Instant
from lootkeep.kernel.errors import NotFound
from lootkeep.services import access as access_service
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.engine.database import Engine
from tests.api.tokens import stored
from tests.world import EXTERNAL, World

# Revocation, expiry and the cache


async def test_a_revoked_token_is_rejected_at_once(world: World) -> None:
    secret = await world.new_token("referrals:read")
    before = await world.get("/referrals/tiers", token=secret)
    await access_service.revoke_token(world.deps, (await stored(world, secret)).id)
    after = await world.get("/referrals/tiers", token=secret)
    assert (before.status_code, after.status_code) == (200, 401)


async def test_a_cached_token_is_looked_up_again_after_five_seconds(db: Engine) -> None:
    world = World(db, token_version=lambda: 1)
    await world.begin()
    secret = await world.new_token("referrals:read")
    statuses = []
    for second in range(7):
        if second == 1:
            await access_service.revoke_token(world.deps, (await stored(world, secret)).id)
        statuses.append((await world.get("/referrals/tiers", token=secret)).status_code)
        world.clock.advance(SECOND)
    await world.close()
    assert statuses == [200] * 5 + [401] * 2


async def test_a_cached_token_is_looked_up_again_although_the_clock_was_set_back(db: Engine) -> None:
    world = World(db, token_version=lambda: 1)
    await world.begin()
    secret = await world.new_token("referrals:read")
    before = await world.get("/referrals/tiers", token=secret)
    await access_service.revoke_token(world.deps, (await stored(world, secret)).id)
    world.clock.set_to(Instant(world.clock.now() - DAY))
    world.clock.advance(5 * SECOND)
    after = await world.get("/referrals/tiers", token=secret)
    await world.close()
    assert (before.status_code, after.status_code) == (200, 401)


async def test_a_token_is_revoked_once_and_keeps_the_time(world: World) -> None:
    token = await stored(world, secret := await world.new_token("referrals:read"))
    assert await access_service.revoke_token(world.deps, token.id) is True
    first = (await stored(world, secret)).revoked_at
    world.clock.advance(SECOND)
    assert await access_service.revoke_token(world.deps, token.id) is False
    assert first is not None
    assert (await stored(world, secret)).revoked_at == first
    with pytest.raises(NotFound):
        await access_service.revoke_token(world.deps, token.id + 1)


async def test_a_header_padded_with_spaces_is_accepted_but_not_cached(db: Engine) -> None:
    world = World(db, token_version=lambda: 1)
    await world.begin()
    secret = await world.new_token("referrals:read")
    padded = " " * 300 + secret
    before = await world.get("/referrals/tiers", token=padded)
    await access_service.revoke_token(world.deps, (await stored(world, secret)).id)
    after = await world.get("/referrals/tiers", token=padded)
    await world.close()
    assert (before.status_code, after.status_code) == (200, 401)


async def test_a_new_token_is_accepted_although_it_was_rejected_before_its_creation(world: World) -> None:
    # The world counts what it makes: its own token, the id of the request below, and then this.
    next_secret = f"lk_secret-{3:036d}"
    before = await world.get("/referrals/tiers", token=next_secret)
    token = await world.new_token("referrals:read")
    after = await world.get("/referrals/tiers", token=token)
    assert (token, before.status_code, after.status_code) == (next_secret, 401, 200)


@pytest.mark.parametrize(("passed", "status"), [(DAY - 1, 200), (DAY, 401), (DAY + 1, 401)])
async def test_a_token_expires_to_the_microsecond(world: World, passed: int, status: int) -> None:
    secret = await world.new_token("referrals:read", expires_in_days=1)
    world.clock.advance(passed)
    assert (await world.get("/referrals/tiers", token=secret)).status_code == status


async def test_a_cached_token_expires_to_the_microsecond_too(world: World) -> None:
    secret = await world.new_token("referrals:read", expires_in_days=1)
    world.clock.advance(DAY - 1)
    last = await world.get("/referrals/tiers", token=secret)
    world.clock.advance(1)
    late = await world.get("/referrals/tiers", token=secret)
    assert (last.status_code, late.status_code) == (200, 401)


async def test_a_token_without_an_expiry_stays_valid(world: World) -> None:
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


async def test_a_new_token_has_no_last_use(world: World) -> None:
    assert (await stored(world, world.token)).last_used_at is None


async def test_the_use_of_a_token_is_noted_at_most_once_a_minute(world: World) -> None:
    start = world.clock.now()
    noted = await uses(world, world.token, 0, 30 * SECOND, 29 * SECOND, 6 * SECOND, 54 * SECOND, 6 * SECOND)
    assert noted == [start + seconds * SECOND for seconds in (0, 0, 0, 65, 65, 125)]


async def test_a_use_is_noted_although_the_clock_was_set_back(world: World) -> None:
    await uses(world, world.token, 0)
    world.clock.set_to(Instant(world.clock.now() - DAY))
    assert await uses(world, world.token, 6 * SECOND) == [world.clock.now()]


async def test_only_the_tokens_that_were_used_are_noted(world: World) -> None:
    other_token = await world.new_token("referrals:read")
    await uses(world, world.token, 0)
    assert (await stored(world, other_token)).last_used_at is None


# In whose name


async def whose(call: Call[None, None]) -> Reply:
    return Reply({"user_id": call.token.user_id})


WHOSE = Group("Test", "Who calls.", (Route("GET", "/whose", whose, "fraud:read", "Who calls", only_message("")),))


async def caller(world: World, secret: str) -> Any:
    """The user a handler gets, over the same edge with another row."""
    tokens = Tokens(world.deps, lambda: None)
    pages = Probes(world.deps, tokens, world.limits, Metrics(), {}, dict).app()
    api = Api(world.deps, Router(WHOSE.routes_below), tokens, Limits(world.deps.limiter, 60, 60), Metrics(), pages)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://store.test") as client:
        answer = await client.get(EXTERNAL + "/whose", headers={"Authorization": f"Bearer {secret}"})
    return answer.json()["data"]["user_id"]


async def test_a_token_created_without_a_user_acts_for_the_owner(world: World) -> None:
    async with world.db.read() as tx:
        owner = await access_db.owner(tx)
    assert owner
    assert await caller(world, world.token) == owner.id


async def test_a_token_acts_for_the_user_it_was_created_for(world: World) -> None:
    anna = await access_service.add_user(world.deps, "Anna@store.test", "Anna")
    ben = await access_service.add_user(world.deps, "ben@store.test", "Ben")
    for_anna = await world.new_token("fraud:read", user_email="anna@store.test")
    for_ben = await world.new_token("fraud:read", user_email="BEN@store.test")
    assert [await caller(world, for_anna), await caller(world, for_ben)] == [anna.id, ben.id]
