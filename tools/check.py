"""Runs the checks that need no server, one after another, and stops at the first red."""

import subprocess
import sys
import time
from pathlib import Path

STEPS = {
    "format": "ruff format --check .",
    "style": "ruff check .",
    "types": "mypy",
    "imports": "lint-imports",
    "dead code": "vulture",
    "dependencies": "deptry .",
    "audit": "python -m tools.audit",
    "rules": "python -m pytest tests/rules -q",
}


def main() -> int:
    for name, command in STEPS.items():
        print(f"{name:<13} {command:<32}", end="", flush=True)
        started = time.monotonic()
        outcome = _run(command)
        print(f" {'red' if outcome.returncode else 'ok':<4} {time.monotonic() - started:5.1f} s", flush=True)
        if outcome.returncode:
            print(f"\n{outcome.stdout}", end="")
            return 1
        # What a step could not check, though it found nothing wrong.
        print("".join(line for line in outcome.stdout.splitlines(keepends=True) if line.startswith("Note: ")), end="")
    return 0


def _run(command: str) -> subprocess.CompletedProcess[str]:
    tool, *arguments = command.split()
    # The tools of this environment, whatever PATH says; not resolved, or it would be the system's Python.
    tools = Path(sys.executable).parent
    return subprocess.run(
        [tools / tool, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main())
