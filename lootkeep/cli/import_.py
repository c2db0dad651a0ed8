"""`lootkeep import`: imports the history of a shop."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NamedTuple

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from lootkeep import wiring
from lootkeep.cli.files import DelimiterOption, EncodingOption, MapOption, mapped
from lootkeep.cli.import_keys import import_keys
from lootkeep.cli.import_store import import_store
from lootkeep.cli.import_summary import print_summary
from lootkeep.cli.output import run
from lootkeep.cli.store import existing
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.wording import plural
from lootkeep.toolbox.files.dialect import Delimiter, Encoding
from lootkeep.toolbox.files.reading import BadRow, FileOptions, RowFile, opened
from lootkeep.toolbox.imports.coupons import Coupons
from lootkeep.toolbox.imports.customers import Customers
from lootkeep.toolbox.imports.disputes import Disputes
from lootkeep.toolbox.imports.gift_cards import GiftCards
from lootkeep.toolbox.imports.ignored import look_through, names_money
from lootkeep.toolbox.imports.kinds import RecordKind, meant, spellings, unknown_column
from lootkeep.toolbox.imports.orders import Orders
from lootkeep.toolbox.imports.preset import Preset, converted
from lootkeep.toolbox.imports.presets import ShopSoftware, preset_of
from lootkeep.toolbox.imports.products import Products
from lootkeep.toolbox.imports.references import aliases_of
from lootkeep.toolbox.imports.refused import written_to
from lootkeep.toolbox.imports.running import Import, RowTally
from lootkeep.toolbox.imports.subscriptions import Subscriptions

app = typer.Typer(
    help="Import a shop's products, customers, orders, disputes, coupons, gift cards and subscriptions, in this order. "
    "Existing records are skipped, so a file can be imported again. No webhooks are sent.",
    no_args_is_help=True,
)


class Format(StrEnum):
    csv = "csv"
    ndjson = "ndjson"
    xlsx = "xlsx"


_ENDINGS = {".csv": Format.csv, ".ndjson": Format.ndjson, ".jsonl": Format.ndjson, ".xlsx": Format.xlsx}

ImportFile = Annotated[str, typer.Argument(metavar="FILE", help="A CSV, NDJSON or Excel file; - reads standard input.")]
FormatOption = Annotated[
    Format | None, typer.Option("--format", help="The format, if the file name does not say it.", show_default=False)
]
FromOption = Annotated[
    ShopSoftware | None,
    typer.Option("--from", help="The shop software that exported the file.", show_default=False),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="HEADING", help="Accept that this column is not imported; can be repeated."),
]
Errors = Annotated[
    Path | None,
    typer.Option(
        "--errors", metavar="FILE", help="Write the rejected rows with their reasons to this file, to be corrected."
    ),
]
CurrentPrices = Annotated[
    bool, typer.Option("--current-prices", help="Use the current price of the product for lines without a price.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Check everything, show the first rows, and write nothing.")]
JsonSummaryFlag = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]


class Request(NamedTuple):
    """What is imported, and how."""

    kind: RecordKind[Any, Any]
    file: str
    options: FileOptions
    preset: Preset
    errors: Path | None
    is_dry: bool
    is_json: bool


def _command(name: str, kind: RecordKind[Any, Any], words: str) -> None:
    @app.command(name, help=words)
    def command(
        file: ImportFile,
        from_: FromOption = None,
        format_: FormatOption = None,
        delimiter: DelimiterOption = None,
        encoding: EncodingOption = None,
        map_: MapOption = None,
        ignore: IgnoreOption = None,
        errors: Errors = None,
        dry_run: DryRun = False,
        json: JsonSummaryFlag = False,
    ) -> None:
        preset = _preset(from_, kind)
        options = _options(file, kind, preset, format_, delimiter, encoding, map_, ignore)
        _import(Request(kind, file, options, preset, errors, dry_run, json))


_command("products", Products(), "Import products, identified by their sku.")
_command("customers", Customers(), "Import customers, identified by their e-mail address.")


@app.command()
def orders(
    file: ImportFile,
    from_: FromOption = None,
    format_: FormatOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    map_: MapOption = None,
    ignore: IgnoreOption = None,
    errors: Errors = None,
    current_prices: CurrentPrices = False,
    dry_run: DryRun = False,
    json: JsonSummaryFlag = False,
) -> None:
    """Import orders with their original values, identified by their external id."""
    kind = Orders(takes_current_prices=current_prices, accepts_loss=any(map(names_money, ignore or ())))
    preset = _preset(from_, kind)
    options = _options(file, kind, preset, format_, delimiter, encoding, map_, ignore)
    _import(Request(kind, file, options, preset, errors, dry_run, json))


app.command("keys")(import_keys)
app.command("store")(import_store)
_command("disputes", Disputes(), "Import disputes, identified by order, kind and external id.")
_command("coupons", Coupons(), "Import coupons, identified by their code.")
_command("gift-cards", GiftCards(), "Import gift cards with their balance, identified by their code.")
_command("subscriptions", Subscriptions(), "Import subscriptions, identified by customer, product and start.")


def _preset(shop: ShopSoftware | None, kind: RecordKind[Any, Any]) -> Preset:
    if shop is None:
        return Preset({})
    preset = preset_of(shop, kind.noun)
    if preset is None:
        raise StartupError(f"{shop} has no preset for {kind.noun}: map the columns with --map.")
    return preset


def _options(
    file: str,
    kind: RecordKind[Any, Any],
    preset: Preset,
    format_: Format | None,
    delimiter: Delimiter | None,
    encoding: Encoding | None,
    pairs: list[str] | None,
    ignore: list[str] | None,
) -> FileOptions:
    ignored = frozenset(heading.strip().lower() for heading in ignore or ())
    is_json = (format_ or _format_of(file)) is Format.ndjson
    if is_json and preset.columns:
        raise StartupError("--from is for the CSV files that a shop exports: map the names of NDJSON with --map.")
    aliases = aliases_of(kind.columns)
    columns = {heading: aliases.get(column, column) for heading, column in mapped(pairs or ()).items()}
    headings = preset.headings or spellings(kind.columns)
    return FileOptions(delimiter, encoding, columns, {**headings, **aliases}, ignored, is_json)


def _import(request: Request) -> None:
    with ExitStack() as stack:
        rows = stack.enter_context(opened(stack.enter_context(_opened(request.file)), request.options))
        _check_columns(request, rows)
        note = stack.enter_context(_notes(request, rows))
        advance = stack.enter_context(_progress(rows))
        try:
            tally = run(_run(request, rows, note, advance))
        except KeyboardInterrupt:
            _say("Interrupted. Nothing is half-written: run the same command again to continue.")
            raise
    print_summary(request.kind, tally, is_dry=request.is_dry, is_json=request.is_json)
    if tally.refused:
        sys.exit(1)


def _check_columns(request: Request, rows: RowFile) -> None:
    """Reports the columns that would be lost, and stops if they contain money."""
    kind = request.kind
    for column in request.options.columns.values():
        if column not in kind.columns:
            raise StartupError(unknown_column(column, kind))
    # A name may be in several columns of a preset, and a price in another form.
    is_checked = not request.options.is_json and not request.preset.columns
    missing = kind.missing(rows.columns) if is_checked else None
    free = kind.columns - set(rows.columns)
    if missing:
        near = [f'--map "{name}={like}"' for name in rows.columns if (like := meant(name, free, is_loose=True))]
        hint = f" Did you mean {' '.join(near)}?" if near else ""
        raise StartupError(f"The file lacks {missing}.{hint}")
    used = kind.columns | {*request.preset.columns.values(), *request.preset.derived}
    ignored = look_through(rows, used)
    if rows.remark:
        _say(rows.remark)
    if ignored.others:
        names = [f"{name} (did you mean {like}?)" if (like := meant(name, free)) else name for name in ignored.others]
        _say(f"Ignored columns: {', '.join(names)}.")
    if ignored.money:
        columns = ", ".join(f"{name} ({plural(count, 'row')})" for name, count in ignored.money.items())
        options = " ".join(f'--ignore "{name}"' for name in ignored.money)
        raise StartupError(
            f"These columns contain money that would be lost: {columns}. Nothing was imported. Run it again with "
            f"{options} to import everything without these amounts, or map a column with --map."
        )


async def _run(
    request: Request, rows: RowFile, note: Callable[[BadRow], None], advance: Callable[[RowTally], None]
) -> RowTally:
    async with wiring.opened(existing()) as deps:
        running = Import(deps, request.kind, rows.dialect, note, dry=request.is_dry)
        records = request.kind.combined(rows.rows(), rows.dialect)
        await running.run(converted(records, request.preset), advance)
    return running.tally


def _format_of(file: str) -> Format:
    if (file_format := _ENDINGS.get(Path(file).suffix.lower())) is None:
        raise StartupError("The format is not clear from the file name: add --format csv, ndjson or xlsx.")
    return file_format


def _opened(file: str) -> AbstractContextManager[BinaryIO]:
    if file == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise StartupError(f"{file} cannot be read: {error.strerror}.") from None


@contextmanager
def _notes(request: Request, rows: RowFile) -> Iterator[Callable[[BadRow], None]]:
    """Reports a rejected row on stderr, and in the errors file if one is requested."""
    if request.errors is None:
        yield lambda row: _say(f"Line {row.line}: {row.reason}")
        return
    if request.errors.exists() and request.file != "-" and request.errors.samefile(request.file):
        raise StartupError("--errors is the file that is imported: choose another name.")
    with written_to(request.errors, rows) as write:

        def note(row: BadRow) -> None:
            _say(f"Line {row.line}: {row.reason}")
            write(row)

        yield note


@contextmanager
def _progress(rows: RowFile) -> Iterator[Callable[[RowTally], None]]:
    """A progress bar over the bytes of the file, on a terminal."""
    if not _stderr.is_terminal:
        yield lambda tally: None
        return
    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=_stderr, transient=True) as progress:
        task = progress.add_task("", total=rows.size)

        def advance(tally: RowTally) -> None:
            words = f"{tally.imported} imported, {tally.skipped} skipped, {tally.refused} rejected"
            progress.update(task, completed=rows.bytes_read, description=words)

        yield advance


_stderr = Console(stderr=True, highlight=False, soft_wrap=True)


def _say(sentence: str) -> None:
    _stderr.print(sentence, markup=False)
