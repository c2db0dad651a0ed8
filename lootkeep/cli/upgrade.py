"""`lootkeep upgrade`: reports what a new version changes in the database and how long that takes, and applies it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from lootkeep import wiring
from lootkeep.cli.output import JsonFlag, fail, out, print_json, print_table, run, waiting
from lootkeep.cli.store import existing, location
from lootkeep.kernel.errors import StartupError
from lootkeep.settings import Settings
from lootkeep.storage import migrations
from lootkeep.storage.migrations.plan import COPY_BYTES_PER_SECOND, Plan, plan


def upgrade(
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing, only report; exits with 1 when there is something to do.")
    ] = False,
    no_copy: Annotated[
        bool, typer.Option("--no-copy", help="Make no copy of an embedded database before it is changed.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Bring the database to the schema of this version, or say what that takes. An embedded one is copied before."""
    try:
        config = existing()
        with waiting("Counting rows" if check else "Upgrading the database"):
            pending, copy = run(_upgrade(config, is_check=check, with_copy=not no_copy))
    except StartupError as error:
        # 1 means that there is something to do.
        fail(str(error), 2)
    copied_bytes = config.sqlite_path.stat().st_size if config.sqlite_path and pending.steps and not no_copy else 0
    if json:
        print_json(_document(pending, copied_bytes) | ({} if check else {"copy": copy and str(copy)}))
    elif not check:
        out.print(_done(pending, copy), markup=False)
    else:
        _print_report(pending, copied_bytes)
    if check and pending.steps:
        sys.exit(1)


async def _upgrade(config: Settings, *, is_check: bool, with_copy: bool) -> tuple[Plan, Path | None]:
    engine = await wiring.open_database(config)
    try:
        pending = await plan(engine)
        copy = None if is_check else await wiring.upgrade(config, engine, with_copy=with_copy)
        return pending, copy
    finally:
        await engine.close()


def _document(pending: Plan, copied_bytes: int) -> dict[str, Any]:
    return {
        "current": pending.current,
        "newest": migrations.HEAD,
        "changes": [step._asdict() for step in pending.steps],
        "seconds": round(pending.seconds + _copy_seconds(copied_bytes), 3),
        "pause": pending.pause,
        "copied_bytes": copied_bytes,
    }


def _print_report(pending: Plan, copied_bytes: int) -> None:
    if not pending.steps:
        out.print(f"There is nothing to do: the schema is {migrations.HEAD}, the newest.")
        return
    present = f"The schema is {pending.current}" if pending.current else "There is no schema yet"
    out.print(f"{present}, that of this version is {migrations.HEAD}. Pending changes:\n", markup=False)
    print_table(
        ("Schema", "Seconds", "Rows", "Change"),
        [
            (
                step.revision,
                f"{step.seconds:,.0f}" if step.seconds >= 1 else "< 1",
                f"{sum(step.rows.values()):,}",
                step.sentence,
            )
            for step in pending.steps
        ],
    )
    total = pending.seconds + _copy_seconds(copied_bytes)
    time = "less than a second" if total < 1 else f"about {total:,.0f} seconds"
    out.print(f"\nTime:   {time}, by the rows that are read, indexed and written.", markup=False)
    out.print(f"Pause:  {pending.pause or 'None is needed: restart the processes after it.'}", markup=False)
    if copied_bytes:
        out.print(f"Copy:   {copied_bytes / 1_000_000:,.1f} MB next to the database, checked, before any change.")
    out.print("\n`lootkeep upgrade` does it.")


def _copy_seconds(copied_bytes: int) -> float:
    return copied_bytes / COPY_BYTES_PER_SECOND


def _done(pending: Plan, copy: Path | None) -> str:
    if not pending.steps:
        return f"There was nothing to do: the schema is {migrations.HEAD}, the newest."
    sentence = f"The schema of {location()} is now {migrations.HEAD}."
    return f"{sentence} The copy from before is {copy}." if copy else sentence
