"""The examples of the client's documentation, and the samples of the reference, pass a strict type checker."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.clients.recorder import programs
from tests.rules.tree import ROOT

PAGES = ("docs/client.md", "clients/python/README.md")
_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
# What the pages leave to the reader.
_GIVEN = "raw_body: bytes, request_headers: dict[str, str]"


def program(page: str) -> str:
    """Each example of a page as a function."""
    functions = []
    for number, block in enumerate(_BLOCK.findall((ROOT / page).read_text())):
        is_async = "await " in block or "async " in block
        head = f"async def example_{number}(client: AsyncClient" if is_async else f"def example_{number}(client: Client"
        # An example that makes its own client shadows the argument.
        head = head.replace("(client:", "(_:") if "Client(" in block else head
        functions.append(f"{head}, {_GIVEN}) -> None:\n{textwrap.indent(block, '    ')}")
    return "from lootkeep_client import AsyncClient, Client\n\n" + "\n\n".join(functions)


def samples() -> str:
    """The samples of the reference, each as a function."""
    bodies = [textwrap.indent(sample, "    ") for sample in programs("python", "https://your-store.example")]
    return "\n\n".join(f"def sample_{number}() -> None:\n{body}" for number, body in enumerate(bodies))


def test_every_example_passes_mypy_strict(tmp_path: Path) -> None:
    (tmp_path / "samples.py").write_text(samples())
    for page in PAGES:
        (tmp_path / f"{page.replace('/', '_').removesuffix('.md')}.py").write_text(program(page))
    check = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--config-file=",
        f"--cache-dir={tmp_path}",
        *map(str, tmp_path.glob("*.py")),
    ]
    done = subprocess.run(check, capture_output=True, text=True, cwd=ROOT / "clients/python", check=False)
    assert (done.returncode, done.stdout) == (0, "")
