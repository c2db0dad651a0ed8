"""When a request is sent again, and after how long."""

from __future__ import annotations

import random
from dataclasses import dataclass

import httpx

# Too many requests, and what says that nothing was done or that trying again may help.
_PASSING = frozenset({408, 429, 502, 503, 504})
# The first request with this key is still running: its answer can be had in a moment.
_STILL_RUNNING = "idempotency_key_in_use"


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a request is tried in all, and how long to wait in between, in seconds.

    The waits double from `first` to `longest`, each shortened by chance by up to half, so that many clients do not
    come back at once. `Retry-After` goes before; a longer one than `patience` is not waited for.
    """

    attempts: int = 5
    first: float = 0.5
    longest: float = 8.0
    patience: float = 60.0

    def after_answer(self, attempt: int, response: httpx.Response) -> float | None:
        """How long to wait before trying again; None when this is the answer."""
        if attempt >= self.attempts or not _passes(response):
            return None
        asked = seconds_asked(response)
        if asked is None:
            return self._wait(attempt)
        return float(asked) if asked <= self.patience else None

    def after_failure(self, attempt: int) -> float | None:
        """The same when no answer came."""
        return None if attempt >= self.attempts else self._wait(attempt)

    def _wait(self, attempt: int) -> float:
        wait = min(self.longest, self.first * 2.0 ** (attempt - 1))
        return wait * random.uniform(0.5, 1.0)  # noqa: S311  spreads load, keeps no secret


def seconds_asked(response: httpx.Response) -> int | None:
    """What Retry-After asks for."""
    asked = response.headers.get("retry-after", "")
    return int(asked) if asked.isascii() and asked.isdigit() else None


def _passes(response: httpx.Response) -> bool:
    return response.status_code in _PASSING or (response.status_code == 409 and _STILL_RUNNING in response.text)
