"""`lootkeep migrate`: migrates the database, or reports whether its schema is current."""

from __future__ import annotations

import sys
from typing import Annotated, NamedTuple

import typer

from lootkeep import settings, wiring
from lootkeep.cli.output import JsonFlag, out, print_json, run, waiting
from lootkeep.cli.store import location
from lootkeep.storage import migrations


class Schema(NamedTuple):
    """The schema before and after; before is None in an empty database."""

    before: str | None
    after: str | None


def migrate(
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit with 1 when the schema is not the newest.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Migrate the database to the newest schema. Safe to run again, and from several machines at once.

    An embedded database is copied before, as by `lootkeep upgrade`.
    """
    config = settings.load()
    if check and config.sqlite_path and not config.sqlite_path.exists():
        # Opening it would create it.
        schema = Schema(None, None)
    else:
        with waiting("Bringing the schema up to date"):
            schema = run(_migrate(config, is_check=check))
    is_newest = schema.after == migrations.HEAD
    if json:
        print_json({**schema._asdict(), "newest": migrations.HEAD, "is_newest": is_newest})
    else:
        out.print(_sentence(schema), markup=False)
    if not is_newest:
        sys.exit(1)


async def _migrate(config: settings.Settings, *, is_check: bool) -> Schema:
    engine = await wiring.open_database(config)
    try:
        before = await migrations.revision(engine)
        if is_check:
            return Schema(before, before)
        await wiring.upgrade(config, engine, with_copy=True)
        return Schema(before, await engine.revision())
    finally:
        await engine.close()


def _sentence(schema: Schema) -> str:
    if schema.after != migrations.HEAD:
        there = f"The schema is {schema.after}" if schema.after else "There is no schema yet"
        return f"{there}, the newest is {migrations.HEAD}: run `lootkeep migrate`."
    if schema.before != schema.after:
        return f"The schema of {location()} is now {schema.after}."
    return f"The schema is up to date ({schema.after})."
