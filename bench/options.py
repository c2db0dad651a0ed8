"""What a section of the benchmark is asked for, and how it reports its progress."""

import sys
import time
from dataclasses import dataclass

ENGINES = ("sqlite", "postgresql")
_STARTED = time.monotonic()


@dataclass(frozen=True)
class Options:
    """Quick: the smallest run that goes through everything. Rounds and rows: None takes the section's own."""

    is_quick: bool
    engines: tuple[str, ...] = ENGINES
    rounds: int | None = None
    rows: tuple[int, ...] | None = None

    def rounds_or(self, full: int) -> int:
        return self.rounds or (2 if self.is_quick else full)


def progress(words: str) -> None:
    print(f"{time.monotonic() - _STARTED:6.0f} s  {words}", file=sys.stderr, flush=True)
