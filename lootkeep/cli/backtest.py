"""`lootkeep fraud backtest`: replays past orders and says what fraud detection would have made of them."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from lootkeep import wiring
from lootkeep.cli.output import fail, out, print_json
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.spreadsheet import plain_cell
from lootkeep.settings import load
from lootkeep.toolbox.backtest import page, tables
from lootkeep.toolbox.backtest.reading import PastOrders, read
from lootkeep.toolbox.backtest.replay import Intelligence, Judged, replay
from lootkeep.toolbox.backtest.report import Report, report

# So many bad rows are told on the terminal.
_TOLD_ROWS = 20


def backtest(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", help="Past orders; the first line names the columns.")],
    label: Annotated[str, typer.Option(metavar="COLUMN", help="The column that says which orders were fraud.")],
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="OUT", help="Write the report as a page with charts.")] = None,
    scores: Annotated[
        Path | None, typer.Option(metavar="OUT.csv", help="Write the score of every order, in the file's order.")
    ] = None,
) -> None:
    """Replay past orders through the fraud engine in the order of time, with memory and no training.

    Judged with the settings of a new store. Columns, all optional: order_id, customer_id, email,
    customer_created_at, created_at, ip_address, device_id, billing_country, user_agent, total.
    """
    try:
        found = _run(file, label, scores, html, wiring.intelligence(load()))
    except StartupError as error:
        fail(str(error), code=2)
    if json:
        print_json(found)
    else:
        _show(found)


def _run(file: Path, label: str, scores: Path | None, html: Path | None, intelligence: Intelligence) -> Report:
    started = time.monotonic()
    with _bar() as bar:
        past = _read(file, label, bar)
        judged = replay(past, Policy(), intelligence, bar("Judging", len(past.orders)))
    found = report(judged, past, time.monotonic() - started)
    _tell_skipped(found)
    if scores:
        _write(scores, lambda: _write_scores(scores, judged))
    if html:
        _write(html, lambda: html.write_text(page.render(found, file.name), encoding="utf-8"))
    return found


Bar = Callable[[str, int], Callable[[int], None]]


@contextmanager
def _bar() -> Iterator[Bar]:
    """One bar for each part of the work, for someone who watches."""
    if not _stderr.is_terminal:
        yield lambda words, total: lambda done: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_stderr, transient=True) as progress:

        def begin(words: str, total: int) -> Callable[[int], None]:
            task = progress.add_task(words, total=total)
            return lambda done: progress.update(task, completed=done)

        yield begin


def _read(file: Path, label: str, bar: Bar) -> PastOrders:
    try:
        with file.open("rb") as opened:
            return read(opened, label, bar("Reading", file.stat().st_size))
    except OSError as error:
        raise StartupError(f"{file} cannot be read: {error.strerror}.") from None


def _write(file: Path, write: Callable[[], object]) -> None:
    try:
        write()
    except OSError as error:
        raise StartupError(f"{file} cannot be written: {error.strerror}.") from None


def _write_scores(file: Path, judged: Sequence[Judged]) -> None:
    with file.open("w", newline="", encoding="utf-8") as opened:
        table = csv.writer(opened)
        table.writerow(("order_id", "score", "action_taken"))
        table.writerows(
            (plain_cell(one.order.order_id), one.verdict.risk_score, one.verdict.action_taken) for one in judged
        )


def _show(report: Report) -> None:
    share = tables.percent(report.frauds / report.orders)
    out.print(f"[bold]{report.orders:,} orders[/], {report.frauds:,} of them fraud ({share}).")
    out.print(f"Judged with {report.settings}, in {report.seconds:.1f} s.")
    out.print(f"\nAUC                            [bold]{tables.decimal(report.auc)}[/]")
    out.print(f"Frauds caught at 1 % mistakes  [bold]{tables.percent(report.tpr_at_1pct_fpr)}[/]")
    for title, columns, rows in tables.sections(report):
        out.print()
        _print_table(title, columns, rows)
    out.print()
    for sentence in tables.silences(report):
        out.print(sentence)


def _print_table(title: str, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left", header_style="dim")
    for row in rows:
        table.add_row(*row)
    out.print(table)


def _tell_skipped(found: Report) -> None:
    """On stderr, so that stdout holds the report only."""
    for row in found.skipped_rows[:_TOLD_ROWS]:
        _say(f"Line {row.line}: {row.reason}")
    if found.skipped > _TOLD_ROWS:
        _say(f"and {found.skipped - _TOLD_ROWS} more.")
    if found.skipped:
        _say(f"Skipped rows: {found.skipped}.")


_stderr = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def _say(sentence: str) -> None:
    _stderr.print(sentence, markup=False)
