"""How commands print: text on stdout, errors on stderr, JSON for programs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import msgspec
import typer
import uvloop
from rich.console import Console
from rich.table import Table

T = TypeVar("T")

# The option of every command with output for programs.
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON.")]

# The option of commands that work on a store.
TestFlag = Annotated[bool, typer.Option("--test", help="Use the sandbox instead of the store.")]

_WIDE = 100_000


class HintConsole(Console):
    """Text for people: a command that it names can be pasted, also where `lootkeep` is not on the PATH."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, soft_wrap=True, emoji=False)

    def print(self, *objects: Any, **options: Any) -> None:
        texts = (text.replace("`lootkeep ", f"`{program()} ") if isinstance(text, str) else text for text in objects)
        super().print(*texts, **options)


out = HintConsole()


@cache
def program() -> str:
    """How to call this program in the shell that called it."""
    called = Path(sys.argv[0])
    on_path = shutil.which("lootkeep")
    if called.name != "lootkeep" or len(called.parts) == 1 or (on_path and Path(on_path).samefile(called)):
        return "lootkeep"
    near = called.absolute()
    return str(near.relative_to(Path.cwd())) if near.is_relative_to(Path.cwd()) else str(near)


def fail(sentence: str, code: int = 1) -> NoReturn:
    HintConsole(stderr=True).print(f"[bold red]Error:[/] {_escaped(sentence)}")
    sys.exit(code)


def print_json(value: Any) -> None:
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(*columns, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*(_escaped(cell) for cell in row))
    # A pipe has no width: nothing is cut or wrapped there.
    console = out if out.is_terminal else Console(width=_WIDE, highlight=False, emoji=False)
    console.print(table)


@contextmanager
def waiting(sentence: str) -> Iterator[None]:
    """Progress on stderr, on a terminal; not shown for fast operations."""
    watched = Console(stderr=True, highlight=False)
    if not watched.is_terminal:
        yield
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=watched, transient=True) as progress:
        progress.add_task(sentence, total=None)
        yield


def run(operation: Coroutine[Any, Any, T]) -> T:
    """Runs a command's coroutine on the loop that the server uses."""
    return uvloop.run(operation)


def _escaped(text: str) -> str:
    """Names are user input: square brackets in them are not markup."""
    from rich.markup import escape

    return escape(text)
