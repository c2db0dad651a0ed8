"""Schema changes: alembic writes the SQL, the engine's own driver runs it, in one transaction."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from lootkeep.kernel.errors import StartupError
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.migrations.changes import CHANGES

# The newest revision in versions/, known without alembic: a start with nothing to migrate need not load it.
HEAD = max(CHANGES)

# Every schema has had these tables since the first revision.
_OWN_TABLES = {"tokens", "idempotency_keys", "referral_tiers"}
_MAX_NAMES = 3


async def upgrade(engine: Engine) -> bool:
    """Migrates the schema to the newest revision; False if it was already current."""
    if await revision(engine) == HEAD:
        return False
    await engine.migrate(lambda current: script(engine.name, current))
    return True


async def check(engine: Engine) -> None:
    """Raises if the schema does not match the code."""
    if await revision(engine) != HEAD:
        raise StartupError("The database schema is not up to date. Run `lootkeep migrate`, then start again.")


async def revision(engine: Engine) -> str | None:
    """The schema's revision, None for an empty database; raises if it is of another program or a newer version."""
    # The tables first: if another process migrates right now, there is a revision with the first table.
    tables = await engine.tables()
    current = await engine.revision()
    if tables and not tables >= _OWN_TABLES:
        raise _foreign(engine.label, tables)
    if current is not None and current not in known_revisions():
        raise _newer(current)
    return current


def script(dialect: str, current: str | None) -> str:
    """The SQL from a revision to the newest, in a dialect."""
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    if current is not None and current not in known_revisions():
        raise _newer(current)
    directory = ScriptDirectory(str(Path(__file__).parent))
    output = io.StringIO()
    options: dict[str, Any] = {
        "as_sql": True,
        "output_buffer": output,
        "starting_rev": current,
        "fn": lambda start, _context: directory._upgrade_revs(HEAD, start),
    }
    context = MigrationContext.configure(dialect_name=dialect, opts=options)
    with Operations.context(context):
        context.run_migrations()
    return output.getvalue()


def known_revisions() -> set[str]:
    """Every file in versions/ is named after its revision."""
    return {path.stem.split("_")[0] for path in (Path(__file__).parent / "versions").glob("[0-9]*.py")}


def _foreign(label: str, tables: set[str]) -> StartupError:
    names = ", ".join(sorted(tables)[:_MAX_NAMES]) + (" and more" if len(tables) > _MAX_NAMES else "")
    return StartupError(
        f"{label} contains tables of another program ({names}). Give Lootkeep a separate database with "
        "LOOTKEEP_DATABASE_URL."
    )


def _newer(current: str) -> StartupError:
    return StartupError(
        f"The database was created by a newer Lootkeep (schema {current}, this version knows {HEAD}). "
        "Upgrade Lootkeep, or restore a backup made with this version."
    )
