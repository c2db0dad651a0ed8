"""`lootkeep move`: the whole store into another database, with a pause for writes."""

from __future__ import annotations

from time import monotonic
from typing import Annotated

import typer

from lootkeep.cli.import_store import about_totals, recounted
from lootkeep.cli.output import HintConsole, JsonFlag, out, print_json, run
from lootkeep.cli.progress import progress
from lootkeep.cli.store import existing
from lootkeep.engines import key_file
from lootkeep.kernel.database_url import check_postgres, is_postgres
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.redaction import redacted
from lootkeep.kernel.wording import plural
from lootkeep.settings import Settings
from lootkeep.storage import migrations
from lootkeep.storage.transfer.tables import Selection, Source, Target, count_rows, queries
from lootkeep.toolbox.moving.counting import Advance, counted
from lootkeep.wiring.transfer import set_stamp, source_of, stamp_of, target_of

_FILE = "sqlite:///"
# Rows per second, a cautious guess: only for the estimate of the pause.
_RATE = 10_000

To = Annotated[
    str, typer.Option("--to", metavar="URL", help="postgresql://USER:PASSWORD@HOST/NAME, or sqlite:///FILE.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask before the pause.")]


def move(to: To, yes: Yes = False, json: JsonFlag = False) -> None:
    """Move the store to an empty database of either engine, while it serves: writes are refused meanwhile."""
    config = existing()
    target = _target(config, to)
    # The key of an embedded database is in a file next to it.
    key_files = (config.sqlite_path, target.sqlite_path) if config.sqlite_path and target.sqlite_path else None
    if key_files:
        key_file.check_copy(*key_files)
    seconds, rows, about_pause = 0.0, 0, run(_resumed(config, target))
    if not about_pause:
        rows = run(_count(config, target))
        _announce(rows, yes=yes)
        with progress(rows, "Copying") as advance:
            seconds = run(_move(config, target, advance))
        about_pause = f"Writes were refused for {seconds:.1f} seconds."
    if key_files:
        key_file.copy(*key_files)
    wrong = recounted(target, target if target.secret_key else config)
    if json:
        print_json({"rows": rows, "pause_seconds": round(seconds, 3), "wrong_totals": sum(wrong.values())})
        return
    out.print(f"The store is in {redacted(to)}. {about_pause}", markup=False)
    out.print(about_totals(wrong), markup=False)
    out.print(_next_step(config, target), markup=False)


def _target(config: Settings, to: str) -> Settings:
    if is_postgres(to):
        try:
            check_postgres(to)
        except ValueError as error:
            raise StartupError(f"--to {error}.") from None
    elif not to.removeprefix(_FILE) or not to.startswith(_FILE):
        raise StartupError("--to must be postgresql://USER:PASSWORD@HOST/NAME or sqlite:///FILE.")
    changes = {"database_url": to, "database_pooler": "none", "database_direct_url": None}
    target = config.model_copy(update=changes)
    if _mark(target) == _mark(config):
        raise StartupError("The store is already there: --to names the same database as LOOTKEEP_DATABASE_URL.")
    return target


async def _resumed(config: Settings, target: Settings) -> str:
    """Finishes a move that was killed when the old database was closed, and the new one not yet open."""
    stamp = await stamp_of(config)
    if not stamp or not stamp.startswith(migrations.MOVED):
        migrations.reject_unknown("The store", stamp)
        return ""
    if stamp != _mark(target):
        raise StartupError(
            f"The store was {stamp}: there is nothing left to move here. If that move was interrupted, run it again "
            f"with exactly `--to {stamp.removeprefix(migrations.MOVED)}`."
        )
    async with source_of(target) as copy:
        copied = await copy.stamp()
        is_used = copied == migrations.HEAD and await count_rows(copy, Selection()) > 0
    if copied == migrations.UNFINISHED:
        await set_stamp(target, migrations.UNFINISHED, migrations.HEAD)
        return "The interrupted move is finished."
    if is_used:
        return "The move was already finished."
    raise StartupError(f"The store was {stamp}, but it is not there any more. Restore it there from a backup.")


async def _count(config: Settings, target: Settings) -> int:
    """How many rows there are; a target that could not take them is refused before anyone is asked."""
    async with target_of(target), source_of(config) as source:
        return await count_rows(source, Selection())


def _announce(rows: int, *, yes: bool) -> None:
    HintConsole(stderr=True).print(
        f"{rows:,} rows will be copied. Until that is done, in about {plural(rows // _RATE + 1, 'second')}, the store "
        "can be read but refuses writes with 503. The sandbox of test tokens is not moved.",
        markup=False,
    )
    if not yes:
        typer.confirm("Begin now?", abort=True)


async def _move(config: Settings, target_config: Settings, advance: Advance) -> float:
    async with target_of(target_config) as target:
        start = monotonic()
        async with source_of(config, holds_writes=True) as source:
            # Another move may have ended since the first look.
            migrations.reject_unknown("The store", await source.stamp())
            try:
                await _copy(source, target, target_config, advance)
            except StartupError as error:
                raise StartupError(f"{error} The store goes on where it was.") from None
            # The new database opens only after the old one is closed: there is never a moment with two stores.
            await source.mark_moved(_mark(target_config))
    await set_stamp(target_config, migrations.UNFINISHED, migrations.HEAD)
    return monotonic() - start


async def _copy(source: Source, target: Target, target_config: Settings, advance: Advance) -> None:
    for table, query in queries(Selection()).items():
        await target.load(table, counted(source.batches(query), table, advance))
    # They take up to half as long as the rows, and the bar is at its end.
    advance("indexes", 0)
    await target.commit(await source.last_ids(), migrations.UNFINISHED)
    if await stamp_of(target_config) != migrations.UNFINISHED:
        raise StartupError("The new database was replaced while the store was copied.")


def _mark(target: Settings) -> str:
    """With the whole path of a file: the next attempt may run in another folder."""
    path = target.sqlite_path
    return f"{migrations.MOVED}{f'{_FILE}{path.resolve()}' if path else redacted(target.database_url)}"


def _next_step(config: Settings, target: Settings) -> str:
    own_key, file = config.key_sources
    key = "" if own_key or target.sqlite_path else f" and LOOTKEEP_SECRET_KEY to the key in {file}"
    return (
        f"Now set LOOTKEEP_DATABASE_URL to it{key}, and restart every process. The old database stays as it is and "
        "accepts no writes."
    )
