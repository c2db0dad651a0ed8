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
from rich.table import Table

from lootkeep import wiring
from lootkeep.api.external import fraud_settings
from lootkeep.cli.files import DelimiterOption, EncodingOption, MapOption, mapped
from lootkeep.cli.output import fail, out, print_json, waiting
from lootkeep.cli.past_orders import LabelOption, SourceArgument, in_time, is_file, judge_file
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.spreadsheet import plain_cell
from lootkeep.settings import load
from lootkeep.toolbox.backtest import page, tables
from lootkeep.toolbox.backtest.reading import COLUMNS, PastOrders
from lootkeep.toolbox.backtest.replay import JudgedOrder
from lootkeep.toolbox.backtest.report import Figures, Report, report
from lootkeep.toolbox.backtest.stored import StoredOrders, from_database, personal_warnings
from lootkeep.toolbox.facts.reading import FactsFolder
from lootkeep.toolbox.files.reading import FileOptions

# At most this many bad rows are printed on the terminal.
_MAX_PRINTED_ROWS = 20


def backtest(
    source: SourceArgument = None,
    label: LabelOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="OUT", help="Write the report as a page with charts.")] = None,
    scores: Annotated[
        Path | None, typer.Option(metavar="OUT.csv", help="Write the score of every order, in the order of the source.")
    ] = None,
    settings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Judge with these settings: JSON in the format of PUT /fraud/settings."),
    ] = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    map_: MapOption = None,
) -> None:
    """Judge past orders in chronological order, each with what was known at its time, and no training.

    Uses the settings of a new store, unless --settings is given. The store and a folder have the facts of each order;
    those whose outcome is not known yet are left out. The orders of a file are replayed. Its columns, all optional:
    order_id, customer_id, email, customer_created_at, created_at, ip_address, device_id, billing_country, user_agent,
    total, signup_device_id, signup_ip_address, payment_fingerprint, payment_country.
    """
    try:
        options = FileOptions(delimiter, encoding, mapped(map_ or ()))
        result = _run(source, label, options, scores, html, settings)
    except StartupError as error:
        fail(str(error), code=2)
    if json:
        print_json(result)
    else:
        _show(result)


def _run(
    source: Path | None,
    label: str | None,
    options: FileOptions,
    scores: Path | None,
    html: Path | None,
    settings: Path | None,
) -> Report:
    started, policy = time.monotonic(), _policy(settings)
    with _score_file(scores) as write_score:
        if is_file(source):
            result = _judge_file(source, label, options, policy, write_score)
        else:
            result = _judge_stored(source, policy, write_score)
    if settings:
        result = replace(result, settings=f"the settings of {settings.name}")
    result = replace(result, seconds=round(time.monotonic() - started, 3))
    _report_skipped(result)
    if html:
        name = source.name if source else "the store"
        _write(html, lambda: html.write_text(page.render(result, name), encoding="utf-8"))
    return result


WriteScore = Callable[[JudgedOrder], None]


def _judge_file(file: Path, label: str | None, options: FileOptions, policy: Policy, write_score: WriteScore) -> Report:
    figures = Figures()
    past, judged, warnings = asyncio.run(judge_file(file, label, options, policy))
    for order in judged:
        write_score(order)
    for order in in_time(judged):
        figures.add(order)
    return report(figures, past, warnings)


def _judge_stored(folder: Path | None, policy: Policy, write_score: WriteScore) -> Report:
    """Of the folder, or of the store."""
    figures = Figures()
    orders = StoredOrders(policy, figures, write_score)
    with waiting("Judging orders"):
        if folder is None:
            asyncio.run(_judge_store(orders))
        else:
            for batch in FactsFolder(folder).orders():
                orders.judge(batch)
    if not figures.orders:
        raise StartupError("There is no order whose outcome is known: an order without a review has one after 90 days.")
    warnings = personal_warnings(policy) if folder else []
    return report(figures, PastOrders(columns=frozenset(COLUMNS)), warnings, orders.without_outcome)


async def _judge_store(orders: StoredOrders) -> None:
    async with wiring.opened(load()) as deps:
        async for batch in from_database(deps):
            orders.judge(batch)


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


def _write(file: Path, write: Callable[[], object]) -> None:
    try:
        write()
    except OSError as error:
        raise StartupError(f"{file} cannot be written: {error.strerror}.") from None


@contextmanager
def _score_file(file: Path | None) -> Iterator[WriteScore]:
    """Writes the score of each order that it gets, if there is a file to write to."""
    if file is None:
        yield lambda judged: None
        return
    try:
        opened = file.open("w", newline="", encoding="utf-8")
    except OSError as error:
        raise StartupError(f"{file} cannot be written: {error.strerror}.") from None
    with opened:
        table = csv.writer(opened)
        table.writerow(("order_id", "score", "action_taken"))
        yield lambda judged: table.writerow(
            (plain_cell(judged.order.order_id), judged.verdict.risk_score, judged.verdict.action_taken)
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
    if report.without_outcome:
        out.print(f"Orders that are left out because their outcome is not known yet: {report.without_outcome:,}.")
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
