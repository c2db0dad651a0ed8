"""A year of made-up orders: the same for a size, every time. Most are honest, some come in rings or in a rush."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address

from bench.people import END
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND, Instant

YEAR = 365 * DAY

# The last orders, of as many accounts within the hour at one address, on one device: at every size the same.
RUSH = 200
RUSH_ADDRESS = "203.0.113.99"
RUSH_DEVICE = "rush"

# Everyone who orders from here is one of many: carriers and cafés, and one mailbox with a tag for each account.
BUSY = 5
COLLECTOR = "collector"

_RING = 6
_PAUSE = 4 * SECOND
_AGENTS = ("Mozilla/5.0 Firefox/128.0", "Mozilla/5.0 Chrome/126.0", "Mozilla/5.0 Safari/17.5", "curl/8.0", None)
_AGENT_WEIGHTS = (40, 40, 16, 2, 2)
_COUNTRIES = ("DE", "US", "BR", "KR", None)
_KINDS = ("regular", "new", "address", "device", "collector", "ring")
_KIND_WEIGHTS = (62, 28, 3, 4, 2, 1)


@dataclass(frozen=True, slots=True)
class BenchBuyer:
    """A customer with an address and a device of their own."""

    id: int
    email: str
    created_at: Instant

    @property
    def name(self) -> str:
        return f"Buyer {self.id}"

    @property
    def address(self) -> str:
        # The factor is odd, so no two meet; from 16.0.0.0 on.
        return str(IPv4Address((16 << 24) + self.id * 2_654_435_761 % 2**30))

    @property
    def device(self) -> str:
        return f"d{self.id}"


@dataclass(frozen=True, slots=True)
class Purchase:
    """An order, and where it came from."""

    buyer: BenchBuyer
    at: Instant
    address: str
    device: str
    user_agent: str | None
    billing_country: str | None


def purchases(size: int) -> Iterator[Purchase]:
    """This many, in the order of time; customers have the numbers in which they first order."""
    return _Crowd(size).orders()


class _Crowd:
    def __init__(self, size: int) -> None:
        self._size = size
        self._chance = random.Random(size)
        self._regulars: list[BenchBuyer] = []
        self._count = 0

    def orders(self) -> Iterator[Purchase]:
        before, count = self._size - RUSH, 0
        # A little room for the rings, which are several orders in a row.
        step = (YEAR - DAY) // before
        while count < before:
            (kind,) = self._chance.choices(_KINDS, _KIND_WEIGHTS)
            at = END - YEAR + count * step + self._chance.randrange(step // 8)
            orders = min(_RING if kind == "ring" else 1, before - count)
            for index in range(orders):
                yield self._order(kind, at + index * _PAUSE)
            count += orders
        for index in range(RUSH):
            at = END - HOUR + (index + 1) * 15 * SECOND
            yield self._purchase(self._new(at - DAY * 40), at, RUSH_ADDRESS, RUSH_DEVICE)

    def _order(self, kind: str, at: int) -> Purchase:
        if kind == "regular" and self._regulars:
            buyer = self._chance.choice(self._regulars)
            return self._purchase(buyer, at, buyer.address, buyer.device)
        if kind == "ring":
            buyer = self._new(at - SECOND)
            number = at // MINUTE
            return self._purchase(buyer, at, f"198.18.{number % 256}.{number // 256 % 256}", f"ring{number}")
        if kind == "collector":
            buyer = self._new(at - 3 * DAY, collects=True)
            return self._purchase(buyer, at, buyer.address, buyer.device)
        buyer = self._new(at - self._chance.choice((30 * SECOND, 30 * MINUTE, 9 * HOUR, 9 * DAY, 90 * DAY)))
        self._regulars.append(buyer)
        number = self._chance.randrange(BUSY)
        address = f"192.0.2.{number}" if kind == "address" else buyer.address
        return self._purchase(buyer, at, address, f"shared{number}" if kind == "device" else buyer.device)

    def _new(self, created_at: int, *, collects: bool = False) -> BenchBuyer:
        self._count += 1
        name = f"{COLLECTOR}+{self._count}" if collects else f"b{self._count}"
        return BenchBuyer(
            self._count, f"{name}@mail{self._count % 7 if not collects else 1}.example", Instant(created_at)
        )

    def _purchase(self, buyer: BenchBuyer, at: int, ip: str, device: str) -> Purchase:
        (agent,) = self._chance.choices(_AGENTS, _AGENT_WEIGHTS)
        return Purchase(buyer, Instant(at), ip, device, agent, self._chance.choice(_COUNTRIES))
