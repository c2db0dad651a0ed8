"""The progress bar of commands that go through all rows of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Advance: TypeAlias = Callable[[str, int], None]


@contextmanager
def progress(rows: int) -> Iterator[Advance]:
    """Called with a table and how many of its rows are done; shown on a terminal."""
    stderr = Console(stderr=True, highlight=False)
    if not stderr.is_terminal:
        yield lambda table, count: None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=stderr, transient=True) as bar:
        task = bar.add_task("", total=rows)
        yield lambda table, count: bar.update(task, advance=count, description=table)
