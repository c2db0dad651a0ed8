"""How often one may fail to sign in: by account, network and browser, with pauses that grow."""

from __future__ import annotations

import asyncio

import pytest

from lootkeep.domain.attempts import FIRST_PAUSE, FORGIVEN_EVERY, MAX_PAUSE, FailureCount, after_failure
from lootkeep.kernel.clock import HOUR, MINUTE, SECOND, Instant
from lootkeep.kernel.errors import RateLimited
from lootkeep.services import sign_in as sign_in_service
from lootkeep.services.attempts import PER_ACCOUNT, PER_ACCOUNT_AND_NETWORK, PER_BROWSER, PER_NETWORK
from lootkeep.storage.access import attempts as attempts_db
from lootkeep.storage.engine.database import Engine
from tests.console.visits import EMAIL, PASSWORD, Visitor, first_owner, signs_in, visitor
from tests.world import World

WRONG = "something else entirely"


def network(number: int) -> str:
    return f"198.51.{number}.7"


async def fail(world: World, times: int, **options: str) -> list[int]:
    return [(await signs_in(world, WRONG, **options))[0] for _ in range(times)]


def test_each_failure_after_the_free_ones_doubles_the_pause_up_to_an_hour_and_time_forgives_them() -> None:
    count, pauses = FailureCount("", 0, Instant(0), Instant(0)), []
    for _ in range(14):
        count = after_failure(count, 5, Instant(0))
        pauses.append(count.paused_until // MINUTE)
    assert pauses == [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]
    assert after_failure(count, 5, Instant(12 * FORGIVEN_EVERY)).failures == 3


def test_a_clock_that_was_set_back_does_not_make_anyone_wait_longer_than_the_greatest_pause() -> None:
    count = FailureCount("", 9, Instant(100 * HOUR), Instant(101 * HOUR))
    assert (count.pause(Instant(0)), count.pause(Instant(100 * HOUR))) == (0, MAX_PAUSE)


async def test_guesses_from_one_network_pause_the_account_there_and_nowhere_else(world: World) -> None:
    await first_owner(world)
    assert await fail(world, PER_ACCOUNT_AND_NETWORK + 1, ip=network(1)) == [422] * PER_ACCOUNT_AND_NETWORK + [429]
    assert (await signs_in(world, ip=network(1)))[0] == 429
    assert (await signs_in(world, ip=network(2)))[0] == 303


async def test_a_pause_grows_with_each_failure_and_ends_with_a_success(world: World) -> None:
    await first_owner(world)
    await fail(world, PER_ACCOUNT_AND_NETWORK)
    world.clock.advance(FIRST_PAUSE)
    assert await fail(world, 2) == [422, 429]
    world.clock.advance(FIRST_PAUSE)
    assert (await signs_in(world))[0] == 429
    world.clock.advance(FIRST_PAUSE)
    assert (await signs_in(world))[0] == 303
    assert await fail(world, PER_ACCOUNT_AND_NETWORK) == [422] * PER_ACCOUNT_AND_NETWORK


async def test_a_pause_says_how_long_it_is(world: World) -> None:
    await first_owner(world)
    await fail(world, PER_ACCOUNT_AND_NETWORK)
    world.clock.advance(SECOND)
    visits = await visitor(world, None)
    answer = await visits.post("/sign-in", on="/sign-in", email=EMAIL, password=PASSWORD)
    assert "Too many attempts. Try again in 59 seconds." in answer.text


async def test_a_known_browser_signs_in_however_many_strangers_guess(world: World) -> None:
    known = await first_owner(world)
    await known.post("/sign-out")
    for number in range(PER_ACCOUNT):
        await fail(world, 1, ip=network(number))
    assert (await signs_in(world, ip=network(99)))[0] == 429
    assert await sign_in_again(known, WRONG) == 422
    assert await sign_in_again(known, PASSWORD) == 303


async def test_a_known_browser_has_a_count_of_its_own(world: World) -> None:
    known = await first_owner(world)
    await known.post("/sign-out")
    answers = [await sign_in_again(known, WRONG) for _ in range(PER_BROWSER + 1)]
    assert answers == [422] * PER_BROWSER + [429]
    assert (await signs_in(world))[0] == 303


async def test_a_browser_is_known_only_for_its_user_and_only_if_we_signed_it(world: World) -> None:
    await first_owner(world)
    deps = world.deps
    ours = sign_in_service.name_browser(deps, 1)
    forged = "1:guess." + ours.rpartition(".")[2]
    assert [sign_in_service.is_browser_of(deps, 1, name) for name in (ours, forged, "", "1:x", "²")] == [True] + [
        False
    ] * 4
    assert not sign_in_service.is_browser_of(deps, 2, ours)


async def test_guesses_at_many_accounts_pause_the_network(world: World) -> None:
    await first_owner(world)
    emails = [f"b{number}@store.example" for number in range(PER_NETWORK + 1)]
    answers = [(await fail(world, 1, email=email, ip=network(1)))[0] for email in emails]
    assert answers == [422] * PER_NETWORK + [429]
    assert (await signs_in(world, ip=network(1)))[0] == 429
    assert (await signs_in(world, ip=network(2)))[0] == 303


async def test_someone_who_signs_in_does_not_end_the_pause_of_the_network_and_does_not_cause_one(world: World) -> None:
    await first_owner(world)
    assert {(await signs_in(world, ip=network(1)))[0] for _ in range(PER_NETWORK + 5)} == {303}
    for number in range(PER_NETWORK - 1):
        await fail(world, 1, email=f"b{number}@store.example", ip=network(1))
    assert (await signs_in(world, ip=network(1)))[0] == 303
    assert await fail(world, 2, email="c@store.example", ip=network(1)) == [422, 429]


async def test_guesses_at_one_time_links_pause_the_network(world: World) -> None:
    form = {"link": "guess", "password": PASSWORD, "repeated": PASSWORD}
    statuses = []
    for _ in range(PER_NETWORK + 1):
        visits = await visitor(world, None)
        statuses.append((await visits.post("/setup", on="/sign-in", **form)).status_code)
    assert statuses[:-1] == [422] * PER_NETWORK
    with pytest.raises(RateLimited):
        await sign_in_service.use_link(world.deps, "guess", PASSWORD, email="", name="", ip="127.0.0.1")


async def test_attempts_at_the_same_time_are_all_counted(world: World) -> None:
    await first_owner(world)
    answers = await asyncio.gather(*(signs_in(world, WRONG) for _ in range(2 * PER_ACCOUNT_AND_NETWORK)))
    assert sorted(status for status, _ in answers) == [422] * PER_ACCOUNT_AND_NETWORK + [429] * PER_ACCOUNT_AND_NETWORK


async def test_all_processes_have_one_count(world: World, db: Engine) -> None:
    await first_owner(world)
    other = World(db, clock=world.clock)
    await fail(world, PER_ACCOUNT_AND_NETWORK)
    assert (await signs_in(other))[0] == 429


async def test_old_counts_are_deleted(world: World) -> None:
    await fail(world, 1)
    async with world.db.write() as tx:
        before = [
            await attempts_db.purge(tx, world.clock.now()),
            await attempts_db.purge(tx, Instant(world.clock.now() + 1)),
        ]
    assert before == [0, 3]


async def sign_in_again(visits: Visitor, password: str) -> int:
    return (await visits.post("/sign-in", on="/sign-in", email=EMAIL, password=password)).status_code
