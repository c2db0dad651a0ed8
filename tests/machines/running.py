"""Runs scenarios one after the other on the same machines, and writes what they showed as a table."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.machines.hosts import HOSTS
from tests.machines.network import Network
from tests.machines.scenarios import Scenario
from tests.machines.store import Outcome, running_store

# Orders that are waited for before a fault and after it.
_ORDERS = 20


def run(scenarios: Sequence[Scenario]) -> list[Outcome]:
    network = Network(HOSTS)
    with tempfile.TemporaryDirectory(prefix="lootkeep-machines-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        try:
            network.build()
            outcomes: list[Outcome] = network.inside("client", lambda: asyncio.run(_run(scenarios, network, folder)))
        finally:
            network.remove()
    return outcomes


def table(outcomes: Sequence[Outcome]) -> str:
    head = (
        f"{'what happens':<46} {'orders':>6} {'pause s':>8} {'delivered s':>12} {'repeated':>9} {'allowed':>8}  faults"
    )
    return "\n".join([head, *map(_row, outcomes)])


async def _run(scenarios: Sequence[Scenario], network: Network, folder: str) -> list[Outcome]:
    outcomes = []
    async with running_store(network, Path(folder)) as store:
        for scenario in scenarios:
            outcome = Outcome(scenario.name)
            await store.order(_ORDERS)
            began = time.monotonic()
            await scenario.act(store, outcome)
            ended = time.monotonic()
            await store.order(_ORDERS)
            await store.judge(outcome, began, ended)
            outcomes.append(outcome)
            print(_row(outcome), flush=True)
    return outcomes


def _row(outcome: Outcome) -> str:
    allowed = "" if outcome.allowed is None else str(outcome.allowed)
    return (
        f"{outcome.name:<46} {outcome.acknowledged:>6} {outcome.pause_seconds:>8.1f} {outcome.delivered_seconds:>12.1f}"
        f" {outcome.repeated:>9} {allowed:>8}  {'; '.join(outcome.faults) or 'none'}"
    )
