"""`lootkeep demo`: a store with realistic sample data, optionally with live activity."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from random import Random
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lootkeep import settings, wiring
from lootkeep.cli.output import JsonFlag, out, print_json, run
from lootkeep.cli.store import location
from lootkeep.deps import Deps
from lootkeep.kernel.errors import StartupError
from lootkeep.storage import demo as demo_db
from lootkeep.toolbox.demo_store import load as loading
from lootkeep.toolbox.demo_store.live import Live

app = typer.Typer(help="Fill an empty store with sample data.", no_args_is_help=True)

_stderr = Console(stderr=True, highlight=False, soft_wrap=True)


class Scale(StrEnum):
    small = "small"
    medium = "medium"
    large = "large"


@app.callback()
def _noun() -> None:
    """With a callback the command keeps its name, although it is the only one in its group."""


@app.command()
def load(
    scale: Annotated[Scale, typer.Option(help="2,000, 50,000 or 1,000,000 orders.")] = Scale.small,
    seed: Annotated[int, typer.Option(help="The same seed gives the same store.")] = 1,
    live: Annotated[bool, typer.Option("--live", help="Keep adding sign-ups, orders and frauds until Ctrl-C.")] = False,
    json: JsonFlag = False,
) -> None:
    """Load a year of sample data of a game store into an empty database. A store with data is rejected."""
    if live and json:
        raise StartupError("--json prints what was loaded: it cannot be combined with --live.")
    run(_load(scale.value, seed, is_live=live, is_json=json))


async def _load(scale: str, seed: int, *, is_live: bool, is_json: bool) -> None:
    async with wiring.opened(settings.load()) as deps:
        async with deps.db.read() as tx:
            mark = await demo_db.mark(tx)
        if not (is_live and mark.loaded_at is not None):
            await _fill(deps, scale, seed, is_json=is_json)
        if is_live:
            await _live(deps, seed)


async def ensure(deps: Deps) -> None:
    """Fills an empty store with the small demo; an existing demo does not change."""
    async with deps.db.read() as tx:
        mark = await demo_db.mark(tx)
    if mark.loaded_at is None:
        await _made(deps, "small", 1)


async def _fill(deps: Deps, scale: str, seed: int, *, is_json: bool) -> None:
    started = time.monotonic()
    orders = await _made(deps, scale, seed)
    seconds = round(time.monotonic() - started, 2)
    if is_json:
        print_json({"scale": scale, "seed": seed, "orders": orders, "seconds": seconds})
        return
    out.print(
        f"The demo is in {location()}: {orders:,} orders of the last year. Run `lootkeep serve` to see it.",
        markup=False,
    )


async def _made(deps: Deps, scale: str, seed: int) -> int:
    """Returns the number of orders afterwards."""
    count = loading.SCALES[scale]
    with _progress(count) as advance:
        try:
            return (await loading.load(deps, scale, seed, count, advance)).orders_placed
        except asyncio.CancelledError:
            raise StartupError("Interrupted. Delete the database before you load the demo again.") from None


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar over the orders, on a terminal."""
    if not _stderr.is_terminal:
        yield lambda count: None
        return
    columns = (TextColumn("Orders"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_stderr, transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda count: progress.update(task, completed=min(count, total))


async def _live(deps: Deps, seed: int) -> None:
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)

    async def rest(seconds: float) -> bool:
        try:
            await asyncio.wait_for(stopping.wait(), seconds)
        except TimeoutError:
            return True
        return False

    out.print("The store is open. Ctrl-C closes it.")
    rng = Random(f"{seed}:{deps.clock.now()}")  # noqa: S311  made-up data
    await Live(loading.demo_deps(deps), rng, lambda line: out.print(escape(line))).run(rest)
    out.print("Closed.")
