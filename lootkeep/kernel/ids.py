"""Unpredictable or unique values, from a source that is passed in."""

from __future__ import annotations

import base64
import random
import secrets
import uuid
from typing import Protocol

READABLE = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 8


class Ids(Protocol):
    """Generates identifiers and secrets."""

    def secret(self) -> str:
        """32 random bytes, safe in a header and a URL."""
        ...

    def request_id(self) -> str:
        """A short id for one request, unique enough to find it in the logs."""
        ...

    def delivery_id(self) -> str:
        """`wh_<uuid>`."""
        ...

    def webhook_secret(self) -> str:
        """`whsec_` and 32 random bytes in base64."""
        ...

    def code(self) -> str:
        """Eight characters that are easy to read aloud: no 0 O 1 I."""
        ...


class RandomIds:
    """The operating system's randomness."""

    def __init__(self) -> None:
        # A request id may be guessed, and asking the operating system for each takes a system call.
        self._random = random.Random(secrets.randbits(256))  # noqa: S311

    def secret(self) -> str:
        return secrets.token_urlsafe(32)

    def request_id(self) -> str:
        return f"{self._random.getrandbits(96):024x}"

    def delivery_id(self) -> str:
        return f"wh_{uuid.uuid4()}"

    def webhook_secret(self) -> str:
        return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()

    def code(self) -> str:
        return "".join(secrets.choice(READABLE) for _ in range(CODE_LENGTH))
