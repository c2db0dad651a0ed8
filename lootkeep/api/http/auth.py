"""Who calls: bearer tokens, looked up by digest and remembered for a few seconds."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain.access import Token, digest
from lootkeep.kernel.clock import MINUTE, SECOND, Instant
from lootkeep.services import access
from lootkeep.storage import access as storage

# How long another process may not notice that a token was revoked.
_REMEMBERED_FOR = 5 * SECOND
_REMEMBERED = 10_000
# `last used` is worth one write a minute, not one per request.
_USE_NOTED_EVERY = MINUTE


class Tokens:
    """The tokens in use: the database is asked at most every five seconds for each."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._known: dict[str, tuple[Token, Instant]] = {}
        self._used: set[int] = set()

    async def authenticate(self, authorization: bytes | None, now: Instant) -> Token | None:
        """The token of an Authorization header; None when it is missing, malformed, unknown or not valid any more."""
        secret = _bearer(authorization)
        if secret is None:
            return None
        key = digest(secret)
        known = self._known.get(key)
        token = known[0] if known and now - known[1] < _REMEMBERED_FOR else await self._look_up(key, now)
        if token is None or not token.is_valid(now):
            return None
        return token

    def forget(self, token_id: int) -> None:
        """Makes a revocation in this process effective at once."""
        self._known = {key: known for key, known in self._known.items() if known[0].id != token_id}

    async def note_uses(self) -> None:
        """Writes down the tokens that were used since the last time."""
        used, self._used = self._used, set()
        for token_id in used:
            await access.note_use(self._deps, token_id)

    async def _look_up(self, key: str, now: Instant) -> Token | None:
        async with self._deps.db.read() as tx:
            token = await storage.token_by_digest(tx, key)
        if token is None:
            self._known.pop(key, None)
            return None
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[key] = (token, now)
        is_worth_noting = token.is_valid(now) and (
            token.last_used_at is None or now - token.last_used_at >= _USE_NOTED_EVERY
        )
        if is_worth_noting:
            self._used.add(token.id)
        return token


def _bearer(authorization: bytes | None) -> str | None:
    if authorization is None:
        return None
    scheme, _, secret = authorization.partition(b" ")
    if scheme.lower() != b"bearer" or not secret or not secret.isascii():
        return None
    return secret.decode().strip() or None
