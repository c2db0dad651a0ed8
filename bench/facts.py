"""What a backtest costs from the database and from a folder of facts: time, CPU, memory, and the load on the server.

Each command runs as a process of its own. On PostgreSQL the CPU of the server's processes is counted apart: it is what
an analysis takes from the store.
"""

import csv
import os
import subprocess
import tempfile
import time
from pathlib import Path

import asyncpg
import uvloop

from bench import data
from bench.buyers import Purchase, purchases
from bench.options import Options, progress
from bench.report import Cell, SectionResult, Table, verdict
from bench.subjects import LOOTKEEP, cpu_seconds, environment, parent_of
from lootkeep.kernel.clock import iso

SIZE = 1_000_000
QUICK_SIZE = 10_000
# A file has fewer: its orders are replayed one by one, which takes as long with any database.
FILE_SHARE = 20
# The stores are made once: every run opens them with the same key.
KEY = "the-key-of-the-stores-of-the-benchmark"
POLL_SECONDS = 0.05
# Of the server, where the orders come from a folder: the command does not even connect.
MAX_SERVER_SECONDS = 0.5
_REPORTS = ("backtest", "calibrate", "signals")
COMMANDS = {
    **{f"{name} from the database": ("fraud", name, "--json") for name in _REPORTS},
    "export, every month": ("export", "facts", "facts", "--json"),
    "export again, what is not sealed": ("export", "facts", "facts", "--json"),
    **{f"{name} from the folder": ("fraud", name, "facts", "--json") for name in _REPORTS},
}
REPLAY = ("fraud", "backtest", "past.csv", "--label", "fraud", "--json")
# One order of this many was disputed, as in `bench.evidence`.
ORDERS_PER_FRAUD = 250

TEXT = f"""`lootkeep fraud backtest` judges every order with an outcome again, from the database and from the files
of `lootkeep export facts`; the orders of a CSV file, one in {FILE_SHARE}, are replayed. CPU is that of the command;
*server CPU* is that of PostgreSQL, which files may not burden with more than {MAX_SERVER_SECONDS} s. Memory is the most
that was resident."""

NOTE = f"A judged store of a {data.PAST.copies}th of the orders was copied within the database until it had as many."


def measure(options: Options) -> SectionResult:
    (size,) = options.rows or ((QUICK_SIZE if options.is_quick else SIZE),)
    return SectionResult([*(_table(engine, size) for engine in options.engines), _replay(size // FILE_SHARE)])


def _table(engine: str, size: int) -> Table:
    if engine == "sqlite":
        url, postmaster = f"sqlite:///{data.sqlite(data.PAST, size)}", None
    else:
        url = data.postgres(data.PAST, size)
        postmaster = uvloop.run(postmaster_of(url))
    progress(f"{engine} with {size:,} orders is there")
    rows: list[list[Cell]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in COMMANDS.items():
            seconds, cpu, megabytes, server = _run(folder, url, arguments, postmaster)
            progress(f"{name}: {seconds:.1f} s, {cpu:.1f} s of CPU, {megabytes:.0f} MB, server {server:.1f} s")
            is_met = server <= MAX_SERVER_SECONDS if "from the database" not in name and "export" not in name else None
            rows.append([name, seconds, cpu, server, megabytes, "" if is_met is None else verdict(is_met=is_met)])
        size_mb = sum(file.stat().st_size for file in Path(folder, "facts").iterdir()) / 1e6
    columns = [engine, "seconds", "CPU s", "server CPU s", "memory MB", ""]
    return Table(f"{engine}: {size:,} orders, {size_mb:.0f} MB of files", columns, rows, NOTE)


def _replay(size: int) -> Table:
    with tempfile.TemporaryDirectory() as folder:
        _write_past(Path(folder, "past.csv"), size)
        seconds, cpu, megabytes, _ = _run(folder, f"sqlite:///{folder}/none.db", REPLAY, None)
    progress(f"replay: {seconds:.1f} s, {cpu:.1f} s of CPU, {megabytes:.0f} MB")
    row: list[Cell] = ["backtest", seconds, cpu, megabytes, ""]
    return Table(f"{size:,} orders of a CSV file", ["", "seconds", "CPU s", "memory MB", ""], [row])


def _write_past(file: Path, size: int) -> None:
    with file.open("w", newline="") as opened:
        rows = csv.DictWriter(opened, _past_row(1, next(purchases(size))))
        rows.writeheader()
        rows.writerows(_past_row(number, purchase) for number, purchase in enumerate(purchases(size), 1))


def _past_row(number: int, purchase: Purchase) -> dict[str, object]:
    return {
        "order_id": number,
        "customer_id": purchase.buyer.id,
        "email": purchase.buyer.email,
        "customer_created_at": iso(purchase.buyer.created_at),
        "created_at": iso(purchase.at),
        "ip_address": purchase.address,
        "device_id": purchase.device,
        "user_agent": purchase.user_agent,
        "billing_country": purchase.billing_country,
        "fraud": int(number % ORDERS_PER_FRAUD == 0),
    }


def _run(
    folder: str, url: str, arguments: tuple[str, ...], postmaster: int | None
) -> tuple[float, float, float, float]:
    settings = {"LOOTKEEP_DATABASE_URL": url, "LOOTKEEP_SECRET_KEY": KEY}
    before, started = cpu_seconds(postmaster), time.monotonic()
    with subprocess.Popen(
        [LOOTKEEP, *arguments], cwd=folder, env=environment(settings), stdout=subprocess.DEVNULL
    ) as it:
        ended, megabytes = 0, 0.0
        while not ended:
            # The kernel's own figure begins with the memory of the process that started it.
            megabytes = _highest_mb(it.pid) or megabytes
            time.sleep(POLL_SECONDS)
            ended, status, usage = os.wait4(it.pid, os.WNOHANG)
        it.returncode = os.waitstatus_to_exitcode(status)
    if it.returncode:
        raise SystemExit(f"lootkeep {' '.join(arguments)} failed; see its words above.")
    seconds, server = time.monotonic() - started, cpu_seconds(postmaster) - before
    return seconds, usage.ru_utime + usage.ru_stime, megabytes, server


def _highest_mb(pid: int) -> float:
    """The most memory that a process had so far; 0 once it has ended."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


async def postmaster_of(url: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        return parent_of(await connection.fetchval("SELECT pg_backend_pid()"))
    finally:
        await connection.close()
