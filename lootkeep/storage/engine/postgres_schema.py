"""The schema of a PostgreSQL database for migrations: its stamp, its script, and its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import asyncpg

from lootkeep.kernel.errors import StartupError
from lootkeep.storage.engine.database import READ_STAMP, STAMP_TABLE

if TYPE_CHECKING:
    from lootkeep.storage.engine.postgres_transaction import PostgresTransaction

# Not `to_regclass`: after a wait for another process that creates the table it may still know of none.
_HAS_TABLE = "SELECT FROM pg_class WHERE relname = $1 AND relnamespace = current_schema()::regnamespace"
_ENTER = (
    "SELECT set_config('search_path', concat_ws(', ', $1::text, quote_ident(nspname)), true)"
    " FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'"
)


async def revision(tx: PostgresTransaction) -> str | None:
    if not await tx.fetch(_HAS_TABLE, [STAMP_TABLE]):
        return None
    rows = await tx.fetch(READ_STAMP, [])
    return str(rows[0][0]) if rows else None


async def run_script(tx: PostgresTransaction, statements: str, schema: str | None) -> None:
    if schema:
        await _enter(tx, schema)
    try:
        await tx.command(statements)
    except asyncpg.DuplicateTableError as error:
        raise StartupError(
            f"The database contains tables of another program ({error}). Give Lootkeep a separate database."
        ) from None


async def _enter(tx: PostgresTransaction, schema: str) -> None:
    """From now on tables are created there, and the extension is found in any schema."""
    if not await tx.fetch("SELECT FROM pg_namespace WHERE nspname = $1", [schema]):
        try:
            await tx.command(f"CREATE SCHEMA {schema}")
        except asyncpg.InsufficientPrivilegeError:
            raise StartupError(
                f"The schema {schema} cannot be created. As an administrator of the database, run "
                f"CREATE SCHEMA {schema} AUTHORIZATION with the user of LOOTKEEP_DATABASE_URL."
            ) from None
    await tx.fetch(_ENTER, [schema])
