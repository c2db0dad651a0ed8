"""`lootkeep import`: brings the customers, orders and disputes that a shop had before."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from lootkeep import settings, wiring
from lootkeep.cli.output import out, print_json, run
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.spreadsheet import plain_cell
from lootkeep.toolbox.imports.customers import Customers
from lootkeep.toolbox.imports.disputes import Disputes
from lootkeep.toolbox.imports.kinds import RecordKind
from lootkeep.toolbox.imports.orders import Orders
from lootkeep.toolbox.imports.reading import Lines, csv_rows, ndjson_rows
from lootkeep.toolbox.imports.running import Import, RowTally

app = typer.Typer(help="Import a shop's customers, orders and disputes.", no_args_is_help=True)


class Format(StrEnum):
    csv = "csv"
    ndjson = "ndjson"


_ENDINGS = {".csv": Format.csv, ".ndjson": Format.ndjson, ".jsonl": Format.ndjson}

File = Annotated[str, typer.Argument(metavar="FILE", help="A CSV or NDJSON file; - reads standard input.")]
FormatOption = Annotated[
    Format | None, typer.Option("--format", help="What the file is [default: by its name].", show_default=False)
]
Errors = Annotated[
    Path | None, typer.Option("--errors", metavar="FILE.csv", help="Write refused rows with their reasons here, too.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Check everything and write nothing.")]
JsonSummaryFlag = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]


@app.command()
def customers(
    file: File,
    format_: FormatOption = None,
    errors: Errors = None,
    dry_run: DryRun = False,
    json: JsonSummaryFlag = False,
) -> None:
    """Import customers. Those whose e-mail is in the store already are skipped, so a file can be run again."""
    _import(Customers(), file, format_, errors, is_dry=dry_run, is_json=json)


@app.command()
def orders(
    file: File,
    format_: FormatOption = None,
    errors: Errors = None,
    dry_run: DryRun = False,
    json: JsonSummaryFlag = False,
) -> None:
    """Import orders. Those whose external id is in the store already are skipped. Nothing is announced."""
    _import(Orders(), file, format_, errors, is_dry=dry_run, is_json=json)


@app.command()
def disputes(
    file: File,
    format_: FormatOption = None,
    errors: Errors = None,
    dry_run: DryRun = False,
    json: JsonSummaryFlag = False,
) -> None:
    """Import disputes of orders. Those whose kind and external id the order has already are skipped."""
    _import(Disputes(), file, format_, errors, is_dry=dry_run, is_json=json)


def _import(
    kind: RecordKind[Any, Any], file: str, format_: Format | None, errors: Path | None, *, is_dry: bool, is_json: bool
) -> None:
    is_text = (format_ or _format_of(file)) is Format.csv
    with ExitStack() as stack:
        lines = Lines(stack.enter_context(_opened(file)))
        note = stack.enter_context(_notes(errors))
        advance = stack.enter_context(_progress(file, lines))
        try:
            tally = run(_run(kind, lines, note, advance, is_text=is_text, is_dry=is_dry))
        except KeyboardInterrupt:
            _say("Interrupted. Nothing is half-written: run the same command again to go on.")
            raise
    if is_json:
        print_json(_summary(kind, tally, is_dry=is_dry))
    else:
        _print_summary(kind, tally, is_dry=is_dry)
    if tally.refused:
        sys.exit(1)


async def _run(
    kind: RecordKind[Any, Any],
    lines: Lines,
    note: Callable[[int, str], None],
    advance: Callable[[RowTally], None],
    *,
    is_text: bool,
    is_dry: bool,
) -> RowTally:
    def check_columns(columns: list[str]) -> None:
        missing = kind.missing(columns)
        if missing:
            raise StartupError(f"The file lacks {missing}.")
        ignored = [name for name in columns if name not in kind.columns]
        if ignored:
            _say(f"Ignored columns: {', '.join(ignored)}.")

    rows = csv_rows(lines, check_columns) if is_text else ndjson_rows(lines)
    async with wiring.opened(settings.load()) as deps:
        running = Import(deps, kind, note, dry=is_dry)
        await running.run(rows, advance, is_text=is_text)
    return running.tally


def _format_of(file: str) -> Format:
    found = _ENDINGS.get(Path(file).suffix.lower())
    if found is None:
        raise StartupError("The name of the file does not say what it is: add --format csv or --format ndjson.")
    return found


def _opened(file: str) -> AbstractContextManager[BinaryIO]:
    if file == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise StartupError(f"{file} cannot be read: {error.strerror}.") from None


@contextmanager
def _notes(errors: Path | None) -> Iterator[Callable[[int, str], None]]:
    """Reports a rejected row on stderr, and in the file if one is asked for."""
    if errors is None:
        yield lambda line, reason: _say(f"Line {line}: {reason}")
        return
    try:
        opened = errors.open("w", newline="", encoding="utf-8")
    except OSError as error:
        raise StartupError(f"{errors} cannot be written: {error.strerror}.") from None
    with opened:
        table = csv.writer(opened)
        table.writerow(("line", "reason"))

        def note(line: int, reason: str) -> None:
            _say(f"Line {line}: {reason}")
            table.writerow((line, plain_cell(reason)))

        yield note


@contextmanager
def _progress(file: str, lines: Lines) -> Iterator[Callable[[RowTally], None]]:
    """A bar over the bytes of the file, for someone who watches."""
    if not _stderr.is_terminal:
        yield lambda tally: None
        return
    size = None if file == "-" else Path(file).stat().st_size
    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=_stderr, transient=True) as progress:
        task = progress.add_task("", total=size)

        def advance(tally: RowTally) -> None:
            words = f"{tally.imported} imported, {tally.skipped} skipped, {tally.refused} refused"
            progress.update(task, completed=lines.bytes_read, description=words)

        yield advance


def _summary(kind: RecordKind[Any, Any], tally: RowTally, *, is_dry: bool) -> dict[str, object]:
    return {
        "kind": kind.noun,
        "dry_run": is_dry,
        "imported": tally.imported,
        "skipped": tally.skipped,
        "refused": tally.refused,
    }


def _print_summary(kind: RecordKind[Any, Any], tally: RowTally, *, is_dry: bool) -> None:
    verb = "would be imported" if is_dry else "imported"
    out.print(f"{tally.imported} {kind.noun} {verb}, {tally.skipped} skipped, {tally.refused} refused.")
    if tally.without_key:
        _say(f"{tally.without_key} {kind.noun} have no external id: the same file would import them again.")


_stderr = Console(stderr=True, highlight=False, soft_wrap=True)


def _say(sentence: str) -> None:
    _stderr.print(sentence, markup=False)
