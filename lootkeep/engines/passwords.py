"""Hashes passwords with argon2id, in a thread: it takes tens of milliseconds and much memory by design."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING

# Loaded with the first password: a start and most commands need none.
if TYPE_CHECKING:
    from argon2 import PasswordHasher


async def hash_password(password: str) -> str:
    return await asyncio.to_thread(_hash, password)


async def is_password(password: str, password_hash: str | None) -> bool:
    """Takes the same time for an account that does not exist."""
    return await asyncio.to_thread(_verify, password, password_hash or await _of_nobody()) and password_hash is not None


async def _of_nobody() -> str:
    """Compared with if there is no such account."""
    return await asyncio.to_thread(_nobody)


@cache
def _nobody() -> str:
    return _hash("nobody's password")


def _hash(password: str) -> str:
    return _hasher().hash(password)


def _verify(password: str, password_hash: str) -> bool:
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        return _hasher().verify(password_hash, password)
    except (VerificationError, InvalidHashError):
        return False


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    # argon2id with the minimum that OWASP recommends: with more memory, a few attempts could fill a small machine, and
    # attempts are limited anyway.
    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
