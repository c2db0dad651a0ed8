"""Idempotency keys: a repeated request gets the response stored in the transaction of the first one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from lootkeep.deps import Deps
from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.kernel.errors import Conflict, Unprocessable, invalid
from lootkeep.services.retention import ANSWERS_KEPT_FOR
from lootkeep.storage import idempotency as idempotency_db
from lootkeep.storage.engine.database import JoinedDatabase, Transaction
from lootkeep.storage.idempotency import StoredResponse

_MAX_KEY = 255
_PURPOSE = "kept answer"
_REQUEST_PURPOSE = "request"
# Longer than any operation takes: a test delivery ends after ten seconds.
_LEASE = MINUTE

# Where there is the id of a token: the console, whose keys belong to a form and the browser that it was shown in.
CONSOLE = 0

Operation = Callable[[Deps], Awaitable[tuple[int, bytes]]]


class KeyInUse(Conflict):
    """The first request is still running."""

    def __init__(self) -> None:
        super().__init__("idempotency_key_in_use", "A request with this Idempotency-Key is still running.")


async def once(
    deps: Deps, token_id: int, path: str, key: str, body: bytes, operation: Operation
) -> tuple[int, bytes, bool]:
    """Status and body, and whether they are a replay. A failure is rolled back, not stored, so it can be retried."""
    fingerprint = _fingerprint(deps, key, body)
    now = deps.clock.now()
    async with deps.db.write() as tx:
        stored = await _claim(tx, token_id, path, key, fingerprint, now)
        if stored:
            return _replay(deps, stored)
        status, answer = await operation(replace(deps, db=JoinedDatabase(tx)))
        await idempotency_db.add(
            tx, token_id, path, key, StoredResponse(fingerprint, status, _sealed(deps, answer), now)
        )
    return status, answer, False


async def once_outside(
    deps: Deps, token_id: int, path: str, key: str, body: bytes, operation: Operation
) -> tuple[int, bytes, bool]:
    """The same for operations that act outside the database or read for long: no transaction is open meanwhile.

    The key is leased first. If the process dies, the lease expires and the operation may be executed again.
    """
    fingerprint = _fingerprint(deps, key, body)
    now = deps.clock.now()
    lease = Instant(now + _LEASE)
    async with deps.db.write() as tx:
        stored = await _claim(tx, token_id, path, key, fingerprint, now)
        if stored:
            return _replay(deps, stored)
        await idempotency_db.add(tx, token_id, path, key, StoredResponse(fingerprint, 0, "", now, lease))
    try:
        status, answer = await operation(deps)
    except Exception:
        async with deps.db.write() as tx:
            await idempotency_db.release(tx, token_id, path, key, lease)
        raise
    async with deps.db.write() as tx:
        await idempotency_db.settle(tx, token_id, path, key, lease, status, _sealed(deps, answer))
    return status, answer, False


async def _claim(
    tx: Transaction, token_id: int, path: str, key: str, fingerprint: str, now: Instant
) -> StoredResponse | None:
    """The stored response; None if there is none, and then nobody else can start until the transaction ends."""
    if not await tx.lock(f"idempotency {token_id} {path} {key}"):
        raise KeyInUse
    stored = await idempotency_db.get(tx, token_id, path, key)
    if stored is None:
        return None
    is_done = stored.leased_until is None and now - stored.created_at < ANSWERS_KEPT_FOR
    # A lease that ends later than a new one would was taken before the clock was set back.
    is_running = stored.leased_until is not None and now < stored.leased_until <= now + _LEASE
    if (is_done or is_running) and stored.fingerprint != fingerprint:
        raise Unprocessable(
            "idempotency_key_reused", "This Idempotency-Key was already used with another request body."
        )
    if is_running:
        raise KeyInUse
    if is_done:
        return stored
    await idempotency_db.remove(tx, token_id, path, key)
    return None


def _fingerprint(deps: Deps, key: str, body: bytes) -> str:
    if not 1 <= len(key) <= _MAX_KEY or not key.isascii() or not key.isprintable():
        raise invalid("Idempotency-Key", "The Idempotency-Key header must be 1 to 255 printable ASCII characters.")
    # Keyed: a body can contain a short code, which could be guessed from a plain digest.
    return deps.vault.fingerprint(body, _REQUEST_PURPOSE)


def _sealed(deps: Deps, answer: bytes) -> str:
    # A response can contain a secret that is shown once: it must not be readable in a copy of the database.
    return deps.vault.seal(answer.decode(), _PURPOSE)


def _replay(deps: Deps, stored: StoredResponse) -> tuple[int, bytes, bool]:
    return stored.status, deps.vault.open(stored.answer, _PURPOSE).encode(), True
