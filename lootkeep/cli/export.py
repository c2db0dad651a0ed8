"""`lootkeep export`: the whole store as a folder of files."""

from __future__ import annotations

from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from lootkeep import __version__, wiring
from lootkeep.cli import facts
from lootkeep.cli.commands import HELP_NAMES
from lootkeep.cli.output import HintConsole, JsonFlag, out, print_json, run
from lootkeep.cli.progress import progress
from lootkeep.cli.store import existing, location
from lootkeep.engines.vault import Vault
from lootkeep.kernel.clock import Instant, instant, iso
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.wording import plural
from lootkeep.services import exports as exports_service, secret_key as secret_key_service
from lootkeep.settings import Settings
from lootkeep.storage import migrations
from lootkeep.storage.transfer.tables import FIELDS, Selection, count_rows
from lootkeep.toolbox.moving import folder as folders, moment as moments
from lootkeep.toolbox.moving.manifest import FORMAT, Manifest
from lootkeep.toolbox.moving.moment import Moment
from lootkeep.wiring.transfer import source_of


class _Exports(TyperGroup):
    """Without the name of a command, `lootkeep export FOLDER` exports the store."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        if args and args[0] not in {*self.commands, *HELP_NAMES}:
            args = ["store", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_Exports, help="Export the whole store to a folder while it runs.", no_args_is_help=True)
app.command("facts")(facts.facts)

ExportFolder = Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder.")]


def _day(text: str) -> Instant:
    try:
        return instant(datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a day like 2026-11-01.") from None


Since = Annotated[
    Instant | None,
    typer.Option("--since", metavar="DATE", parser=_day, help="Only records changed since this day (UTC)."),
]
Only = Annotated[
    str | None, typer.Option("--only", metavar="TABLES", help="Only these tables, such as orders,customers.")
]
WithSecrets = Annotated[
    bool,
    typer.Option("--with-secrets", help="Also write gift card codes, keys and secrets of webhooks in plain text."),
]
Yes = Annotated[bool, typer.Option("--yes-write-secrets", help="Do not ask before secrets are written; for scripts.")]


@app.command("store")
def export_store(
    folder: ExportFolder,
    customer: Annotated[int | None, typer.Option("--customer", metavar="ID", help="Only this customer.")] = None,
    since: Since = None,
    only: Only = None,
    with_secrets: WithSecrets = False,
    yes: Yes = False,
    json: JsonFlag = False,
) -> None:
    """Export every table as it is at one moment, as NDJSON, with a manifest. The default of `lootkeep export`."""
    selection = Selection(customer, since, [] if only is None else _names(only))
    if with_secrets and not yes:
        typer.confirm("Gift card codes, keys and secrets will be readable in these files. Continue?", abort=True)
        typer.confirm("Anyone with these files can spend the cards and use the keys. Are you sure?", abort=True)
    config = existing()
    # A complete folder is noticed before anything is read.
    with folders.drafted(folder) as draft:
        moment, vault = run(_moment(config, folder.absolute(), draft, selection, with_secrets=with_secrets))
        # Outside the event loop, which would hear of Ctrl-C only at the end.
        with progress(sum(moment.rows.values()), "Writing") as advance:
            manifest = folders.write(draft, moment, vault if with_secrets else None, advance)
    _report(folder, manifest, json=json)


def _names(only: str) -> list[str]:
    names = sorted({name.strip() for name in only.split(",")} - {""})
    if not names:
        raise StartupError("--only names no table: use it as in --only orders,customers.")
    for name in names:
        if name not in FIELDS:
            nearest = get_close_matches(name, FIELDS, n=1)
            question = f" Did you mean {nearest[0]}?" if nearest else ""
            raise StartupError(f"There is no table {name}.{question} The tables are {', '.join(sorted(FIELDS))}.")
    return names


async def _moment(
    config: Settings, folder: Path, draft: Path, selection: Selection, *, with_secrets: bool
) -> tuple[Moment, Vault]:
    """What is written, and what opens its secrets."""
    async with wiring.opened(config) as deps:
        key_marks = await secret_key_service.key_marks(deps.db)
        wanted = _wanted(config, selection, key_marks, iso(deps.clock.now()), with_secrets=with_secrets)
        if with_secrets:
            await exports_service.note_secrets(deps, str(folder))
        moment = moments.interrupted(draft, wanted)
        if moment:
            _announce(moment, draft)
        else:
            moment = await _taken(config, draft, wanted, selection)
        return moment, deps.vault


def _wanted(config: Settings, selection: Selection, key_marks: list[str], now: str, *, with_secrets: bool) -> Moment:
    engine = "sqlite" if config.sqlite_path else "postgresql"
    selected = {name: value for name, value in selection._asdict().items() if value}
    return Moment(
        location(), Manifest(FORMAT, __version__, migrations.HEAD, now, engine, key_marks, with_secrets, selected)
    )


async def _taken(config: Settings, draft: Path, wanted: Moment, selection: Selection) -> Moment:
    async with source_of(config) as source:
        migrations.reject_unknown("The store", await source.stamp())
        customer = selection.customer
        if customer is not None and not await count_rows(source, Selection(customer, only=["customers"])):
            raise StartupError(f"There is no customer {customer}.")
        with progress(await count_rows(source, selection), "Reading") as advance:
            return await moments.take(draft, wanted, source, selection, advance)


def _announce(moment: Moment, draft: Path) -> None:
    HintConsole(stderr=True).print(
        f"The export of {moment.manifest.exported_at} was interrupted and goes on: the store as it was then. "
        f"Remove {draft} to begin again.",
        markup=False,
    )


def _report(folder: Path, manifest: Manifest, *, json: bool) -> None:
    if json:
        print_json({"folder": str(folder), "manifest": manifest})
        return
    tables = manifest.tables
    rows, size = sum(table.rows for table in tables.values()), sum(table.bytes for table in tables.values())
    contents = f"{plural(rows, 'row')} in {plural(len(tables), 'file')}"
    out.print(f"{folder} is complete: {contents} ({size / 1_000_000:,.1f} MB).", markup=False)
    if manifest.has_secrets:
        out.print("It contains secrets in plain text: remove it when you no longer need it.", markup=False)
    elif not manifest.selection:
        out.print("Secrets in it are sealed: `lootkeep import store` needs the secret key of this store.", markup=False)
