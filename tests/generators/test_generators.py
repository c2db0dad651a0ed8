"""The OpenAPI document is good enough for others to make clients of it: they are made here, checked, and called."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lootkeep import wiring
from tests.cli.terminal import Serving, environment, served, start
from tests.rules.tree import ROOT

HERE = Path(__file__).parent
PYTHON = ROOT / ".venv-generators" / "bin"

# What both clients must have seen.
SEEN = {
    "tiers": {
        "message": "Referral tier created successfully",
        "reward": "10% off",
        "is replayed": True,
        "names": ["Bronze"],
    },
    "products": {
        "dearest": ["Hexgarden"],
        "total": 2,
        "limit": "60",
        "price": "9.00",
        "description": None,
    },
    "refusals": {
        "no name": {
            "success": False,
            "error": "Validation Error",
            "code": "validation_failed",
            "fields": ["name", "referrals_required"],
        },
        "nobody's token": {"success": False, "error": "Unauthorized", "code": "unauthorized", "fields": []},
        "no such product": {"success": False, "error": "Not Found", "code": "not_found", "fields": []},
    },
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Serving]:
    with served(start(tmp_path, environment({}), "serve", "--port", "0")) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a client is made; it has the document."""
    folder = tmp_path / "client"
    folder.mkdir()
    (folder / "openapi.json").write_text(json.dumps(wiring.document()))
    return folder


@pytest.mark.timeout(300)
def test_a_client_made_by_openapi_python_client_works(folder: Path, store: Serving) -> None:
    run(ROOT, "tools/setup.sh", ".venv-generators", "locks/generators.txt")
    made = run(
        folder,
        PYTHON / "openapi-python-client",
        "generate",
        "--path",
        "openapi.json",
        "--meta",
        "none",
        "--output-path",
        "store_client",
        "--fail-on-warning",
    )
    assert "warning" not in made.lower()
    shutil.copy(HERE / "python" / "calls.py", folder)
    assert json.loads(run(folder, PYTHON / "python", "calls.py", store=store)) == SEEN


@pytest.mark.timeout(300)
def test_a_client_made_by_openapi_typescript_is_accepted_by_the_compiler_and_works(
    folder: Path, store: Serving
) -> None:
    for name in ("package.json", "package-lock.json", "tsconfig.json", "calls.ts"):
        shutil.copy(HERE / "typescript" / name, folder)
    run(folder, "npm", "ci", "--no-audit", "--no-fund")
    tools = folder / "node_modules" / ".bin"
    # Otherwise a field with a default would have to be sent.
    optional = "--default-non-nullable=false"
    run(folder, tools / "openapi-typescript", "openapi.json", "--output", "schema.d.ts", optional)
    run(folder, tools / "tsc", "--project", "tsconfig.json")
    assert json.loads(run(folder, "node", "built/calls.js", store=store)) == SEEN


def run(folder: Path, *command: str | Path, store: Serving | None = None) -> str:
    given = {"STORE_ADDRESS": store.address, "STORE_TOKEN": store.token} if store else {}
    # The generator formats what it made with the ruff beside it.
    path = {"PATH": f"{PYTHON}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        command, cwd=folder, env=os.environ | path | given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
