"""Schema changes: alembic writes the SQL, the engine's own driver runs it, in one transaction."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from lootkeep.kernel.errors import StartupError
from lootkeep.storage.database import Engine

# The newest revision in versions/. Named here so that a start with nothing to do need not load alembic.
HEAD = "0019"


async def upgrade(engine: Engine) -> bool:
    """Brings the schema to the newest revision; False when it was there already."""
    if await engine.revision() == HEAD:
        return False
    await engine.migrate(lambda revision: script(engine.name, revision))
    return True


async def check(engine: Engine) -> None:
    """Refuses to work on a schema that is not the code's own."""
    revision = await engine.revision()
    if revision == HEAD:
        return
    if revision is None or revision in known_revisions():
        raise StartupError("The database schema is not up to date. Run `lootkeep migrate`, then start again.")
    raise _newer(revision)


def script(dialect: str, revision: str | None) -> str:
    """The SQL from a revision to the newest, in a dialect."""
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    if revision is not None and revision not in known_revisions():
        raise _newer(revision)
    directory = ScriptDirectory(str(Path(__file__).parent))
    output = io.StringIO()
    options: dict[str, Any] = {
        "as_sql": True,
        "output_buffer": output,
        "starting_rev": revision,
        "fn": lambda current, _context: directory._upgrade_revs(HEAD, current),
    }
    context = MigrationContext.configure(dialect_name=dialect, opts=options)
    with Operations.context(context):
        context.run_migrations()
    return output.getvalue()


def known_revisions() -> set[str]:
    """Every file in versions/ is named after its revision."""
    return {path.stem.split("_")[0] for path in (Path(__file__).parent / "versions").glob("[0-9]*.py")}


def _newer(revision: str) -> StartupError:
    return StartupError(
        f"The database was made by a newer Lootkeep (schema {revision}, this one knows {HEAD}). "
        "Upgrade Lootkeep, or restore a backup made with this version."
    )
