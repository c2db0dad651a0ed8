"""Name lookups: one lookup per host, a deadline, a short cache, and no silent host blocks another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from lootkeep.domain.webhooks import LOOPBACK
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.resolver import AddressInfo, NotResolved, Resolver
from tests.engines.name_servers import StubNames
from tests.engines.posting import BODY, HEADERS
from tests.receiver import PATIENCE_SECONDS, Receiver

SOON = 0.05


@pytest.fixture
async def names() -> AsyncIterator[StubNames]:
    names = StubNames()
    yield names
    names.speak.set()


def patient(names: StubNames, memory_seconds: float = PATIENCE_SECONDS) -> Resolver:
    """One that waits for the threads of a busy machine."""
    return Resolver(names.look_up, deadline_seconds=PATIENCE_SECONDS, memory_seconds=memory_seconds)


def dialled(addresses: list[AddressInfo]) -> list[tuple[str, int]]:
    return [info[4][:2] for info in addresses]


async def reason(resolver: Resolver, host: str) -> str:
    with pytest.raises(NotResolved) as caught:
        await resolver.resolve(host, 443)
    return str(caught.value)


async def resolved(resolver: Resolver, host: str) -> list[AddressInfo]:
    """A late answer serves the next caller."""
    while True:
        try:
            return await resolver.resolve(host, 443)
        except NotResolved:
            await asyncio.sleep(0)


async def test_concurrent_callers_share_one_lookup_of_a_host_for_any_port(names: StubNames) -> None:
    resolver = patient(names)
    ips = await asyncio.gather(*(resolver.resolve("shop.example", port) for port in range(1, 51)))
    assert [dialled(addresses) for addresses in ips] == [[("127.0.0.1", port)] for port in range(1, 51)]
    assert names.asked == {"shop.example": 1}


async def test_a_hundred_silent_hosts_do_not_block_the_next_lookup(names: StubNames) -> None:
    resolver = patient(names)
    silent = [asyncio.create_task(resolver.resolve(f"silent{number}.example", 443)) for number in range(100)]
    while names.asked.total() < 100:
        await asyncio.sleep(0)
    assert dialled(await resolver.resolve("shop.example", 443)) == [("127.0.0.1", 443)]
    assert not any(task.done() for task in silent)
    names.speak.set()
    await asyncio.gather(*silent)


async def test_a_silent_host_times_out_and_occupies_only_one_thread(
    names: StubNames,
) -> None:
    resolver = Resolver(names.look_up, deadline_seconds=SOON)
    reasons = [await reason(resolver, "silent.example") for _ in range(10)]
    assert set(reasons) == {"the host name was not resolved within 0.05 s"}
    assert names.asked == {"silent.example": 1}


async def test_a_late_answer_serves_the_next_caller(names: StubNames) -> None:
    resolver = Resolver(names.look_up, deadline_seconds=SOON)
    await reason(resolver, "silent.example")
    names.speak.set()
    addresses = await resolved(resolver, "silent.example")
    assert (dialled(addresses), names.asked.total()) == ([("127.0.0.1", 443)], 1)


async def test_a_cancelled_caller_does_not_cancel_the_lookup_for_others(names: StubNames) -> None:
    resolver = patient(names)
    first, second = (asyncio.create_task(resolver.resolve("silent.example", 443)) for _ in range(2))
    while not names.asked:
        await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait({first})
    names.speak.set()
    assert dialled(await second) == [("127.0.0.1", 443)]


async def test_failures_and_answers_are_remembered_for_a_short_time(names: StubNames) -> None:
    remembering = patient(names)
    for _ in range(5):
        assert await reason(remembering, "unknown.example") == "the host name cannot be resolved"
        await remembering.resolve("shop.example", 443)
    assert names.asked == {"unknown.example": 1, "shop.example": 1}
    names.asked.clear()
    resolver = patient(names, SOON)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while names.asked["unknown.example"] < 2 or names.asked["shop.example"] < 2:
            await reason(resolver, "unknown.example")
            await resolver.resolve("shop.example", 443)
            await asyncio.sleep(0.01)


async def test_beyond_the_limit_new_names_fail_at_once_while_cached_names_and_ips_are_served(
    names: StubNames,
) -> None:
    resolver = Resolver(names.look_up, deadline_seconds=SOON, memory_seconds=PATIENCE_SECONDS, max_threads=3)
    await resolved(resolver, "shop.example")
    for number in range(3):
        await reason(resolver, f"silent{number}.example")
    assert await reason(resolver, "other.example") == "too many host names are being looked up"
    assert dialled(await resolver.resolve("shop.example", 443)) == [("127.0.0.1", 443)]
    assert dialled(await resolver.resolve("::1", 443)) == [("::1", 443)]
    names.speak.set()
    assert dialled(await resolved(resolver, "other.example")) == [("127.0.0.1", 443)]


@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f.1", "::1", "2606:4700::1111"])
async def test_an_ip_address_is_not_looked_up(names: StubNames, host: str) -> None:
    await Resolver(names.look_up).resolve(host, 443)
    assert not names.asked


@pytest.mark.parametrize("host", ["a..example", "x" * 64 + ".example", "-", "nowhere.invalid"])
async def test_a_name_the_system_cannot_look_up_is_not_resolved(host: str) -> None:
    assert await reason(Resolver(), host) == "the host name cannot be resolved"


async def test_a_cached_ip_is_checked_like_any_other(names: StubNames, receiver: Receiver) -> None:
    names.ip = "10.0.0.1"
    outbound = Outbound((), None, patient(names))
    results = [await outbound.post(f"http://shop.example:{receiver.port}/", BODY, HEADERS) for _ in range(3)]
    await outbound.close()
    assert {result.reason for result in results} == {"the address is not public"}
    assert names.asked == {"shop.example": 1}


async def test_a_post_to_a_silent_name_says_that_it_was_not_resolved(names: StubNames) -> None:
    outbound = Outbound(LOOPBACK, None, Resolver(names.look_up, deadline_seconds=SOON))
    result = await outbound.post("http://silent.example/", BODY, HEADERS)
    await outbound.close()
    assert (result.is_delivered, result.reason) == (False, "the host name was not resolved within 0.05 s")
