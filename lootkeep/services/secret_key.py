"""The secret key of a database: found, or created for a new one; a key that does not fit the data is rejected."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from lootkeep.deps import Deps
from lootkeep.engines import key_file
from lootkeep.engines.vault import SealError, Vault
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import StartupError
from lootkeep.storage import secret_key as secret_key_db
from lootkeep.storage.engine.database import Database, Transaction
from lootkeep.storage.secret_key import KeyMark


async def open_vault(db: Database, key_setting: str | None, file: Path | None, now: Instant) -> Vault:
    """The vault with the given key or that of the file; a new embedded database gets its own key."""
    vault = await find(db, key_setting, file)
    if vault is None and file:
        key_file.make(file)
        vault = await find(db, key_setting, file)
    if vault is None:
        raise StartupError("LOOTKEEP_SECRET_KEY must be set with PostgreSQL.")
    if not await _remember(db, vault, now):
        raise _wrong(key_setting, file)
    return vault


async def find(db: Database, key_setting: str | None, file: Path | None) -> Vault | None:
    """The same without writing: None if there is no key yet and one may be created."""
    key = key_setting or (key_file.read(file) if file else None)
    if key is None:
        if await _is_used(db):
            raise StartupError(
                f"The secret key is missing: the database contains secrets that are encrypted with it, but {file} "
                "does not exist. Restore that file from a backup, or set LOOTKEEP_SECRET_KEY to the key."
            )
        return None
    vault = Vault(key)
    if not await _fits(db, vault):
        raise _wrong(key_setting, file)
    return vault


async def key_marks(db: Database) -> list[str]:
    """Identifies the keys that open a database without revealing them: two during a rotation."""
    async with db.read() as tx:
        mark = await secret_key_db.mark(tx)
    return sorted(mark.rings or {mark.fingerprint})


async def refresh(deps: Deps) -> None:
    """Called every second: a running process learns the keys of a rotation before anything is sealed with them."""
    async with deps.db.read() as tx:
        mark = await secret_key_db.mark(tx)
    if mark.announced:
        deps.vault.use_announced_ring(mark.announced)


async def _is_used(db: Database) -> bool:
    """Whether the database already had a key: another one could not open its data."""
    async with db.read() as tx:
        return bool((await secret_key_db.mark(tx)).fingerprint or await _newest_seals(tx))


async def _fits(db: Database, vault: Vault) -> bool:
    """Takes over the keys of earlier rotations. A database from before marks were stored is checked by its data."""
    async with db.read() as tx:
        mark = await secret_key_db.mark(tx)
        seals = [] if mark.fingerprint else await _newest_seals(tx)
    if mark.rings:
        if ring := mark.rings.get(vault.key_mark):
            vault.use_sealed_ring(ring)
        return bool(ring)
    if mark.fingerprint:
        return mark.fingerprint == vault.key_mark
    return all(opened(vault, sealed, purposes) is not None for sealed, purposes in seals)


def opened(vault: Vault, sealed: str, purposes: Sequence[str]) -> tuple[str, str] | None:
    """The text and its purpose, of a column that has several; None if the vault does not open it."""
    for purpose in purposes:
        with suppress(SealError):
            return vault.open(sealed, purpose), purpose
    return None


async def _newest_seals(tx: Transaction) -> list[tuple[str, Sequence[str]]]:
    newest = [(await column.newest(tx), column.purposes) for column in secret_key_db.columns()]
    return [(sealed, purposes) for sealed, purposes in newest if sealed]


async def _remember(db: Database, vault: Vault, now: Instant) -> bool:
    """Stores the mark of the key if there is none; False if another process was first, with another key."""
    async with db.read() as tx:
        mark = await secret_key_db.mark(tx)
    if not mark.fingerprint:
        async with db.write() as tx:
            mark = await secret_key_db.mark_for_update(tx, now)
            if not mark.fingerprint:
                mark = KeyMark(vault.key_mark)
                await secret_key_db.set_mark(tx, mark, now)
    return vault.key_mark in (mark.rings or {mark.fingerprint})


def _wrong(key_setting: str | None, file: Path | None) -> StartupError:
    source = "LOOTKEEP_SECRET_KEY" if key_setting else f"The key in {file}"
    hint = f" It may be in {file}." if key_setting and file and file.exists() else ""
    return StartupError(
        f"{source} is not the key that the secrets in this database are encrypted with. Set the previous one "
        f"again.{hint}"
    )
