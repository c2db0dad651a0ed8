"""The long form: every pair of machines is cut off, and everything else of the table; takes about half an hour."""

from __future__ import annotations

import sys

from tests.machines.running import run, table
from tests.machines.scenarios import SCENARIOS


def main(wanted: list[str]) -> int:
    """With arguments, only the scenarios whose names have one of them."""
    chosen = [scenario for scenario in SCENARIOS if not wanted or any(word in scenario.name for word in wanted)]
    outcomes = run(chosen)
    print(table(outcomes))
    return 1 if any(outcome.faults for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
