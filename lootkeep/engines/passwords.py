"""Hashing passwords with argon2id, on a thread: it takes tens of milliseconds and much memory by design."""

from __future__ import annotations

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

# argon2id with the parameters of RFC 9106 for machines that are short of memory: 64 MiB, three passes.
_HASHER = PasswordHasher()
# Compared with when there is no such account, so that it takes as long as for one that exists.
_NOBODY = _HASHER.hash("nobody's password")


async def hash_password(password: str) -> str:
    return await asyncio.to_thread(_HASHER.hash, password)


async def is_password(password: str, password_hash: str | None) -> bool:
    """Takes as long for an account that does not exist."""
    return await asyncio.to_thread(_verify, password, password_hash or _NOBODY) and password_hash is not None


def _verify(password: str, password_hash: str) -> bool:
    try:
        return _HASHER.verify(password_hash, password)
    except (VerificationError, InvalidHashError):
        return False
