"""`lootkeep fraud backtest`: replays past orders and reports how fraud detection would have judged them."""

from __future__ import annotations

import asyncio
import csv
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace
from pydantic import ValidationError
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from lootkeep import wiring
from lootkeep.api.external import fraud_settings
from lootkeep.cli.files import DelimiterOption, EncodingOption, MapOption, mapped
from lootkeep.cli.output import fail, out, print_json
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.spreadsheet import plain_cell
from lootkeep.settings import load
from lootkeep.toolbox.backtest import lists, page, tables
from lootkeep.toolbox.backtest.reading import PastOrders, read
from lootkeep.toolbox.backtest.replay import JudgedOrder, replay
from lootkeep.toolbox.backtest.report import Report, report
from lootkeep.toolbox.files.reading import FileOptions

# At most this many bad rows are printed on the terminal.
_MAX_PRINTED_ROWS = 20


def backtest(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", help="Past orders; the first line has the column names.")],
    label: Annotated[str, typer.Option(metavar="COLUMN", help="The column that says which orders were fraud.")],
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="OUT", help="Write the report as a page with charts.")] = None,
    scores: Annotated[
        Path | None, typer.Option(metavar="OUT.csv", help="Write the score of every order, in the order of the file.")
    ] = None,
    settings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Judge with these settings: JSON in the format of PUT /fraud/settings."),
    ] = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    map_: MapOption = None,
) -> None:
    """Replay past orders through the fraud engine in chronological order, with memory and no training.

    Uses the settings of a new store, unless --settings is given. Columns, all optional: order_id,
    customer_id, email, customer_created_at, created_at, ip_address, device_id, billing_country, user_agent, total,
    signup_device_id, signup_ip_address, payment_fingerprint, payment_country.
    """
    try:
        options = FileOptions(delimiter, encoding, mapped(map_ or ()))
        result = _run(file, label, options, scores, html, settings)
    except StartupError as error:
        fail(str(error), code=2)
    if json:
        print_json(result)
    else:
        _show(result)


def _run(
    file: Path, label: str, options: FileOptions, scores: Path | None, html: Path | None, settings: Path | None
) -> Report:
    started = time.monotonic()
    policy, intelligence = _policy(settings), wiring.intelligence(load())
    with _bar() as bar:
        past = _read(file, label, options, bar)
        judged = asyncio.run(replay(past, policy, intelligence, bar("Judging", len(past.orders))))
    words = f"the settings of {settings.name}" if settings else "the defaults of a new store"
    warned = lists.warnings(intelligence.status(), past.orders)
    result = report(judged, past, time.monotonic() - started, words, warned)
    _report_skipped(result)
    if scores:
        _write(scores, lambda: _write_scores(scores, judged))
    if html:
        _write(html, lambda: html.write_text(page.render(result, file.name), encoding="utf-8"))
    return result


def _policy(file: Path | None) -> Policy:
    """Settings that are not in the file have the defaults of a new store."""
    if file is None:
        return Policy()
    try:
        sent = fraud_settings.FraudSettingsChanges.model_validate_json(file.read_bytes()).sent()
    except OSError as error:
        raise StartupError(f"{file} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        names = sorted({".".join(map(str, fault["loc"])) or "the whole file" for fault in error.errors()})
        raise StartupError(f"{file} has invalid settings: {', '.join(names)}.") from None
    return replace(Policy(), **fraud_settings.changes(sent))


ProgressBar = Callable[[str, int], Callable[[int], None]]


@contextmanager
def _bar() -> Iterator[ProgressBar]:
    """A progress bar for each part of the work, on a terminal."""
    if not _stderr.is_terminal:
        yield lambda words, total: lambda done: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_stderr, transient=True) as progress:

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


def _write(file: Path, write: Callable[[], object]) -> None:
    try:
        write()
    except OSError as error:
        raise StartupError(f"{file} cannot be written: {error.strerror}.") from None


def _write_scores(file: Path, judged: Sequence[JudgedOrder]) -> None:
    with file.open("w", newline="", encoding="utf-8") as opened:
        table = csv.writer(opened)
        table.writerow(("order_id", "score", "action_taken"))
        table.writerows(
            (
                plain_cell(judged_order.order.order_id),
                judged_order.verdict.risk_score,
                judged_order.verdict.action_taken,
            )
            for judged_order in judged
        )


def _show(report: Report) -> None:
    share = tables.percent(report.frauds / report.orders)
    out.print(f"[bold]{report.orders:,} orders[/], {report.frauds:,} of them fraud ({share}).")
    out.print(f"Judged with {report.settings}, in {report.seconds:.1f} s.")
    out.print(f"\nAUC                            [bold]{tables.decimal(report.auc)}[/]")
    out.print(f"Frauds caught at 1 % mistakes  [bold]{tables.percent(report.tpr_at_1pct_fpr)}[/]")
    if last := report.last_fifth:
        figures = (
            f"AUC {tables.decimal(last.auc)}, frauds caught at 1 % mistakes {tables.percent(last.tpr_at_1pct_fpr)}"
        )
        out.print(f"The last fifth by time: {last.orders:,} orders, {last.frauds:,} frauds, {figures}.")
    for title, columns, rows in tables.sections(report):
        out.print()
        _print_table(title, columns, rows)
    out.print()
    for sentence in tables.silences(report):
        out.print(sentence)


def _print_table(title: str, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left", header_style="dim")
    for row in rows:
        table.add_row(*row)
    out.print(table)


def _report_skipped(result: Report) -> None:
    """On stderr, so stdout has only the report."""
    for row in result.skipped_rows[:_MAX_PRINTED_ROWS]:
        _say(f"Line {row.line}: {row.reason}")
    if result.skipped > _MAX_PRINTED_ROWS:
        _say(f"and {result.skipped - _MAX_PRINTED_ROWS} more.")
    if result.skipped:
        _say(f"Skipped rows: {result.skipped}.")


_stderr = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def _say(sentence: str) -> None:
    _stderr.print(sentence, markup=False)
