"""The word that was probably meant, for messages that must not repeat the one that was sent."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

# Comparing takes longer the longer the word; no known word is longer.
_MAX_LENGTH = 64


def nearest(word: str, known: Iterable[str]) -> str | None:
    return next(iter(get_close_matches(word[:_MAX_LENGTH].lower(), list(known), n=1)), None)
