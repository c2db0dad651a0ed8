"""The real commands as processes, which are killed and started again."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

from lootkeep.settings import Settings, variable
from tests.forked import Forked

PROGRAM = Path(sys.executable).with_name("lootkeep")
KEY = "a-secret-key-of-more-than-32-characters"
# Many and short: what counts here is that every delivery arrives, however often its receiver fails.
RETRY_DELAYS = ",".join(["1"] * 40)


class KilledProcesses:
    """The real commands, killed without warning and started again."""

    def __init__(self, settings: Settings, count: int, folder: Path) -> None:
        is_embedded = settings.sqlite_path is not None
        self._command = [str(PROGRAM), *(("serve", "--port", "0") if is_embedded else ("worker",))]
        self._count = 1 if is_embedded else count
        self._folder = folder
        service_settings = {
            "database_url": settings.database_url,
            "secret_key": KEY,
            "webhook_retry_delays": RETRY_DELAYS,
        }
        service_settings |= {"webhook_allow_insecure": "true", "webhook_concurrency": "30", "log_level": "error"}
        plain = {name: value for name, value in os.environ.items() if not name.startswith("LOOTKEEP_")}
        self._environment = plain | {variable(name): value for name, value in service_settings.items()}
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        with (self._folder / "log").open("ab") as log:
            while len(self._running) < self._count:
                process = Forked[bytes](
                    self._command, cwd=self._folder, env=self._environment, stdout=subprocess.DEVNULL, stderr=log
                )
                self._running.append(process)

    def kill(self, chance: random.Random) -> None:
        victim = self._running.pop(chance.randrange(len(self._running)))
        assert victim.poll() is None, f"It ended by itself: {self.log()}"
        victim.kill()
        victim.wait()

    def kill_all(self) -> None:
        while self._running:
            victim = self._running.pop()
            victim.kill()
            victim.wait()

    def log(self) -> str:
        return (self._folder / "log").read_text(errors="replace")[-3000:]


class Processes:
    """Commands of different kinds by name, killed without warning and started again."""

    def __init__(self, commands: dict[str, list[str]], environment: dict[str, str], folder: Path) -> None:
        self._commands = commands
        plain = {name: value for name, value in os.environ.items() if not name.startswith("LOOTKEEP_")}
        self._environment = plain | {"LOOTKEEP_LOG_LEVEL": "error"} | environment
        self._folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        with (self._folder / "log").open("ab") as log:
            self._running[name] = Forked[bytes](
                [PROGRAM, *self._commands[name]], cwd=self._folder, env=self._environment, stdout=log, stderr=log
            )

    def kill(self, name: str) -> None:
        process = self._running.pop(name)
        assert process.poll() is None, f"The {name} ended by itself: {self.log()}"
        process.kill()
        process.wait()

    def kill_all(self) -> None:
        for process in self._running.values():
            process.kill()
            process.wait()

    def log(self) -> str:
        return (self._folder / "log").read_text(errors="replace")[-3000:]
