"""Reads past orders from a file and judges them, for the reports of fraud detection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeGuard

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from lootkeep import wiring
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.errors import StartupError
from lootkeep.settings import load
from lootkeep.toolbox.backtest import lists
from lootkeep.toolbox.backtest.reading import PastOrders, read
from lootkeep.toolbox.backtest.replay import JudgedOrder, replay
from lootkeep.toolbox.files.reading import FileOptions

SourceArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE.csv|FOLDER",
        help="Past orders: a file with the column names in its first line, or a folder of `lootkeep export facts`; "
        "the orders of the store if it is left out.",
        show_default=False,
    ),
]
LabelOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column of the file that says which orders were fraud.")
]
ProgressBar = Callable[[str, int], Callable[[int], None]]


def is_file(source: Path | None) -> TypeGuard[Path]:
    """Whether the orders are in a file, and not in a folder or the store."""
    if source is not None and not source.exists():
        raise StartupError(f"There is no file or folder {source}.")
    return source is not None and not source.is_dir()


async def judge_file(
    file: Path, label: str | None, options: FileOptions, policy: Policy
) -> tuple[PastOrders, list[JudgedOrder], list[str]]:
    """The orders of the file, their judgements in the same order, and what is to be known of these."""
    if label is None:
        raise StartupError("A file needs --label: the name of the column that says which orders were fraud.")
    intelligence = wiring.intelligence(load())
    with _bar() as bar:
        past = _read(file, label, options, bar)
        judged = await replay(past, policy, intelligence, bar("Judging", len(past.orders)))
    return past, judged, lists.warnings(intelligence.status(), past.orders)


def in_time(judged: Sequence[JudgedOrder]) -> list[JudgedOrder]:
    return sorted(judged, key=lambda order: order.order.created_at or 0)


@contextmanager
def _bar() -> Iterator[ProgressBar]:
    """A progress bar for each part of the work, on a terminal."""
    stderr = Console(stderr=True, highlight=False)
    if not stderr.is_terminal:
        yield lambda words, total: lambda done: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr, transient=True) as progress:

        def begin(words: str, total: int) -> Callable[[int], None]:
            task = progress.add_task(words, total=total)
            return lambda done: progress.update(task, completed=done)

        yield begin


def _read(file: Path, label: str, options: FileOptions, bar: ProgressBar) -> PastOrders:
    try:
        with file.open("rb") as opened:
            return read(opened, label, options, bar("Reading", file.stat().st_size))
    except OSError as error:
        raise StartupError(f"{file} cannot be read: {error.strerror}.") from None
