"""Idempotency keys: the same request sent again gets the stored answer, kept in the deed's own transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from lootkeep.deps import Deps
from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.kernel.errors import Conflict, Unprocessable, invalid
from lootkeep.services.retention import ANSWERS_KEPT_FOR
from lootkeep.storage import idempotency as storage
from lootkeep.storage.engine.database import JoinedDatabase, Transaction
from lootkeep.storage.idempotency import KeptAnswer

_LONGEST_KEY = 255
_PURPOSE = "kept answer"
_REQUEST_PURPOSE = "request"
# Longer than any operation takes: a test delivery ends after ten seconds.
_LEASE = MINUTE

Deed = Callable[[Deps], Awaitable[tuple[int, bytes]]]


async def once(deps: Deps, token_id: int, path: str, key: str, body: bytes, deed: Deed) -> tuple[int, bytes, bool]:
    """Status and body, and whether they are a replay. What fails is rolled back and not kept: it may be tried again."""
    fingerprint = _fingerprint(deps, key, body)
    now = deps.clock.now()
    async with deps.db.write() as tx:
        kept = await _claim(tx, token_id, path, key, fingerprint, now)
        if kept:
            return _replay(deps, kept)
        status, answer = await deed(replace(deps, db=JoinedDatabase(tx)))
        await storage.add(tx, token_id, path, key, KeptAnswer(fingerprint, status, _sealed(deps, answer), now))
    return status, answer, False


async def once_outside(
    deps: Deps, token_id: int, path: str, key: str, body: bytes, deed: Deed
) -> tuple[int, bytes, bool]:
    """The same for what acts outside the database or reads for long: no transaction is open meanwhile.

    The key is leased first. When the process dies, the lease runs out and the operation may be done again.
    """
    fingerprint = _fingerprint(deps, key, body)
    now = deps.clock.now()
    lease = Instant(now + _LEASE)
    async with deps.db.write() as tx:
        kept = await _claim(tx, token_id, path, key, fingerprint, now)
        if kept:
            return _replay(deps, kept)
        await storage.add(tx, token_id, path, key, KeptAnswer(fingerprint, 0, "", now, lease))
    try:
        status, answer = await deed(deps)
    except Exception:
        async with deps.db.write() as tx:
            await storage.release(tx, token_id, path, key, lease)
        raise
    async with deps.db.write() as tx:
        await storage.settle(tx, token_id, path, key, lease, status, _sealed(deps, answer))
    return status, answer, False


async def _claim(
    tx: Transaction, token_id: int, path: str, key: str, fingerprint: str, now: Instant
) -> KeptAnswer | None:
    """The stored answer; None when there is none, and then nobody else begins until the transaction ends."""
    if not await tx.lock(f"idempotency {token_id} {path} {key}"):
        raise _in_use()
    kept = await storage.get(tx, token_id, path, key)
    if kept is None:
        return None
    is_done = kept.leased_until is None and now - kept.created_at < ANSWERS_KEPT_FOR
    # A lease that ends later than one from now would was taken before the clock was set back.
    is_running = kept.leased_until is not None and now < kept.leased_until <= now + _LEASE
    if (is_done or is_running) and kept.fingerprint != fingerprint:
        raise Unprocessable(
            "idempotency_key_reused", "This Idempotency-Key was already used with another request body."
        )
    if is_running:
        raise _in_use()
    if is_done:
        return kept
    await storage.remove(tx, token_id, path, key)
    return None


def _in_use() -> Conflict:
    return Conflict("idempotency_key_in_use", "A request with this Idempotency-Key is still running.")


def _fingerprint(deps: Deps, key: str, body: bytes) -> str:
    if not 1 <= len(key) <= _LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise invalid("Idempotency-Key", "The Idempotency-Key header must be 1 to 255 printable ASCII characters.")
    # Keyed: a body can hold a short code, which could be guessed from a plain digest.
    return deps.vault.fingerprint(body, _REQUEST_PURPOSE)


def _sealed(deps: Deps, answer: bytes) -> str:
    # An answer can hold a secret that is shown once: it is not to be read in a copy of the database.
    return deps.vault.seal(answer.decode(), _PURPOSE)


def _replay(deps: Deps, kept: KeptAnswer) -> tuple[int, bytes, bool]:
    return kept.status, deps.vault.open(kept.answer, _PURPOSE).encode(), True
