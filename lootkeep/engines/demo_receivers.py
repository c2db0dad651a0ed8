"""The receivers of the demo store: they answer inside the process, as they did during its year."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from lootkeep.domain.addresses import IpNetwork
from lootkeep.domain.deliveries import AttemptResult
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.resolver import AddressInfo, NotResolved, Resolver
from lootkeep.kernel.clock import Clock, Instant

# A domain that can never exist: nothing of the demo leaves the process.
_DOMAIN = ".pixelforge.example/"
BOT = f"https://bot{_DOMAIN}"
STATISTICS = f"https://statistics{_DOMAIN}"
OLD_BOT = f"https://old-bot{_DOMAIN}"


def is_of_demo(url: str) -> bool:
    return url in (BOT, STATISTICS, OLD_BOT)


class NoAddresses(Resolver):
    """For an open house: whatever is to be reached has no address, so nothing leaves the machine."""

    async def resolve(self, host: str, port: int) -> list[AddressInfo]:
        raise NotResolved("nothing leaves an open house")


class DemoReceivers(Outbound):
    """One works, one was replaced, and one has lost its path; all other URLs are those of real receivers."""

    def __init__(
        self,
        rng: Random,
        clock: Clock,
        fails_from: Instant,
        allowed: Sequence[IpNetwork] = (),
        resolver: Resolver | None = None,
    ) -> None:
        super().__init__(allowed, resolver=resolver)
        self._rng = rng
        self._clock = clock
        self._fails_from = fails_from

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> AttemptResult:
        if not is_of_demo(url):
            return await super().post(url, body, headers)
        latency = self._rng.randrange(18, 240)
        if url == OLD_BOT:
            return AttemptResult(False, 410, latency, "answered 410, gone for good", "This endpoint has moved.")
        if url == STATISTICS and self._clock.now() > self._fails_from:
            return AttemptResult(False, 404, latency, "answered 404", "No such path.")
        if self._rng.random() < 0.04:
            return AttemptResult(False, 503, latency, "answered 503", "Down for maintenance.")
        return AttemptResult(True, 200, latency, None, "received")
