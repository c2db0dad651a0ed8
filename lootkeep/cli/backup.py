"""`lootkeep backup` and `lootkeep restore`: the whole store in one file, checked."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from lootkeep import settings
from lootkeep.cli.output import JsonFlag, out, print_json, run, waiting
from lootkeep.cli.store import location
from lootkeep.engines import key_file
from lootkeep.kernel import files
from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.wording import plural
from lootkeep.settings import Settings
from lootkeep.storage import migrations
from lootkeep.storage.backup import postgres, sqlite
from lootkeep.wiring.transfer import stamp_of

BackupFile = Annotated[Path, typer.Argument(metavar="FILE", help="The backup.")]


def backup(
    file: BackupFile,
    with_key: Annotated[bool, typer.Option("--with-key", help="Also copy the secret key to FILE.key.")] = False,
    json: JsonFlag = False,
) -> None:
    """Write the whole store to a file while it runs, then verify the file."""
    config = settings.load()
    key = _key(config) if with_key else None
    # A backup that is killed leaves no file with the name of a complete one.
    with ExitStack() as stack:
        draft = stack.enter_context(files.written(file))
        if key is not None:
            stack.enter_context(files.written(key_file.of(file))).write_text(key + "\n")
        with waiting("Writing and checking the backup"):
            counts = _write(config, draft)
    _report(counts, file, json=json)
    if not json:
        out.print(_about_key(config, file, is_copied=key is not None), markup=False)


def restore(
    file: BackupFile,
    replace: Annotated[
        bool, typer.Option("--replace", help="Rename an existing embedded database and replace it.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Restore a store from a backup, into an embedded database or an empty PostgreSQL database."""
    config = settings.load()
    if not file.is_file():
        raise StartupError(f"There is no file {file}.")
    target = config.sqlite_path
    _check_engine(file, is_embedded=target is not None)
    if target:
        key_file.check_copy(file, target)
    with waiting("Checking and restoring the backup"):
        if target is None:
            counts = run(postgres.restore(file, config.database_url))
        else:
            counts = sqlite.restore(file, target, replace=replace)
    if target:
        key_file.copy(file, target)
    _report(counts, file, json=json)
    if not json:
        out.print("Run `lootkeep doctor --check-counters` before you start the service.", markup=False)


def _check_engine(file: Path, *, is_embedded: bool) -> None:
    with file.open("rb") as opened:
        start = opened.read(len(sqlite.FIRST_BYTES))
    if is_embedded and start.startswith(postgres.FIRST_BYTES):
        raise StartupError(
            f"{file} is a backup of a PostgreSQL database, but LOOTKEEP_DATABASE_URL names an embedded one. Set it to "
            "an empty PostgreSQL database: postgresql://USER:PASSWORD@HOST/NAME. After that, "
            "`lootkeep move --to sqlite:///FILE` moves the store into an embedded one."
        )
    if not is_embedded and start == sqlite.FIRST_BYTES:
        raise StartupError(
            f"{file} is a backup of an embedded database, but LOOTKEEP_DATABASE_URL names a PostgreSQL database. "
            "Set it to a file: sqlite:///lootkeep.db. After that, "
            "`lootkeep move --to postgresql://USER:PASSWORD@HOST/NAME` moves the store to PostgreSQL."
        )


def _write(config: Settings, file: Path) -> dict[str, int]:
    if config.sqlite_path and not config.sqlite_path.exists():
        raise StartupError(f"There is no database at {config.sqlite_path.absolute()}.")
    stamp = run(stamp_of(config))
    # What else is wrong with it, the check of the backup finds.
    if stamp and stamp.startswith(migrations.MOVED):
        migrations.reject_unknown(location(), stamp)
    if config.sqlite_path is None:
        # A pooler assigns connections per transaction; a snapshot needs a session.
        return run(postgres.write(config.listen_url or config.database_url, file))
    return sqlite.write(config.sqlite_path, file)


def _key(config: Settings) -> str:
    own_key, key_path = config.key_sources
    key = own_key or (key_file.read(key_path) if key_path else None)
    if key is None:
        raise StartupError("There is no secret key to copy yet.")
    return key


def _about_key(config: Settings, file: Path, *, is_copied: bool) -> str:
    if is_copied:
        return f"The secret key is in {key_file.of(file)}: store it separately from the backup."
    own_key, key_path = config.key_sources
    where = "LOOTKEEP_SECRET_KEY" if own_key else str(key_path)
    return f"The secret key is not in it. Store a copy of {where} elsewhere: without it no stored secret can be read."


def _report(counts: dict[str, int], file: Path, *, json: bool) -> None:
    if json:
        print_json({"file": str(file), "bytes": file.stat().st_size, "rows": counts})
        return
    size = file.stat().st_size / 1_000_000
    orders, customers = counts.get("orders", 0), counts.get("customers", 0)
    rows = f"{plural(sum(counts.values()), 'row')}, {plural(orders, 'order')}, {plural(customers, 'customer')}"
    out.print(f"{file} is complete: {rows} ({size:,.1f} MB).", markup=False)
