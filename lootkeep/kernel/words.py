"""The word that was probably meant, for messages that must not repeat the one that was sent."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from itertools import islice

# Comparing takes longer the longer the word; no known word is longer.
_MAX_LENGTH = 64
_MAX_NAMED = 5


def nearest(word: str, names: Collection[str]) -> str | None:
    return next(iter(get_close_matches(word[:_MAX_LENGTH].lower(), list(names), n=1)), None)


def did_you_mean(words: Iterable[str], names: Collection[str]) -> str:
    """` (did you mean order.paid?)` for the end of a message, or nothing."""
    close = dict.fromkeys(filter(None, (nearest(word, names) for word in islice(words, _MAX_NAMED))))
    return f" (did you mean {', '.join(close)}?)" if close else ""
