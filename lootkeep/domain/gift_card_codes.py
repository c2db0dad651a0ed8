"""Codes of gift cards: what they may look like, and how they are compared and written."""

from __future__ import annotations

import re

import msgspec

from lootkeep.kernel.errors import invalid

_MIN_LENGTH = 8
_MAX_LENGTH = 64
_CODE = re.compile(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*")
_GROUP = 4


class SealedCode(msgspec.Struct, frozen=True):
    """A code as it is stored: found by its hash, opened with the application key, recognised by its end."""

    code_hash: str
    sealed_code: str
    last_four: str


def check_code(code: str) -> str:
    """A custom code: letters, digits and single hyphens, long enough not to be guessed."""
    if not _CODE.fullmatch(code) or not _MIN_LENGTH <= len(plain(code)) <= _MAX_LENGTH:
        raise invalid(
            "code",
            f"The code field must have {_MIN_LENGTH} to {_MAX_LENGTH} letters and digits, "
            "with single hyphens between them at most.",
        )
    return code


def plain(code: str) -> str:
    """Codes are compared without case, spaces and hyphens."""
    return "".join(code.split()).replace("-", "").upper()


def grouped(characters: str) -> str:
    """`XXXX-XXXX-XXXX-XXXX`."""
    return "-".join(characters[start : start + _GROUP] for start in range(0, len(characters), _GROUP))
