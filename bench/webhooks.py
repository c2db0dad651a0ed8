"""The cost of a webhook delivery compared with two other senders, and how the queue behaves."""

import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import median

import uvloop

from bench import claiming, receiving, subjects
from bench.latency import steady_load
from bench.options import ENGINES, Options, progress
from bench.plots import Plot, Series
from bench.receiving import Receiver, Spread
from bench.report import Cell, SectionResult, Table, ratio, verdict
from bench.senders import DATA, EVENTS, WEBHOOKS, Round, SenderSizes, compare, one_round, ours, service
from bench.subjects import ALL_CORES, DATABASE_CORE, LOAD_CORES, LOOTKEEP, ON_ALL_CORES, Subject, run_command, server
from lootkeep import wiring
from lootkeep.kernel.clock import SystemClock

# How many times the deliveries per CPU second of each peer.
TARGETS = {"django-webhook + Celery": 20.0, "BullMQ + undici": 4.0}
# At a steady rate on PostgreSQL: CPU of an event when few come, and the waits when many do.
FEW, EVENT_MS = 100, 2.5
MANY, MANY_P99_MS = 700, 100.0
CLAIM_MS, FIRST_ATTEMPT_MS, GROWTH_MB = 10.0, 50.0, 16.0
ROUNDS = 5
RATES = (100, 300, 500, 700)
# SQLite has one.
PROCESSES = {"sqlite": (1,), "postgresql": (1, 2)}
TOKEN = [LOOTKEEP, "token", "create", "--name", "bench", "--all-scopes", "--quiet"]

TEXT = """CPU of one delivery of a kilobyte with everything recorded, worker and database servers together, compared
with django-webhook on Celery and with BullMQ and undici (`bench/peers`), all with PostgreSQL and Redis where they need
them; and how the queue behaves. The latency is from the moment the request is due that changes a product to the
arrival of its webhook, never less than from its commit; there PostgreSQL has a core of its own next to one process, and
two processes and PostgreSQL share all cores. On PostgreSQL an event may cost 2.5 ms at 100 a second, and one process
should deliver 700 a second with a 99th percentile of 100 ms."""


@dataclass(frozen=True)
class Sizes:
    """How much of everything is measured."""

    senders: SenderSizes
    parked: int
    claims: int
    first: int
    backlog: int
    seconds: float


FULL = Sizes(SenderSizes(4000, 320), 1_000_000, 500, 60, 100_000, 10.0)
QUICK = Sizes(SenderSizes(400, 40), 1_000, 10, 3, 1_000, 0.5)


def measure(options: Options) -> SectionResult:
    sizes = QUICK if options.is_quick else FULL
    with receiving.receiver(LOAD_CORES) as target:
        return uvloop.run(tables(target, sizes, options))


async def tables(target: Receiver, sizes: Sizes, options: Options) -> SectionResult:
    costs = await compare(target, sizes.senders, options.rounds_or(ROUNDS))
    pairs = [(mine, theirs) for mine in list(costs)[: len(ENGINES)] for theirs in TARGETS]
    columns = ["sender", "worker", "PostgreSQL", "Redis", "all", "deliveries per CPU s"]
    parts = [
        Table("CPU ms of one delivery", columns, [cost_row(*item) for item in costs.items()]),
        Table(
            "CPU of the peer, times ours",
            ["Lootkeep", "peer", "times", "half in", "target", ""],
            [ratio_row(costs, *pair) for pair in pairs],
        ),
    ]
    for title, names, operation in PARTS:
        title = title.format(sizes=sizes)
        progress(title)
        parts.append(Table(title, names, [row for engine in ENGINES for row in await operation(engine, target, sizes)]))
    bars: Series = {"all": [(name, median(lap.cpu_ms for lap in laps)) for name, laps in costs.items()]}
    return SectionResult(parts, [Plot("webhooks", "CPU of a delivery", "ms", bars, {}), latency_plot(parts[-1])])


async def claims(engine: str, target: Receiver, sizes: Sizes) -> list[list[Cell]]:
    async with service(engine, target, WEBHOOKS) as (settings, run, _):
        now, events = SystemClock().now(), sizes.parked // WEBHOOKS
        await run(EVENTS.format(count=events, data=DATA, now=now, fanned_out=now))
        async with wiring.opened(receiving.as_read(settings)) as deps:
            measured = await claiming.claim_times(deps, run, events, sizes.claims)
    return [timed(f"{engine}: {what}", times, CLAIM_MS) for what, times in measured.items()]


async def promptness(engine: str, target: Receiver, sizes: Sizes) -> list[list[Cell]]:
    async with service(engine, target, 1) as (settings, _, _):
        token = run_command(TOKEN, settings).strip()
        with server([LOOTKEEP, "serve"], settings) as process:
            port = int(settings["LOOTKEEP_PORT"])
            subjects.ready(Subject("Lootkeep", process.pid, port, token), process)
            return [timed(engine, receiving.first_attempts(port, token, target, sizes.first), FIRST_ATTEMPT_MS)]


async def backlog(engine: str, target: Receiver, sizes: Sizes) -> list[list[Cell]]:
    async with ours(engine, target, sizes.backlog) as sender:
        # What a worker needs at all is there after the first deliveries.
        await one_round(sender, target, sizes.backlog // 50)
        os.kill(sender.pid, signal.SIGCONT)
        async with sender.held(sizes.backlog // WEBHOOKS) as (_, release):
            await release()
            memory = receiving.drained(sender.pid, target, sizes.backlog)
    growth = memory.peak - memory.before
    return [
        [engine, memory.seconds, memory.before, memory.peak, growth, GROWTH_MB, verdict(is_met=growth <= GROWTH_MB)]
    ]


async def steady(engine: str, target: Receiver, sizes: Sizes) -> list[list[Cell]]:
    return [row for count in PROCESSES[engine] for row in await _steady(engine, count, target, sizes)]


async def _steady(engine: str, processes: int, target: Receiver, sizes: Sizes) -> list[list[Cell]]:
    name = engine if processes == 1 else f"{engine}, {processes} processes"
    database_cores, pinned = ([DATABASE_CORE], []) if processes == 1 else (ALL_CORES, ON_ALL_CORES)
    async with service(engine, target, 0, *database_cores) as (settings, _, postmaster):
        token = run_command(TOKEN, settings).strip()
        with server([*pinned, LOOTKEEP, "serve", "--workers", str(processes)], settings) as process:
            subject = Subject("Lootkeep", process.pid, int(settings["LOOTKEEP_PORT"]), token)
            load = steady_load(subjects.ready(subject, process), postmaster, target)
            return [steady_row(name, await load.at(rate, sizes.seconds)) for rate in RATES]


Operation = Callable[[str, Receiver, Sizes], Awaitable[list[list[Cell]]]]
_STEADY = ["", "events a second", "delivered a second", "p50", "p99", "slowest", "CPU ms of an event"]
_STEADY += ["in the server", ""]
_TIMES = ["", "times", "p50", "p99", "p99 at most", ""]
PARTS: tuple[tuple[str, list[str], Operation], ...] = (
    ("Claiming 100 due deliveries among {sizes.parked:,} parked ones, ms", _TIMES, claims),
    ("From the request that pays an order to the arrival of its webhook, idle service, ms", _TIMES, promptness),
    (
        "{sizes.backlog:,} deliveries drain: resident MB of the process",
        ["", "seconds", "before", "peak", "growth", "at most", ""],
        backlog,
    ),
    (
        "From the request to the arrival of its webhook at a steady rate, ms",
        _STEADY,
        steady,
    ),
)


def timed(name: str, times: Spread, limit: float) -> list[Cell]:
    return [name, times.times, times.p50, times.p99, limit, verdict(is_met=times.p99 <= limit)]


def steady_row(name: str, cells: list[Cell]) -> list[Cell]:
    rate, pace, _, p99, _, service, server = (float(str(cell)) for cell in cells)
    if name != "postgresql" or rate not in (FEW, MANY):
        return [name, *cells, ""]
    is_met = service + server <= EVENT_MS if rate == FEW else p99 <= MANY_P99_MS and pace >= 0.95 * rate
    return [name, *cells, verdict(is_met=is_met)]


def cost_row(name: str, laps: list[Round]) -> list[Cell]:
    servers = [median(part) for part in zip(*(lap.servers for lap in laps), strict=True)]
    cost = median(lap.cpu_ms for lap in laps)
    return [name, median(lap.worker for lap in laps), *servers, cost, 1000 / cost]


def ratio_row(costs: dict[str, list[Round]], mine: str, theirs: str) -> list[Cell]:
    times = ratio([lap.cpu_ms for lap in costs[theirs]], [lap.cpu_ms for lap in costs[mine]])
    half, target = f"{times.low:.1f} to {times.high:.1f}", TARGETS[theirs]
    return [mine, theirs, times.median, half, target, verdict(is_met=times.median >= target)]


def latency_plot(table: Table) -> Plot:
    lines: Series = {}
    for engine, rate, _, p50, p99, *_ in table.rows:
        lines.setdefault(f"{engine} p50", []).append((float(str(rate)), float(str(p50))))
        lines.setdefault(f"{engine} p99", []).append((float(str(rate)), float(str(p99))))
    title = "From the request to the arrival of its webhook"
    return Plot("latency", title, "ms, by events a second", lines, {}, is_lines=True)
