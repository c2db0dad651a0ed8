"""The progress bar of commands that go through all rows of a store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lootkeep.toolbox.moving.counting import Advance


@contextmanager
def progress(rows: int, verb: str) -> Iterator[Advance]:
    """Shown on a terminal, such as `Reading orders`."""
    stderr = Console(stderr=True, highlight=False)
    if not stderr.is_terminal:
        yield lambda table, count: None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=stderr, transient=True) as bar:
        task = bar.add_task("", total=rows)
        yield lambda table, count: bar.update(task, advance=count, description=f"{verb} {table}")
