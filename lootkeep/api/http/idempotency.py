"""Idempotency keys: the same request sent again gets the stored answer, kept in the deed's own transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from lootkeep.deps import Deps
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, Unprocessable, invalid
from lootkeep.services.retention import ANSWERS_KEPT_FOR
from lootkeep.storage import idempotency as storage
from lootkeep.storage.database import JoinedDatabase
from lootkeep.storage.idempotency import KeptAnswer

_LONGEST_KEY = 255
_PURPOSE = "kept answer"
_REQUEST_PURPOSE = "request"

Deed = Callable[[Deps], Awaitable[tuple[int, bytes]]]


async def once(deps: Deps, token_id: int, path: str, key: str, body: bytes, deed: Deed) -> tuple[int, bytes, bool]:
    """Status and body, and whether they are a replay. What fails is rolled back and not kept: it may be tried again."""
    fingerprint = _fingerprint(deps, key, body)
    now = deps.clock.now()
    async with deps.db.write() as tx:
        if not await tx.lock(f"idempotency {token_id} {path} {key}"):
            raise Conflict("idempotency_key_in_use", "A request with this Idempotency-Key is still running.")
        kept = await storage.get(tx, token_id, path, key)
        if kept and now - kept.created_at < ANSWERS_KEPT_FOR:
            return _replay(deps, kept, fingerprint)
        if kept:
            await storage.remove(tx, token_id, path, key)
        status, answer = await deed(replace(deps, db=JoinedDatabase(tx)))
        await storage.add(tx, token_id, path, key, _kept(deps, fingerprint, status, answer, now))
    return status, answer, False


async def once_outside(
    deps: Deps, token_id: int, path: str, key: str, body: bytes, deed: Deed
) -> tuple[int, bytes, bool]:
    """The same for a deed that talks to the outside: no transaction is open meanwhile."""
    fingerprint = _fingerprint(deps, key, body)
    now = deps.clock.now()
    async with deps.db.read() as tx:
        kept = await storage.get(tx, token_id, path, key)
    if kept and now - kept.created_at < ANSWERS_KEPT_FOR:
        return _replay(deps, kept, fingerprint)
    status, answer = await deed(deps)
    async with deps.db.write() as tx:
        await storage.remove(tx, token_id, path, key)
        await storage.add(tx, token_id, path, key, _kept(deps, fingerprint, status, answer, now))
    return status, answer, False


def _fingerprint(deps: Deps, key: str, body: bytes) -> str:
    if not 1 <= len(key) <= _LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise invalid("Idempotency-Key", "The Idempotency-Key header must be 1 to 255 printable ASCII characters.")
    # Keyed: a body can hold a short code, which could be guessed from a plain digest.
    return deps.vault.fingerprint(body, _REQUEST_PURPOSE)


def _kept(deps: Deps, fingerprint: str, status: int, answer: bytes, now: Instant) -> KeptAnswer:
    # An answer can hold a secret that is shown once: it is not to be read in a copy of the database.
    return KeptAnswer(fingerprint, status, deps.vault.seal(answer.decode(), _PURPOSE), now)


def _replay(deps: Deps, kept: KeptAnswer, fingerprint: str) -> tuple[int, bytes, bool]:
    if kept.fingerprint != fingerprint:
        raise Unprocessable(
            "idempotency_key_reused", "This Idempotency-Key was already used with another request body."
        )
    return kept.status, deps.vault.open(kept.answer, _PURPOSE).encode(), True
