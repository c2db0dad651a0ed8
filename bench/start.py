"""What it takes to start: the CPU seconds of small commands, and of `lootkeep serve` until it is ready, on SQLite.

`.venv/bin/python -m bench.start [ROUNDS]`. Python must be allowed to keep what it compiled; the first round does that
and is not counted. On a busy machine, CPU seconds grow too: compare two versions in turn, on the same machine.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from bench.footprint import serving, wait_for
from bench.subjects import LOOTKEEP, cpu_seconds, environment, free_port

COMMANDS = ("--version", "--help", "settings", "token --help", "migrate --check", "token list", "doctor")


def main(rounds: int) -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        settings = {"LOOTKEEP_DATABASE_URL": f"sqlite:///{folder}/start.db"}
        print(f"{'serve, first start':20} {serve(settings):.2f}")
        print(f"{'serve':20} {median([serve(settings) for _ in range(rounds)]):.2f}")
        for command in COMMANDS:
            seconds = [run(command.split(), Path(folder), settings) for _ in range(rounds + 1)]
            print(f"{command:20} {median(seconds[1:]):.2f}", flush=True)


def serve(settings: dict[str, str]) -> float:
    port = free_port()
    with serving(settings | {"LOOTKEEP_PORT": str(port)}) as process:
        wait_for(process, port)
        return cpu_seconds(process.pid)


def run(arguments: list[str], folder: Path, settings: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [LOOTKEEP, *arguments], cwd=folder, env=environment(settings), stdout=subprocess.DEVNULL, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
