"""What the log costs a request: CPU of the empty tier list without a line, with one, and with one line in ten.

`.venv/bin/python -m bench.logs`. Four applications over one store take turns, and a ratio is that of one round. They
log to a file. There are no sockets in it: a request over HTTP costs more, and the line is a smaller part of it.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from bench.edge import EdgeApp
from lootkeep import wiring
from lootkeep.engines import logs
from lootkeep.services import access as access_service
from lootkeep.settings import Settings

PATH = "/api/external/v1/referrals/tiers"
REQUESTS = 500
ROUNDS = 61
WAYS: dict[str, dict[str, Any]] = {
    "no line": {"log_level": "warning"},
    # For people on a terminal lines go through structlog, as all did once; here it is set up to write JSON.
    "a line by structlog": {"log_level": "info", "log_format": "console"},
    "a line": {"log_level": "info", "log_format": "json"},
    "one line in ten": {"log_level": "info", "log_format": "json", "log_sample": 0.1},
}


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        _log_to(Path(folder) / "log")
        logs.configure("info", "json")
        settings = Settings(_env_file=None, database_url=f"sqlite:///{folder}/store.db")
        async with wiring.opened(settings) as deps:
            token, _ = await access_service.create_token(deps, name="bench", scopes=["referrals:read"])
            apps = {name: EdgeApp(deps, token, **way) for name, way in WAYS.items()}
            rounds = [await _round(apps) for _ in range(ROUNDS + 1)][1:]
    for name in WAYS:
        ratio = median(measured[name] / measured["no line"] for measured in rounds)
        print(f"{name:20} {median(measured[name] for measured in rounds):6.1f} us   {ratio:.3f} times")


async def _round(apps: dict[str, EdgeApp]) -> dict[str, float]:
    measured = {name: await _measure(app) for name, app in apps.items()}
    # Back again, so that none always follows the same other.
    return {name: (measured[name] + await _measure(apps[name])) / 2 for name in reversed(apps)}


async def _measure(app: EdgeApp) -> float:
    """Microseconds of CPU for a request."""
    started = time.process_time()
    for _ in range(REQUESTS):
        await app.get(PATH, "")
    return (time.process_time() - started) / REQUESTS * 1e6


def _log_to(file: Path) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(descriptor, 2)


if __name__ == "__main__":
    asyncio.run(main())
