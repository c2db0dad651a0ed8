"""Requests per CPU second of the tier list and tier creation, compared with the same two in FastAPI with an ORM.

`.venv/bin/python -m bench.http` needs LOOTKEEP_TEST_POSTGRES_URL (tests/servers.py gives it) and .venv-bench.
Both servers live on one core and take turns; the load comes from another. CPU time counts, as wall time also
depends on the neighbours on the machine. Ends with status 1 when a target is missed.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles

from rich.console import Console
from rich.table import Table

from bench import load
from bench.subjects import LOAD_CORES, TIERS, Subject, cpu_seconds, database, lootkeep, peer

# How many times the peer's requests per CPU second.
TARGETS = {"sqlite": 6.0, "postgresql": 5.0}
LISTED_TIERS = 15
WARM_UP_REQUESTS = 500
# What a server still does after its last answer belongs to the round.
SETTLE_SECONDS = 0.05


@dataclass(frozen=True)
class HttpRound:
    """One measurement: CPU microseconds for a request, in the server and in its database, and the pace."""

    cpu_us: float
    database_cpu_us: float
    per_wall_second: float


@dataclass(frozen=True)
class EndpointFigures:
    """The rounds of one subject at one endpoint."""

    engine: str
    endpoint: str
    subject: str
    rounds: list[HttpRound]

    @property
    def cpu_us(self) -> float:
        return median(measured.cpu_us for measured in self.rounds)

    @property
    def database_cpu_us(self) -> float:
        return median(measured.database_cpu_us for measured in self.rounds)

    @property
    def per_wall_second(self) -> float:
        return median(measured.per_wall_second for measured in self.rounds)


@dataclass(frozen=True)
class EndpointComparison:
    """Ours and theirs at one endpoint."""

    ours: EndpointFigures
    theirs: EndpointFigures

    @property
    def ratio(self) -> float:
        """Round by round, over many short ones: what disturbs the machine mostly disturbs both turns of a round."""
        return median(self.ratios)

    @property
    def ratios(self) -> list[float]:
        pairs = zip(self.ours.rounds, self.theirs.rounds, strict=True)
        return [theirs.cpu_us / ours.cpu_us for ours, theirs in pairs]

    @property
    def middle_half(self) -> str:
        """The range of half of the rounds: how far the ratio can be trusted."""
        low, _, high = quantiles(self.ratios) if len(self.ratios) > 1 else self.ratios * 3
        return f"{low:.1f}-{high:.1f}"

    @property
    def target(self) -> float:
        return TARGETS[self.ours.engine]


def main() -> int:
    options = parse_options()
    if LOAD_CORES:
        os.sched_setaffinity(0, LOAD_CORES)
    comparisons = [comparison for engine in options.engine for comparison in asyncio.run(measure(engine, options))]
    Console(width=120).print(as_table(comparisons))
    if options.json:
        options.json.write_text(json.dumps([as_json(comparison) for comparison in comparisons], indent=2) + "\n")
    return int(any(comparison.ratio < comparison.target for comparison in comparisons))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.http")
    parser.add_argument("--engine", action="append", choices=list(TARGETS), help="only this one")
    parser.add_argument("--requests", type=int, default=600, help="in a round")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures to this file")
    options = parser.parse_args()
    options.engine = options.engine or list(TARGETS)
    return options


async def measure(engine: str, options: argparse.Namespace) -> list[EndpointComparison]:
    async with database(engine) as our_database, database(engine) as their_database:
        with lootkeep(our_database.url) as ours, peer(their_database.url) as theirs:
            seed([ours, theirs])
            bench = Bench(engine, (ours, theirs), our_database.postmaster, options)
            return [await bench.compare(endpoint) for endpoint in ENDPOINTS]


def seed(subjects: list[Subject]) -> None:
    """Gives both the same tiers, and makes sure that both then answer the same."""
    answers = []
    for subject in subjects:
        for number in range(LISTED_TIERS):
            subject.call("POST", tier(number))
        answers.append([comparable(item) for item in subject.call("GET")["data"]])
    if len(answers[0]) != LISTED_TIERS or answers[0] != answers[1]:
        raise SystemExit(f"The subjects do not answer the same: {answers}")


def comparable(answered: dict[str, object]) -> dict[str, object]:
    times = "created_at", "updated_at"
    return answered | {key: len(str(answered[key])) for key in times}


def tier(number: int) -> dict[str, object]:
    """The body of a creation; percentages and amounts in turn, as a real ladder of rewards has both."""
    is_percentage = number % 2 == 0
    return {
        "name": f"Tier {number}",
        "description": "Invite your friends and take a reward off your next order.",
        "referrals_required": 5 * (number + 1),
        "reward_type": "percentage_discount" if is_percentage else "fixed_discount",
        "reward_value": 12.5 if is_percentage else 5,
        "reward_currency": None if is_percentage else "USD",
        "coupon_validity_days": 60,
        "is_active": True,
        "sort_order": number,
    }


def list_requests(token: str, count: int) -> Iterator[bytes]:
    request = load.request("GET", TIERS, token)
    return (request for _ in range(count))


def create_requests(token: str, count: int) -> Iterator[bytes]:
    requests = [load.request("POST", TIERS, token, tier(number)) for number in range(100)]
    return (requests[number % len(requests)] for number in range(count))


# What to send and the status to expect. The list comes first, as creating makes it grow.
ENDPOINTS: dict[str, tuple[Callable[[str, int], Iterator[bytes]], int]] = {
    "tier list": (list_requests, 200),
    "tier creation": (create_requests, 201),
}


@dataclass(frozen=True)
class Bench:
    """Two subjects on one engine that take turns."""

    engine: str
    subjects: tuple[Subject, Subject]
    postmaster: int | None
    options: argparse.Namespace

    async def compare(self, endpoint: str) -> EndpointComparison:
        figures = [EndpointFigures(self.engine, endpoint, subject.name, []) for subject in self.subjects]
        turns = list(zip(self.subjects, figures, strict=True))
        for subject in self.subjects:
            await self.load(subject, endpoint, WARM_UP_REQUESTS)
        for _ in range(self.options.rounds):
            for subject, measured in turns:
                measured.rounds.append(await self.round(subject, endpoint))
            # The subject that was second is first in the next round, so that neither always follows the other.
            turns.reverse()
        return EndpointComparison(*figures)

    async def round(self, subject: Subject, endpoint: str) -> HttpRound:
        cpu, database_cpu = cpu_seconds(subject.pid), cpu_seconds(self.postmaster)
        outcome = await self.load(subject, endpoint, self.options.requests)
        await asyncio.sleep(SETTLE_SECONDS)
        cpu, database_cpu = cpu_seconds(subject.pid) - cpu, cpu_seconds(self.postmaster) - database_cpu
        micro = 1e6 / outcome.requests
        return HttpRound(cpu * micro, database_cpu * micro, outcome.requests / outcome.seconds)

    async def load(self, subject: Subject, endpoint: str, count: int) -> load.LoadResult:
        requests, status = ENDPOINTS[endpoint]
        return await load.run(subject.port, requests(subject.token, count), status, self.options.connections)


def as_table(comparisons: list[EndpointComparison]) -> Table:
    table = Table(
        title="One core, medians of all rounds",
        caption="CPU us: of the server for one request; DB: PostgreSQL's own, not in the ratio",
    )
    for name in ("engine", "endpoint", "subject"):
        table.add_column(name, no_wrap=True)
    for name in ("CPU us", "per CPU s", "per s", "DB CPU us", "ratio", "half in", "target"):
        table.add_column(name, justify="right", no_wrap=True)
    for comparison in comparisons:
        verdict = f"{comparison.target:.0f} {'met' if comparison.ratio >= comparison.target else 'MISSED'}"
        table.add_row(comparison.ours.engine, comparison.ours.endpoint, *cells(comparison.ours))
        table.add_row(
            "",
            "",
            *cells(comparison.theirs),
            f"{comparison.ratio:.2f}",
            comparison.middle_half,
            verdict,
            end_section=True,
        )
    return table


def cells(figures: EndpointFigures) -> list[str]:
    paces = 1e6 / figures.cpu_us, figures.per_wall_second
    database_cpu = f"{figures.database_cpu_us:.0f}" if figures.database_cpu_us else "-"
    return [figures.subject, f"{figures.cpu_us:.0f}", *(f"{pace:,.0f}" for pace in paces), database_cpu]


def as_json(comparison: EndpointComparison) -> dict[str, object]:
    subjects = {"ours": asdict(comparison.ours), "theirs": asdict(comparison.theirs)}
    return {"ratio": comparison.ratio, "target": comparison.target, **subjects}


if __name__ == "__main__":
    sys.exit(main())
