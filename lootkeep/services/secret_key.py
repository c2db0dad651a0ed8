"""The secret key of a database: found, or created for a new one; a key that does not fit the data is rejected."""

from __future__ import annotations

from pathlib import Path

from lootkeep.domain.goods import KEY_PURPOSE
from lootkeep.domain.webhooks import SECRET_PURPOSE
from lootkeep.engines import key_file
from lootkeep.engines.card_codes import CODE_PURPOSE
from lootkeep.engines.vault import SealError, Vault
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import StartupError
from lootkeep.storage import secret_key as secret_key_db
from lootkeep.storage.emails import BODY_PURPOSE
from lootkeep.storage.engine.database import Database

_FINGERPRINT_PURPOSE = "secret key"
_PURPOSES = {
    "webhooks": SECRET_PURPOSE,
    "gift_cards": CODE_PURPOSE,
    "mails": BODY_PURPOSE,
    "product_keys": KEY_PURPOSE,
}


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


async def fingerprint(db: Database) -> str:
    """Identifies the key of a database without revealing it."""
    async with db.read() as tx:
        return await secret_key_db.fingerprint(tx)


async def _is_used(db: Database) -> bool:
    """Whether the database already had a key: another one could not open its data."""
    async with db.read() as tx:
        return bool(await secret_key_db.fingerprint(tx) or await secret_key_db.newest_seals(tx))


async def _fits(db: Database, vault: Vault) -> bool:
    """A database from before fingerprints were stored is checked by its sealed data."""
    async with db.read() as tx:
        fingerprint = await secret_key_db.fingerprint(tx)
        if fingerprint:
            return fingerprint == _fingerprint(vault)
        seals = await secret_key_db.newest_seals(tx)
    try:
        for name, sealed in seals.items():
            vault.open(sealed, _PURPOSES[name])
    except SealError:
        return False
    return True


async def _remember(db: Database, vault: Vault, now: Instant) -> bool:
    """Writes the fingerprint if there is none; False if another process was first, with another key."""
    async with db.read() as tx:
        fingerprint = await secret_key_db.fingerprint(tx)
    if not fingerprint:
        async with db.write() as tx:
            fingerprint = await secret_key_db.set_fingerprint(tx, _fingerprint(vault), now)
    return fingerprint == _fingerprint(vault)


def _fingerprint(vault: Vault) -> str:
    return vault.fingerprint(b"", _FINGERPRINT_PURPOSE)


def _wrong(key_setting: str | None, file: Path | None) -> StartupError:
    source = "LOOTKEEP_SECRET_KEY" if key_setting else f"The key in {file}"
    hint = f" It may be in {file}." if key_setting and file and file.exists() else ""
    return StartupError(
        f"{source} is not the key that the secrets in this database are encrypted with. Set the previous one "
        f"again.{hint}"
    )
