"""`lootkeep migrate`: brings the database's schema up to date."""

from __future__ import annotations

from lootkeep import settings, wiring
from lootkeep.cli.output import out, run
from lootkeep.storage import migrations


def migrate() -> None:
    """Bring the database to the newest schema. Safe to run again, and from several machines at once."""
    run(_migrate())


async def _migrate() -> None:
    engine = await wiring.open_database(settings.load())
    try:
        changed = await migrations.upgrade(engine)
    finally:
        await engine.close()
    out.print(f"The schema is now {migrations.HEAD}." if changed else f"The schema is up to date ({migrations.HEAD}).")
