"""Runs the command line as a user does: in its own folder, with only the settings of the test."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lootkeep import cli
from lootkeep.settings import variable
from tests import forked
from tests.forked import Forked
from tests.rules.tree import ROOT
from tests.world import KEY as KEY

PROGRAM = Path(sys.executable).with_name("lootkeep")
# Generous, because a loaded machine may take seconds; it only matters when something is wrong.
SECONDS = 300


class CommandResult(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """The error message of a failed command."""
        assert self.code != 0
        assert (self.out, "Traceback" in self.err) == ("", False), self.out + self.err
        return self.err.removeprefix("Error: ").removesuffix("\n")


@dataclass
class Serving:
    """A running server."""

    process: subprocess.Popen[str]
    greeting: str

    @property
    def url(self) -> str:
        return self._line(r"is at (http://\S+)")

    @property
    def token(self) -> str:
        return self._line(r"^  (lk_\S+)$")

    @property
    def console_link(self) -> str:
        return self._line(r"^  (http\S+/console/setup\S+)$")

    @property
    def curl(self) -> str:
        return self._line(r"^  (curl .*)$")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> CommandResult:
        """Stops the process and returns its output after the greeting."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=SECONDS)
        return CommandResult(self.process.returncode, out, err)

    def kill_workers(self) -> None:
        """Kills all worker processes. Connections wait until the first replacement accepts them."""
        folder = Path(f"/proc/{self.process.pid}/task/{self.process.pid}")
        for child in (folder / "children").read_text().split():
            # The other child process is the resource tracker.
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(int(child), signal.SIGKILL)

    def _line(self, pattern: str) -> str:
        match = re.search(pattern, self.greeting, re.MULTILINE)
        assert match, self.greeting
        return match[1]


@dataclass
class Terminal:
    """Runs commands in one folder."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def database(self) -> str:
        """The store as commands name it in their output."""
        url = self.settings.get("database_url", "sqlite:///lootkeep.db")
        return str(self.folder / url.removeprefix("sqlite:///")) if url.startswith("sqlite") else url

    def run(self, *arguments: str, **settings: str) -> CommandResult:
        """Runs the real command in its own process."""
        done = self._run([PROGRAM, *arguments], settings)
        return CommandResult(done.returncode, done.stdout, done.stderr)

    def call(self, *arguments: str, **settings: str) -> CommandResult:
        """Runs the command in this process, which saves the second it takes to start."""
        with self.monkeypatch.context() as patch:
            patch.chdir(self.folder)
            patch.setattr(sys, "argv", ["lootkeep", *arguments])
            for name, value in (self.settings | settings).items():
                patch.setenv(variable(name), value)
            with pytest.raises(SystemExit) as end:
                cli.main()
        output = self.capture.readouterr()
        return CommandResult(int(end.value.code or 0), output.out, output.err)

    def start(self, *arguments: str, **settings: str) -> subprocess.Popen[str]:
        return start(self.folder, self._environment(settings), *arguments)

    def killed_at(self, mark: str, *arguments: str, **settings: str) -> None:
        """Runs the real command until it is killed where `tests/faults/killed_at.py` sees the mark."""
        done = self._run([ROOT / "tests/faults/killed_at.py", mark, PROGRAM, *arguments], settings)
        assert done.returncode == -signal.SIGKILL, (mark, done)

    def interrupted_at(self, mark: str, *arguments: str, **settings: str) -> CommandResult:
        """With Ctrl-C at the mark."""
        done = self._run([ROOT / "tests/faults/killed_at.py", f"{mark}:SIGINT", PROGRAM, *arguments], settings)
        return CommandResult(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def serving(self, *arguments: str, **settings: str) -> Iterator[Serving]:
        """`lootkeep serve` on a free port."""
        with served(self.start("serve", "--port", "0", *arguments, **settings)) as server:
            yield server

    def _run(self, script: list[str | Path], settings: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        options: dict[str, Any] = {"cwd": self.folder, "env": self._environment(settings), "stdin": subprocess.DEVNULL}
        return forked.run(script, SECONDS, **options)

    def _environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        return environment(self.settings | dict(settings))


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Our own environment without Lootkeep's settings, plus the given ones; the command is on the PATH."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("LOOTKEEP_")}
    plain["PATH"] = f"{PROGRAM.parent}:{plain.get('PATH', os.defpath)}"
    variables = {variable(name): value for name, value in settings.items()}
    return plain | {"NO_COLOR": "1", "TERM": "dumb"} | variables


def start(folder: Path, env: Mapping[str, str], *arguments: str, launcher: Sequence[str] = ()) -> subprocess.Popen[str]:
    # Only a script is forked, not another program that starts it.
    process = subprocess.Popen[str] if launcher else Forked[str]
    return process(
        [*launcher, PROGRAM, *arguments],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def served(started: subprocess.Popen[str]) -> Iterator[Serving]:
    """Waits until a server is up. It listens before it prints its greeting."""
    with started as process:
        assert process.stdout
        greeting = ""
        for line in process.stdout:
            greeting += line
            if line.startswith("  curl"):
                break
        else:
            pytest.fail(f"The server did not start: {process.communicate()}")
        try:
            yield Serving(process, greeting)
        finally:
            if process.poll() is None:
                process.terminate()
