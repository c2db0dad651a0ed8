"""What judging an order and reading fraud checks cost as a store grows, on both engines, as CPU and as time.

`.venv/bin/python -m tests.servers -- .venv/bin/python -m bench.fraud`. Orders are judged and placed as the checkout
does it, with the data that comes with the installation; lists and the dashboard are asked for as a server asks the API,
from the token to the JSON. On PostgreSQL the server's CPU counts too. Both sizes take turns in one process. Ends with
status 1 when a target is missed.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import median, quantiles

import uvloop
from rich.console import Console
from rich.table import Table

from bench import data
from bench.buyers import YEAR
from bench.checkout import CallTimes, deps_of, judge, placing, set_rules, spent, visits_of
from bench.edge import EdgeApp
from bench.people import END
from bench.readings import ENGINES, SIZES, Call, GrowthResult, OpenStore, as_table, built, is_met, measure, opened
from lootkeep.engines import logs
from lootkeep.engines.intelligence import Intelligence
from lootkeep.kernel.clock import Instant, SystemClock, utc

PER_PAGE = 20
# CPU of one judgement with its facts and 50 rules of the store, on SQLite: the middle one, the slowest of a hundred,
# and large store to small.
MAX_US = 500.0
MAX_US_P99 = 3000.0
MAX_GROWTH = 1.5
# CPU of placing an order as a whole, on either engine.
MAX_PLACING_US = 2500.0

API = "/api/external/v1/fraud"
_MIDDLE = utc(Instant(END - YEAR // 2)).date()
_MONTH: dict[str, object] = {"start_date": _MIDDLE, "end_date": _MIDDLE + timedelta(days=29)}
FILTERS: dict[str, dict[str, object]] = {
    "all checks": {},
    "level low": {"risk_level": "low"},
    "level critical": {"risk_level": "critical"},
    "action flagged": {"action_taken": "flagged"},
    "open": {"is_reviewed": "false"},
    "reviewed": {"is_reviewed": "true"},
    "filtered by half a year": {"start_date": _MIDDLE},
    "filtered by until half a year ago": {"end_date": _MIDDLE - timedelta(days=1)},
    "filtered by a month": _MONTH,
    "low, allowed, open": {"risk_level": "low", "action_taken": "allowed", "is_reviewed": "false"},
    "filtered by blocked and open": {"action_taken": "blocked", "is_reviewed": "false"},
    "filtered by open in half a year": {"is_reviewed": "false", "start_date": _MIDDLE},
    "filtered by high, reviewed, a month": {"risk_level": "high", "is_reviewed": "true", **_MONTH},
}


@dataclass(frozen=True)
class JudgingCost:
    """CPU microseconds of one call in the small and the large store."""

    engine: str
    what: str
    small_us: float | None
    large_us: float
    p99_us: float
    wall_us: float

    @property
    def growth(self) -> float | None:
        return self.large_us / self.small_us if self.small_us else None

    @property
    def is_met(self) -> bool:
        if self.small_us is None:
            return self.large_us <= MAX_PLACING_US
        if self.engine != "sqlite":
            return True
        return self.large_us < MAX_US and self.p99_us < MAX_US_P99 and (self.growth or 0) <= MAX_GROWTH


def main() -> int:
    options = parse_options()
    # A line for each request would be a cost that does not grow, and so hide what does.
    logs.configure("warning", "json")
    intelligence = Intelligence(None, SystemClock())
    judged: list[JudgingCost] = []
    listed: list[GrowthResult] = []
    for engine in options.engine or ENGINES:
        sizes = options.size or SIZES
        addresses = [built(engine, data.EVIDENCE, size) for size in sizes]
        judging, lists = uvloop.run(compare(engine, sizes, addresses, intelligence, options))
        judged += judging
        listed += lists
        placed = uvloop.run(placing(engine, sizes[-1], addresses[-1], intelligence))
        judged.append(summed(engine, "an order placed", None, placed))
    console = Console(width=120)
    console.print(judging_table(judged))
    console.print(as_table(listed))
    if options.json:
        options.json.write_text(json.dumps([*map(asdict, judged), *map(asdict, listed)], indent=2) + "\n")
    return int(not all((*map(is_met, listed), *(cost.is_met for cost in judged))))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.fraud")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one")
    parser.add_argument("--size", type=int, nargs=2, metavar=("SMALL", "LARGE"), help="orders [10000 1000000]")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures to this file")
    return parser.parse_args()


async def compare(
    engine: str, sizes: Sequence[int], addresses: list[str], intelligence: Intelligence, options: argparse.Namespace
) -> tuple[list[JudgingCost], list[GrowthResult]]:
    stores = [await opened(engine, size, address) for size, address in zip(sizes, addresses, strict=True)]
    judging = await judgements(engine, stores, intelligence, options.rounds)
    calls = [await calls_of(store, intelligence) for store in stores]
    lists = [
        await measure(engine, name, stores, [calls_of_store[name] for calls_of_store in calls], options.rounds)
        for name in calls[0]
    ]
    for store in stores:
        await store.engine.close()
    return judging, lists


async def judgements(
    engine: str, stores: list[OpenStore], intelligence: Intelligence, rounds: int
) -> list[JudgingCost]:
    visits, deps = {}, {}
    for store in stores:
        await set_rules(store)
        visits[store.size], deps[store.size] = await visits_of(store), deps_of(store, intelligence)
    costs = {(store.size, kind): CallTimes([], []) for store in stores for kind in visits[store.size]}
    # The first round is for warming up.
    for number in range(rounds + 1):
        for kind in next(iter(visits.values())):
            for store in stores if number % 2 else reversed(stores):
                async with store.engine.write() as tx:
                    times = await spent(store, partial(judge, deps[store.size], tx), visits[store.size][kind])
                if number:
                    costs[store.size, kind].cpu_us.extend(times.cpu_us)
                    costs[store.size, kind].wall_us.extend(times.wall_us)
    small, large = (store.size for store in stores)
    kinds = [kind for size, kind in costs if size == small]
    return [summed(engine, f"judged, {kind}", costs[small, kind], costs[large, kind]) for kind in kinds]


def summed(engine: str, what: str, small: CallTimes | None, large: CallTimes) -> JudgingCost:
    slowest = quantiles(large.cpu_us, n=100)[-1]
    return JudgingCost(
        engine,
        what,
        median(small.cpu_us) if small else None,
        median(large.cpu_us),
        slowest,
        median(large.wall_us),
    )


async def calls_of(store: OpenStore, intelligence: Intelligence) -> dict[str, Call]:
    """The list with its filters, and the dashboard."""
    edge = await EdgeApp.opened(deps_of(store, intelligence), "fraud:read")
    calls: dict[str, Call] = {"dashboard": partial(edge.get, f"{API}/dashboard", "")}
    for name, filters in FILTERS.items():
        query = "&".join(f"{key}={value}" for key, value in {"per_page": PER_PAGE, **filters}.items())
        total = json.loads(await edge.get(f"{API}/checks", query))["meta"]["total"]
        for kind, number in (("first", 1), ("middle", max(1, total // 2 // PER_PAGE))):
            calls[f"{name}, {kind} page"] = partial(edge.get, f"{API}/checks", f"{query}&page={number}")
    return calls


def judging_table(results: list[JudgingCost]) -> Table:
    table = Table(title="A checkout's CPU, microseconds", title_justify="left")
    for name in ("engine", "what"):
        table.add_column(name)
    for name in ("small", "large", "growth", "p99, large", "time, large", "target"):
        table.add_column(name, justify="right")
    for cost in results:
        table.add_row(
            cost.engine,
            cost.what,
            f"{cost.small_us:,.0f}" if cost.small_us else "",
            f"{cost.large_us:,.0f}",
            f"{cost.growth:.2f}" if cost.growth else "",
            f"{cost.p99_us:,.0f}",
            f"{cost.wall_us:,.0f}",
            "[green]met[/]" if cost.is_met else "[red]missed[/]",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
