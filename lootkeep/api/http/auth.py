"""Authentication: bearer tokens, looked up by digest, and cached while this process notices changes."""

from __future__ import annotations

from collections.abc import Callable

from lootkeep.deps import Deps
from lootkeep.domain.access import Token, digest
from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.services import access as access_service
from lootkeep.storage.access import rows as access_db

# A token is looked up again after this time, even without a notification.
_REMEMBERED_SECONDS = 5.0
_REMEMBERED = 10_000
# A header can be padded with spaces, which must not fill the memory.
_MAX_REMEMBERED_BYTES = 200
# `last used` is worth one write a minute, not one per request.
_USE_NOTED_EVERY = MINUTE


class Tokens:
    """The tokens in use.

    `version` returns another number after every change of any token. A token is cached until the number changes; while
    it is None, changes are not noticed and each request looks up its token.
    """

    def __init__(self, deps: Deps, version: Callable[[], int | None]) -> None:
        self._deps = deps
        self._version = version
        # By the whole header: parsing and hashing it costs more than the rest.
        self._known: dict[bytes, tuple[Token, int, float]] = {}
        self._used: set[int] = set()

    async def authenticate(self, authorization: bytes | None, now: Instant) -> Token | None:
        """The token of an Authorization header; None if it is missing, malformed, unknown or no longer valid."""
        if authorization is None:
            return None
        version = self._version()
        token = version is not None and self._remembered(authorization, version)
        token = token or await self._look_up(authorization, version, now)
        if token is None or not token.is_valid(now):
            return None
        return token

    async def note_uses(self) -> None:
        """Records the use of tokens since the last call."""
        used, self._used = self._used, set()
        for token_id in used:
            await access_service.note_use(self._deps, token_id)

    def _remembered(self, authorization: bytes, version: int) -> Token | None:
        token, seen_version, seen_at = self._known.get(authorization, (None, 0, 0.0))
        is_fresh = seen_version == version and self._deps.clock.monotonic() - seen_at < _REMEMBERED_SECONDS
        return token if is_fresh else None

    async def _look_up(self, authorization: bytes, version: int | None, now: Instant) -> Token | None:
        secret = _bearer(authorization)
        if secret is None:
            return None
        seen_at = self._deps.clock.monotonic()
        async with self._deps.db.read() as tx:
            token = await access_db.TOKENS.find_one(tx, digest=digest(secret))
        if token is None:
            return None
        if version is not None and len(authorization) <= _MAX_REMEMBERED_BYTES:
            # The version from before the lookup: a change during the lookup invalidates the result.
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[authorization] = (token, version, seen_at)
        is_worth_noting = token.is_valid(now) and (
            # Also if it is in the future, because the clock was set back.
            token.last_used_at is None or not 0 <= now - token.last_used_at < _USE_NOTED_EVERY
        )
        if is_worth_noting:
            self._used.add(token.id)
        return token


def _bearer(authorization: bytes) -> str | None:
    scheme, _, secret = authorization.partition(b" ")
    if scheme.lower() != b"bearer" or not secret or not secret.isascii():
        return None
    return secret.decode().strip() or None
