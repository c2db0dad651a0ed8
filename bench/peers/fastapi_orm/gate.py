"""Who may call: tokens by hash, their rate limit and their scopes."""

import math
import time
from collections import deque
from collections.abc import Callable, Coroutine
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker
from starlette.exceptions import HTTPException

from bench.peers.fastapi_orm.models import ApiToken

WINDOW_SECONDS = 60.0
# As long as Lootkeep trusts a token it has seen.
TOKEN_CACHE_SECONDS = 5.0


class Token:
    """What stays in memory of a token: its scopes, and the times of its requests inside the window."""

    def __init__(self, scopes: frozenset[str], hits: deque[float]) -> None:
        self.scopes = scopes
        self.hits = hits
        self.trusted_until = time.monotonic() + TOKEN_CACHE_SECONDS


class Gate:
    """Tokens by hash, trusted for a few seconds, and the sliding window of each."""

    def __init__(self, sessions: async_sessionmaker[AsyncSession], limit: int) -> None:
        self.sessions = sessions
        self.limit = limit
        self.tokens: dict[str, Token] = {}

    async def token(self, secret: str) -> Token:
        digest = sha256(secret.encode()).hexdigest()
        token = self.tokens.get(digest)
        if token is None or token.trusted_until < time.monotonic():
            self.tokens[digest] = token = await self._load(digest, token)
        return token

    async def _load(self, digest: str, known: Token | None) -> Token:
        async with self.sessions() as session:
            row = await session.scalar(select(ApiToken).where(ApiToken.token_hash == digest))
        if row is None:
            raise HTTPException(401, "The token is not valid.", {"WWW-Authenticate": "Bearer"})
        return Token(frozenset(row.scopes), deque() if known is None else known.hits)

    def count(self, token: Token) -> dict[str, str]:
        """Count one request and say how the window stands; each time enters and leaves the deque once."""
        if not self.limit:
            return {}
        moment, hits = time.time(), token.hits
        while hits and hits[0] <= moment - WINDOW_SECONDS:
            hits.popleft()
        allowed = len(hits) < self.limit
        if allowed:
            hits.append(moment)
        headers = {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.limit - len(hits)),
            "X-RateLimit-Reset": str(math.ceil(hits[0] + WINDOW_SECONDS)),
        }
        if not allowed:
            wait = str(math.ceil(hits[0] + WINDOW_SECONDS - moment))
            raise HTTPException(429, "Too many requests.", headers | {"Retry-After": wait})
        return headers


Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))]


def require(scope: str) -> Callable[..., Coroutine[Any, Any, None]]:
    """Token, rate limit and scope in one dependency, as each further one costs time on every request."""

    async def check(request: Request, response: Response, credentials: Credentials) -> None:
        if credentials is None:
            raise HTTPException(401, "A bearer token is needed.", {"WWW-Authenticate": "Bearer"})
        gate: Gate = request.app.state.gate
        token = await gate.token(credentials.credentials)
        headers = gate.count(token)
        if scope not in token.scopes:
            raise HTTPException(403, f"The token lacks the scope {scope}.", headers)
        response.headers.update(headers)

    return check
