"""Hashes passwords with argon2id, in a thread: it takes tens of milliseconds and much memory by design."""

from __future__ import annotations

import asyncio
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

# argon2id with the minimum that OWASP recommends: with more memory, a few attempts could fill a small machine, and
# attempts are limited anyway.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


async def hash_password(password: str) -> str:
    return await asyncio.to_thread(_HASHER.hash, password)


async def is_password(password: str, password_hash: str | None) -> bool:
    """Takes the same time for an account that does not exist."""
    return await asyncio.to_thread(_verify, password, password_hash or await _of_nobody()) and password_hash is not None


async def _of_nobody() -> str:
    """Compared with if there is no such account."""
    return await asyncio.to_thread(_nobody)


@cache
def _nobody() -> str:
    return _HASHER.hash("nobody's password")


def _verify(password: str, password_hash: str) -> bool:
    try:
        return _HASHER.verify(password_hash, password)
    except (VerificationError, InvalidHashError):
        return False
