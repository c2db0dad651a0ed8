"""The commands of docs/quickstart.md, run as they are written, place an order and receive its webhook."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.terminal import PROGRAM, SECONDS, Terminal
from tests.docs.curls import SHOWN_ADDRESS
from tests.rules.tree import ROOT

PAGE = ROOT / "docs/quickstart.md"
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
# What `make run` does once the environment is there.
RECIPE = ".venv/bin/lootkeep serve $(ARGS)"


def test_the_page_leads_to_an_order_and_its_webhook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal(tmp_path, monkeypatch, capsys)
    (terminal.folder / ".venv").symlink_to(PROGRAM.parent.parent)
    run, listen, *calls = BLOCKS
    assert RECIPE in (ROOT / "Makefile").read_text()
    assert run.startswith("make run ARGS=")
    with terminal.serving(run.strip().removeprefix("make run ARGS=")) as server:
        variables = {"TOKEN": server.token, "PATH": "/usr/bin:/bin", "NO_COLOR": "1"}
        # The port of the page may be taken on this machine.
        words = [*listen.split(), "--port", "0"]
        with subprocess.Popen(
            words, cwd=terminal.folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as listener:
            _wait_for(listener, "stderr", r"\n")
            script = "".join(calls).replace(SHOWN_ADDRESS, server.url)
            outcome = _shell(script, terminal.folder, variables)
            received = _wait_for(listener, "stdout", r".*  order\.paid  wh_.*\n")
            signature = _wait_for(listener, "stdout", r"  signature .*\n")[-1]
            listener.send_signal(signal.SIGINT)
            listener.communicate(timeout=SECONDS)
    assert (outcome.returncode, '"order":{"id":1' in outcome.stdout) == (0, True), outcome.stdout + outcome.stderr
    assert [line.split()[1] for line in received if "  wh_" in line and "answered" not in line] == [
        "product.created",
        "customer.created",
        "order.created",
        "order.paid",
    ]
    assert signature == "  signature ok\n"


def _wait_for(process: subprocess.Popen[str], name: str, pattern: str) -> list[str]:
    """The lines up to the first that matches."""
    stream = process.stdout if name == "stdout" else process.stderr
    assert stream
    lines: list[str] = []
    while not lines or not re.fullmatch(pattern, lines[-1]):
        line = stream.readline()
        assert line, f"It ended without {pattern}: {lines}"
        lines.append(line)
    return lines


def _shell(script: str, folder: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-euc", script],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
