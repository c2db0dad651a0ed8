"""Rotating the secret key while the store serves: each step can be repeated, so a killed rotation goes on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from lootkeep.deps import Deps
from lootkeep.engines.vault import KeyRing, Vault
from lootkeep.kernel.errors import StartupError
from lootkeep.services import secret_key, settings
from lootkeep.storage import secret_key as secret_key_db
from lootkeep.storage.engine.database import Database
from lootkeep.storage.secret_key import KeyMark, SealedColumn

# Processes look for new keys every second; a busy one may take longer.
ANNOUNCED_SECONDS = 10.0

Wait = Callable[[float], Awaitable[None]]


async def rotate(deps: Deps, new: Vault, wait: Wait, *, ends_links: bool) -> int:
    """How many values new keys have sealed again: all. Both secret keys are valid then, until `finish`."""
    await _announce(deps, new, lambda ring, is_rotating: ring if is_rotating else ring.with_next())
    await wait(ANNOUNCED_SECONDS)
    await _announce(deps, new, lambda ring, _: ring.with_newest_current(ends_links=ends_links))
    await wait(ANNOUNCED_SECONDS)
    return await _seal_all_again(deps)


async def finish(deps: Deps) -> int:
    """With the new secret key: seals again what others have sealed since, and ends the old secret key."""
    count = await _seal_all_again(deps)
    vault, now = deps.vault, deps.clock.now()
    async with deps.db.write() as tx:
        await secret_key_db.mark_for_update(tx, now)
        only = {vault.key_mark: vault.sealed_ring(vault.ring)}
        await secret_key_db.set_mark(tx, KeyMark(vault.key_mark, only), now)
    return count


async def is_for_finish(deps: Deps) -> bool:
    """Whether a rotation is under way, and this process was started with its new key."""
    async with deps.db.read() as tx:
        mark = await secret_key_db.mark(tx)
    return mark.is_rotating and mark.fingerprint == deps.vault.key_mark


async def count_left(db: Database, vault: Vault) -> int | None:
    """How many values the new keys have still to seal; None if no rotation is under way."""
    async with db.read(slow=True) as tx:
        if not (await secret_key_db.mark(tx)).is_rotating:
            return None
        return sum([await column.count_stale(tx, vault.newest_prefix) for column in secret_key_db.columns()])


async def _announce(deps: Deps, new: Vault, change: Callable[[KeyRing, bool], KeyRing]) -> None:
    """Stores a ring for processes that run, and for those that start with either secret key."""
    own, now = deps.vault, deps.clock.now()
    async with deps.db.write() as tx:
        mark = await secret_key_db.mark_for_update(tx, now)
        if mark.rings and own.key_mark not in mark.rings:
            raise StartupError("Another rotation has ended meanwhile: run this again with the current key.")
        if mark.rings:
            own.use_sealed_ring(mark.rings[own.key_mark])
        ring = change(own.ring, mark.is_rotating)
        own.use(ring)
        rings = {vault.key_mark: vault.sealed_ring(ring) for vault in (own, new)}
        await secret_key_db.set_mark(tx, KeyMark(new.key_mark, rings, own.announced_ring()), now)


async def _seal_all_again(deps: Deps) -> int:
    """Until a look at every column finds nothing: processes that learned late have sealed with the old keys."""
    await settings.seal_again(deps)
    total = 0
    while count := sum([await _seal_again(deps, column) for column in secret_key_db.columns()]):
        total += count
    return total


async def _seal_again(deps: Deps, column: SealedColumn) -> int:
    """How many values were sealed again. What no key opens stays as it is."""
    count, after = 0, None
    while True:
        async with deps.db.read(slow=True) as tx:
            rows = await column.stale(tx, deps.vault.prefix, after)
        if not rows:
            return count
        count, after = count + await _seal_rows_again(deps, column, rows), rows[-1][:-1]


async def _seal_rows_again(deps: Deps, column: SealedColumn, rows: Sequence[tuple[Any, ...]]) -> int:
    texts = [secret_key.opened(deps.vault, row[-1], column.purposes) for row in rows]
    readable = [(row, deps.vault.seal(*text)) for row, text in zip(rows, texts, strict=True) if text]
    if readable:
        async with deps.db.write() as tx:
            await column.replace(tx, [row for row, _ in readable], [sealed for _, sealed in readable])
    return len(readable)
