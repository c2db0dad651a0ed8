"""What fraud detection adds to a checkout: judging orders of all kinds of buyers, and placing them as a whole."""

import os
import random
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
from msgspec.structs import replace

from bench import rules
from bench.buyers import COLLECTOR, RUSH_ADDRESS, RUSH_DEVICE, BenchBuyer
from bench.evidence import instrument
from bench.people import END
from bench.readings import OpenStore, opened
from bench.rows import PRICE
from bench.subjects import own_seconds
from lootkeep.deps import CurrentSettings, Deps
from lootkeep.domain.checkout import Cart, CartLine, PricedLine
from lootkeep.domain.customers import Customer
from lootkeep.domain.fraud.facts import Payment
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.webhooks import WebhookRules, reachable
from lootkeep.engines.intelligence import Intelligence
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.ratelimit.memory import MemoryRateLimiter
from lootkeep.engines.vault import Vault
from lootkeep.kernel.clock import SECOND, Instant, ManualClock
from lootkeep.kernel.ids import RandomIds
from lootkeep.kernel.money import Hundredths
from lootkeep.services import fraud_policy as fraud_policy_service, orders as orders_service
from lootkeep.services.orders import _checkout
from lootkeep.storage import settings as settings_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import history as fraud_history_db

# How many different buyers of each kind there are.
_BUYERS = 100
# Between two orders that are placed.
_PACE = 20 * SECOND
_NOW = Instant(END + SECOND)
_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
_LINES = [PricedLine(1, "VIP rank", None, "manual", 1, Hundredths(PRICE), Hundredths(PRICE))]

Visit = tuple[Cart, Customer]
Visits = dict[str, list[Visit]]


@dataclass(frozen=True)
class CallTimes:
    """Microseconds of each call."""

    cpu_us: list[float]
    wall_us: list[float]


async def visits_of(store: OpenStore) -> Visits:
    """Buyers about whom the store knows nothing, their own past, or a crowd."""
    chance = random.Random(store.size)
    by_kind: Visits = {"new": [], "regular": [], "crowd": [], "tagged": []}
    numbers = iter(chance.sample(range(1, store.size // 3), store.size // 4))
    async with store.engine.read() as tx:
        while any(len(visits) < _BUYERS for visits in by_kind.values()):
            customer = await customers_db.ROWS.get(tx, next(numbers))
            assert customer
            kind = "tagged" if customer.email.startswith(COLLECTOR) else _shortest(by_kind)
            if len(by_kind[kind]) < _BUYERS:
                by_kind[kind].append(_visit(kind, customer, store.size))
    return by_kind


def _shortest(visits: Visits) -> str:
    return min(("new", "regular", "crowd"), key=lambda kind: len(visits[kind]))


def _visit(kind: str, customer: Customer, size: int) -> Visit:
    if kind == "new":
        # Nobody has these numbers.
        number = size + customer.id
        fresh = replace(customer, id=number, email=f"b{number}@new.example", orders_count=0, created_at=_NOW)
        return _cart(fresh), fresh
    if kind == "crowd":
        return _cart(customer, address=RUSH_ADDRESS, device=RUSH_DEVICE), customer
    return _cart(customer), customer


def _cart(customer: Customer, *, address: str | None = None, device: str | None = None) -> Cart:
    own = BenchBuyer(customer.id, customer.email, customer.created_at)
    device = device or own.device
    payment = Payment(instrument=instrument(customer.id, device), country="DE")
    return Cart(customer.id, (CartLine(1, 1),), address or own.address, "DE", _AGENT, device, payment=payment)


async def judge(deps: Deps, tx: Transaction, visit: Visit) -> None:
    """As `services.orders.place` does it in its transaction, from reading the settings to the verdict."""
    (cart, customer), now = visit, deps.clock.now()
    version, policy = await settings_db.current(tx, SETTINGS, Policy)
    (history,) = await fraud_history_db.gather(tx, policy, [_checkout.buyer(cart, customer, "USD", now)])
    await _checkout.judge(deps, tx, cart, customer, _LINES, history, (version, policy), now)


async def set_rules(store: OpenStore) -> None:
    """The store's own rules, if it has none yet."""
    async with store.engine.write() as tx:
        policy = await settings_db.get_for_update(tx, SETTINGS, Policy, _NOW)
        if not policy.rules:
            await fraud_policy_service.save(tx, policy, replace(policy, rules=rules.rules()), _NOW)


async def spent(store: OpenStore, operation: Callable[[Visit], Awaitable[object]], visits: list[Visit]) -> CallTimes:
    """Call by call, so that the slowest are seen too."""
    times = CallTimes([], [])
    for visit in visits:
        before, started = _cpu(store), time.perf_counter()
        await operation(visit)
        times.wall_us.append((time.perf_counter() - started) * 1e6)
        times.cpu_us.append((_cpu(store) - before) * 1e6)
    return times


async def placing(engine: str, size: int, location: str, intelligence: Intelligence) -> CallTimes:
    """Live orders of all kinds of buyers, one after the other, each its own transaction, in a copy of the store."""
    async with copied(engine, location) as copy:
        store = await opened(engine, size, copy)
        by_kind = await visits_of(store)
        # A new buyer is not a customer yet.
        del by_kind["new"]
        mixed = [visit for visits in zip(*by_kind.values(), strict=True) for visit in visits]
        deps = deps_of(store, intelligence)
        clock = deps.clock
        assert isinstance(clock, ManualClock)

        async def place(visit: Visit) -> None:
            clock.advance(_PACE)
            await orders_service.place(deps, visit[0])

        await spent(store, place, mixed[:50])
        costs = await spent(store, place, mixed[50:])
        await store.engine.close()
        return costs


@asynccontextmanager
async def copied(engine: str, location: str) -> AsyncIterator[str]:
    """The same store again, to be thrown away."""
    if engine == "sqlite":
        copy = Path(location).with_suffix(f".copy{os.getpid()}")
        shutil.copyfile(location, copy)
        try:
            yield str(copy)
        finally:
            for path in copy.parent.glob(f"{copy.name}*"):
                path.unlink()
        return
    url, name = urlsplit(location), f"bench_{secrets.token_hex(6)}"
    admin = await asyncpg.connect(os.environ["LOOTKEEP_TEST_POSTGRES_URL"])
    await admin.execute(f"CREATE DATABASE {name} TEMPLATE {url.path[1:]} STRATEGY file_copy")
    try:
        yield url._replace(path=f"/{name}").geturl()
    finally:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


def deps_of(store: OpenStore, intelligence: Intelligence) -> Deps:
    rules = WebhookRules()
    return Deps(
        ManualClock(_NOW),
        RandomIds(),
        store.engine,
        MemoryRateLimiter(),
        Vault("k" * 32),
        Outbound(reachable(rules)),
        rules,
        CurrentSettings(),
        intelligence,
    )


def _cpu(store: OpenStore) -> float:
    return time.process_time() + (own_seconds(store.backend) if store.backend else 0.0)
