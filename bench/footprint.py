"""What it takes to start the service and to have it: seconds, memory and bytes on disk."""

import asyncio
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench import api, load, receiving
from bench.options import Options, progress
from bench.receiving import resident_mb
from bench.report import Cell, SectionResult, Table
from bench.subjects import (
    LOOTKEEP,
    ROOT,
    SERVER_CORE,
    Subject,
    SubjectDatabase,
    cpu_seconds,
    environment,
    free_port,
    run_command,
)
from bench.webhooks import TOKEN

STARTS = 7
# Requests before a process counts as loaded.
LOADED_REQUESTS = 5_000
POLL_SECONDS = 0.005
PATIENCE_SECONDS = 180.0
DROP_CACHES = Path("/proc/sys/vm/drop_caches")

TEXT = """From the command to the first answered probe on SQLite; *cold* means that the bytes of the code are not in the
page cache, *warm* that they are. The first start also makes the database. Memory is what is resident. The image cannot
be built without Docker: what it adds to its base is the sum of a fresh environment made as deploy/Dockerfile makes it,
of the runtime lock and the wheel, without pip. The base and PostgreSQL's client come on top."""


def measure(options: Options) -> SectionResult:
    starts = options.rounds_or(STARTS)
    with tempfile.TemporaryDirectory() as folder:
        tables = [start_table(Path(folder), starts), memory_table(options), disk_table(Path(folder))]
    return SectionResult(tables)


def start_table(folder: Path, starts: int) -> Table:
    rows: list[list[Cell]] = []
    settings = receiving.settings_for(f"sqlite:///{folder}/start.db")
    first = [start(settings)]
    rows.append(start_row("first start, which makes the database", first))
    if os.access(DROP_CACHES, os.W_OK):
        rows.append(start_row("cold", [start(settings, is_cold=True) for _ in range(starts)]))
    rows.append(start_row("warm", [start(settings) for _ in range(starts)]))
    note = "" if len(rows) == 3 else "Cold starts need the right to drop the page cache, which this run did not have."
    return Table("From the command to the first answer", ["start", "times", "seconds", "slowest", "CPU s"], rows, note)


def start_row(name: str, measured: list[tuple[float, float]]) -> list[Cell]:
    seconds, cpu = ([pair[index] for pair in measured] for index in (0, 1))
    progress(f"start, {name}: {median(seconds):.2f} s")
    return [name, len(measured), median(seconds), max(seconds), median(cpu)]


def start(settings: dict[str, str], *, is_cold: bool = False) -> tuple[float, float]:
    """Seconds until the probe is answered, and CPU seconds until then."""
    if is_cold:
        os.sync()
        DROP_CACHES.write_text("3")
    begun = time.monotonic()
    with serving(settings) as process:
        wait_for(process, int(settings["LOOTKEEP_PORT"]))
        return time.monotonic() - begun, cpu_seconds(process.pid)


@contextmanager
def serving(settings: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    command = ["taskset", "-c", str(SERVER_CORE), LOOTKEEP, "serve"]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(command, cwd=folder, env=environment(settings), stdout=subprocess.DEVNULL)
        try:
            yield process
        finally:
            process.terminate()
            process.wait()


def wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    probe = Subject("Lootkeep", process.pid, port, "")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            probe.call("GET", path="/healthz")
            return
        except OSError:
            time.sleep(POLL_SECONDS)
    raise SystemExit("The service did not come up; see its words above.")


def memory_table(options: Options) -> Table:
    requests = 200 if options.is_quick else LOADED_REQUESTS
    with tempfile.TemporaryDirectory() as folder:
        settings = receiving.settings_for(f"sqlite:///{folder}/memory.db") | {"LOOTKEEP_PORT": str(free_port())}
        run_command([LOOTKEEP, "migrate"], settings)
        token = run_command(TOKEN, settings).strip()
        with serving(settings) as process:
            subject = Subject("Lootkeep", process.pid, int(settings["LOOTKEEP_PORT"]), token)
            wait_for(process, subject.port)
            idle = resident_mb(process.pid)
            side = api.Side(
                subject, SubjectDatabase(settings["LOOTKEEP_DATABASE_URL"], None), api.CONNECTIONS["sqlite"]
            )
            side.seed()
            asyncio.run(loaded(side, requests))
            rows: list[list[Cell]] = [["idle, just started", idle], ["loaded", resident_mb(process.pid)]]
    note = f"Loaded: after {requests:,} reads of the order list and as many sign-ups."
    return Table("Resident memory of `lootkeep serve` on SQLite", ["state", "MB"], rows, note)


async def loaded(side: api.Side, requests: int) -> None:
    for name in ("order list", "sign-up"):
        endpoint = api.ENDPOINTS[name]
        await load.run(side.subject.port, side.requests(name, requests), endpoint.status, side.connections)


def disk_table(folder: Path) -> Table:
    """As deploy/Dockerfile does it, in a folder that is thrown away."""
    python = str(ROOT / ".venv/bin/python")
    run(python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--wheel-dir", f"{folder}/wheels", ".")
    (wheel,) = (folder / "wheels").glob("*.whl")
    run(python, "-m", "venv", f"{folder}/image")
    pip = f"{folder}/image/bin/pip"
    run(pip, "install", "-q", "--disable-pip-version-check", "--require-hashes", "-r", "locks/runtime.txt")
    run(pip, "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-index", str(wheel))
    run(pip, "uninstall", "-q", "--yes", "pip", "setuptools")
    packages = [path for path in (folder / "image").rglob("*") if path.is_file() and not path.is_symlink()]
    own = [path for path in packages if "/lootkeep/" in str(path)]
    rows: list[list[Cell]] = [
        ["the wheel", wheel.stat().st_size / 1e6],
        ["the package, installed", megabytes(own)],
        ["everything that the image adds to its base", megabytes(packages)],
    ]
    progress(f"the image adds {megabytes(packages):.0f} MB")
    return Table("On disk", ["what", "MB"], rows)


def megabytes(paths: list[Path]) -> float:
    return sum(path.stat().st_size for path in paths) / 1e6


def run(*command: str) -> None:
    subprocess.run(command, cwd=ROOT, check=True)
