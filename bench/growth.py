"""What every endpoint and every page costs as a store grows, as CPU, on both engines.

Each is called in this process as a server calls it, without sockets, so that nothing constant hides growth; on
PostgreSQL the server's CPU counts too. Stores of all sizes take turns.
"""

import asyncio
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import structlog
import uvloop

from bench import grown
from bench.console import Caller, NotAnswered, furnish
from bench.lists import RARE
from bench.options import Options, progress
from bench.plots import Plot, Series
from bench.readings import OpenStore, opened
from bench.report import MISSED, Cell, SectionResult, Table, ratio, shown, verdict
from lootkeep import wiring
from lootkeep.console.pages import PAGES
from lootkeep.domain.access import SERVER_SCOPE
from lootkeep.kernel.clock import DAY, Instant, ManualClock, iso, utc
from lootkeep.kernel.ids import RandomIds
from lootkeep.services import sign_in as sign_in_service
from tests.console.visits import user
from tests.world import World

SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (1_000, 2_000)
ROUNDS = 7
# Times the cost in the smallest store; and milliseconds of what is deep: a page far down, whole months of checks, the
# medians of all tickets, a year of analytics, everything about a person or a product.
MAX_TIMES, MAX_DEEP_MS = 2.0, 150.0
# And of reports that are opened rarely, over all buyers and all checks.
MAX_RARE_MS, RARELY = 1000.0, ("/analytics/growth", "/fraud/signals")
DEEP = (
    "middle page",
    "analytics",
    "dashboard",
    "tickets/stats",
    "/products/{id}",
    "preview",
    "audience",
    "/campaigns/{id}",
)
PER_PAGE = 15
# The store has nothing with this id: no campaign was sent, no key was made.
NO_EXAMPLE = 404
# A round of something fast is about this long.
ROUND_SECONDS = 0.02
# By the beginning of a path, what the store has there; what furnish adds comes from it.
IDS = {"webhooks/deliveries": "wh_7", "deliveries": "wh_7", "webhooks": str(grown.WEBHOOK), "users": "1"}
NEEDED = {"fraud/explain": "?ip=203.0.113.9", "email-campaigns/{id}/preview": "?customer_id=7", "search": f"?q={RARE}"}
ALERT = {"name": "Team", "channel": "slack", "target": "https://hooks.example/slack", "triggers": ["order_held"]}
# Reached before signing in.
_OPEN = re.compile(r"/(sign-in|setup)\b")
_PARAMETER = re.compile(r"\{\w+\}")

TEXT = f"""CPU of every GET endpoint and every page of the console in stores of different sizes, called without
sockets. The size is the number of customers, products, orders with their checks, campaigns, gift cards, tickets,
subscriptions, claimed rewards, events and deliveries each. The largest store may cost {MAX_TIMES:.0f} times what the
smallest costs; a deep page, whole months of checks, the medians of all tickets and a year of analytics up to
{MAX_DEEP_MS:.0f} ms of CPU, the reports on growth and on signals up to {MAX_RARE_MS:,.0f} ms."""


@dataclass(frozen=True)
class GrownStore:
    """A store of one size that is open, and who calls it."""

    size: int
    world: World
    api: Caller
    console: Caller
    ids: dict[str, str]
    store: OpenStore

    def caller(self, path: str) -> Caller:
        return self.console if path.startswith("/console") else self.api


def measure(options: Options) -> SectionResult:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    sizes = options.rows or (QUICK_SIZES if options.is_quick else SIZES)
    tables, plots = [], []
    for engine in options.engines:
        locations = [asyncio.run(grown.store(engine, size)) for size in sizes]
        rows, left_out = uvloop.run(_compare(engine, dict(zip(sizes, locations, strict=True)), options))
        note = f"Not measured, as the store has no example: {', '.join(left_out)}." if left_out else ""
        columns = [engine, *(f"ms with {size:,}" for size in sizes), "times", "half in", ""]
        tables.append(Table(f"{engine}: CPU in ms", columns, rows, note))
        costs = {
            str(row[0]): [float(cell) for cell in row[1:] if isinstance(cell, float)][: len(sizes)] for row in rows
        }
        largest = sorted((name for name in costs if costs[name]), key=lambda name: -costs[name][-1])[:20]
        series: Series = {name: list(zip(sizes, costs[name], strict=True)) for name in largest}
        title = f"The twenty most expensive endpoints and pages, {engine}"
        plots.append(Plot(f"growth-{engine}", title, "ms of CPU", series, {"150 ms": MAX_DEEP_MS}, is_lines=True))
    return SectionResult(tables, plots)


async def _compare(engine: str, locations: dict[int, str], options: Options) -> tuple[list[list[Cell]], list[str]]:
    stores = [await open_store(engine, size, location, grown.END) for size, location in locations.items()]
    for each in stores:
        await _example(each.world, f"/webhooks/{grown.WEBHOOK}/replay", {"since": iso(Instant(grown.END - DAY))})
    return await compare(engine, stores, options)


async def compare(engine: str, stores: list[GrownStore], options: Options) -> tuple[list[list[Cell]], list[str]]:
    rows, left_out = [], []
    for name, template in paths(stores[-1].world.clock.now()):
        row = await compare_path(name, template, stores, options.rounds_or(ROUNDS))
        if row:
            rows.append(row)
            progress(f"{engine}: {name} {shown(row[-3])} times, {shown(row[-4])} ms, {row[-2]}")
        else:
            left_out.append(f"`{name}`")
    for each in stores:
        await each.world.close()
        await each.world.db.close()
    return rows, left_out


async def open_store(engine: str, size: int, location: str, now: Instant) -> GrownStore:
    opened_store = await opened(engine, size, location)
    world = World(opened_store.engine, clock=ManualClock(now), ids=RandomIds(), rate_limit_per_minute=0)
    await world.begin()
    ids = await furnish(world)
    alert = await _example(world, "/alerts", ALERT)
    secret = await sign_in_service.start_session(world.deps, await user(world, "owner"), "127.0.0.1", "bench")
    console = Caller(world, opened_store, {"host": "store.test", "cookie": f"lootkeep={secret}"})
    api = Caller(world, opened_store, {"host": "store.test", "authorization": f"Bearer {world.token}"})
    examples = {"fraud/checks": str(ids["check"]), "alerts": str(alert)} | IDS
    return GrownStore(size, world, api, console, examples, opened_store)


async def _example(world: World, path: str, body: dict[str, Any]) -> int:
    """The id of one, created if there is none yet."""
    answer = await world.get(path)
    if answer.status_code == 404 or not answer.json()["data"]:
        answer = await world.post(path, body)
        answer.raise_for_status()
    data = answer.json()["data"]
    return int((data[0] if isinstance(data, list) else data)["id"])


def paths(now: Instant) -> Iterator[tuple[str, str]]:
    """Every read of the route table and the page table, and of lists also a page in the middle and a search."""
    year = "?from={}&to={}".format(*(utc(Instant(now - days * DAY)).date() for days in (365, 1)))
    for group in wiring.groups():
        for route in group.routes:
            if route.method != "GET" or route.scope == SERVER_SCOPE:
                continue
            path = f"{group.prefix}{route.path}"
            needed = next((query for end, query in NEEDED.items() if path.endswith(end)), "")
            yield path.removeprefix("/api"), path + needed
            if "/analytics/" in path:
                yield f"{path.removeprefix('/api')}, a year", path + year
            fields = route.query.model_fields if route.query else {}
            if "page" in fields:
                yield f"{path.removeprefix('/api')}, middle page", f"{path}?page={{page}}"
            if "search" in fields:
                yield f"{path.removeprefix('/api')}, search", f"{path}?search={RARE}"
    for page in PAGES:
        if page.method == "GET" and not _OPEN.match(page.path):
            path = f"/console{page.path}"
            yield path, path + next((query for end, query in NEEDED.items() if path.endswith(f"/{end}")), "")
            if path.endswith(("/analytics", "/analytics/growth")):
                yield f"{path}, a year", path + year


async def compare_path(name: str, template: str, stores: list[GrownStore], rounds: int) -> list[Cell] | None:
    """None if a store has no example; what fails misses its target."""
    try:
        return await _costs(name, template, stores, rounds)
    except NotAnswered as failure:
        if failure.status == NO_EXAMPLE:
            return None
        return [name, *(None for _ in stores), None, f"answered {failure.status}", MISSED]


async def _costs(name: str, template: str, stores: list[GrownStore], rounds: int) -> list[Cell] | None:
    calls = [(each, await resolved(template, each)) for each in stores]
    counts = []
    for each, path in calls:
        if path is None:
            return None
        slowest = await each.caller(path).seconds(path, 1)
        counts.append(max(1, min(20, int(ROUND_SECONDS / max(slowest, 1e-6)))))
    costs: dict[int, list[float]] = {each.size: [] for each in stores}
    for _ in range(rounds):
        for each, path in calls:
            assert path
            costs[each.size].append(await each.caller(path).mean(path, min(counts)) * 1000)
        calls.reverse()
    times = ratio(costs[stores[-1].size], costs[stores[0].size])
    medians = [median(costs[each.size]) for each in stores]
    is_met = times.median <= MAX_TIMES or medians[-1] <= max_ms(name)
    half = f"{shown(times.low)} to {shown(times.high)}"
    return [name, *medians, times.median, half, verdict(is_met=is_met)]


def max_ms(name: str) -> float:
    """What it may cost in the largest store, however little it costs in the smallest."""
    if any(word in name for word in RARELY):
        return MAX_RARE_MS
    return MAX_DEEP_MS if any(word in name for word in DEEP) else 0.0


async def resolved(template: str, each: GrownStore) -> str | None:
    """The path in this store: with an id, and the number of the page in the middle."""
    known = next((value for start, value in each.ids.items() if f"/{start}/" in template), "7")
    path = _PARAMETER.sub(lambda match: match[0] if match[0] == "{page}" else known, template)
    if "{page}" not in path:
        return path
    total = await each.caller(path).total(path.partition("?")[0])
    return path.format(page=total // 2 // PER_PAGE) if total > 4 * PER_PAGE else None
