"""The examples of docs/webhooks.md, run unchanged against deliveries that the service's own code signed.

Python is checked on every machine, Node, PHP and Go where their programs are on PATH; `make test` installs Node and
PHP where it may.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from lootkeep.domain import deliveries as deliveries_rules, signing as signing_rules
from tests.docs import drivers
from tests.docs.blocks import block
from tests.ids import CountingIds

# Installed from the registry by the test that needs it.
NODE_PACKAGES = Path(__file__).parent / "node"

ids = CountingIds()
SECRET, OLD_SECRET, STRANGER = (ids.webhook_secret() for _ in range(3))
ID = ids.delivery_id()
DATA = '{"order_id":123,"customer_name":"Zoë 🐉 \\"/\\\\","total":"19.99"}'
BODY = deliveries_rules.body(ID, "order.paid", "2026-11-15T12:00:00Z", DATA).encode()


class VerificationCase:
    """A request, the secret its receiver holds, and whether each of the two functions should believe it."""

    def __init__(self, headers: dict[str, str], *believed: bool, body: bytes = BODY, secret: str = SECRET) -> None:
        self.believed = list(believed)
        self.sent = {
            "body": base64.b64encode(body).decode(),
            "headers": {name.lower(): value for name, value in headers.items()},
            "secret": secret,
        }


def cases() -> dict[str, VerificationCase]:
    """Made again for each test: they are signed with the time of day, which the examples look at."""
    signed = _signed(SECRET)
    rotated = _signed(SECRET, OLD_SECRET)
    noise = dict.fromkeys(signed, "é, v1,é v1")
    return {
        "good": VerificationCase(signed, True, True),
        "good with four minutes on the way": VerificationCase(_signed(SECRET, age=240), True, True),
        "changed body": VerificationCase(signed, False, False, body=BODY.replace(b"19.99", b"09.99")),
        "reserialised body": VerificationCase(signed, False, False, body=json.dumps(json.loads(BODY)).encode()),
        "wrong secret": VerificationCase(_signed(STRANGER), False, False),
        "other id": VerificationCase(signed | {"webhook-id": "wh_1"}, False, True),
        "old": VerificationCase(_signed(SECRET, age=3600), False, True),
        "of the future": VerificationCase(_signed(SECRET, age=-3600), False, True),
        "rotated, the receiver has the new secret": VerificationCase(rotated, True, True),
        "rotated, the receiver has the old secret": VerificationCase(rotated, True, False, secret=OLD_SECRET),
        "recorded, without its time": VerificationCase(
            {"X-Webhook-Signature": signed["X-Webhook-Signature"]}, False, True
        ),
        "no headers": VerificationCase({}, False, False),
        "noise": VerificationCase(noise, False, False),
        "noise of today": VerificationCase(noise | {"webhook-timestamp": signed["webhook-timestamp"]}, False, False),
        "a number of 5000 digits": VerificationCase(signed | {"webhook-timestamp": "9" * 5000}, False, True),
    }


def _signed(*secrets: str, age: int = 0) -> dict[str, str]:
    return signing_rules.headers(BODY, "order.paid", ID, secrets, int(time.time()) - age)


def python(folder: Path) -> list[str]:
    (folder / "verify.py").write_text(block("Python", "python") + drivers.PYTHON)
    return [sys.executable, "verify.py"]


def node(folder: Path) -> list[str]:
    (folder / "verify.js").write_text(block("Node", "js") + drivers.NODE)
    return ["node", "verify.js"]


def php(folder: Path) -> list[str]:
    (folder / "verify.php").write_text(block("PHP", "php") + drivers.PHP)
    return ["php", "verify.php"]


def go(folder: Path) -> list[str]:
    (folder / "go.mod").write_text("module check\n\ngo 1.19\n")
    (folder / "main.go").write_text(drivers.GO)
    (folder / "webhooks").mkdir()
    (folder / "webhooks" / "verify.go").write_text(block("Go", "go"))
    return ["go", "run", "."]


LANGUAGES = [python, *(language for language in (node, php, go) if shutil.which(language.__name__))]


@pytest.mark.parametrize("prepare", LANGUAGES, ids=lambda prepare: prepare.__name__)
def test_the_example_accepts_only_genuine_deliveries(prepare: Callable[[Path], list[str]], tmp_path: Path) -> None:
    """Python always; the others where they are at hand."""
    planned = cases()
    answers = _run(prepare(tmp_path), tmp_path, planned)
    assert answers == {name: case.believed for name, case in planned.items()}


def test_the_published_python_package_accepts_the_same(tmp_path: Path) -> None:
    (tmp_path / "verify.py").write_text(block("Standard Webhooks", "python") + drivers.PYTHON_PACKAGE)
    planned = cases()
    answers = _run([sys.executable, "verify.py"], tmp_path, planned)
    assert answers == {name: case.believed[0] for name, case in planned.items()}


def test_the_published_node_package_accepts_the_same(tmp_path: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(NODE_PACKAGES / name, tmp_path)
    installed = subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert installed.returncode == 0, installed.stderr
    (tmp_path / "verify.js").write_text(block("Standard Webhooks", "js") + drivers.NODE_PACKAGE)
    planned = cases()
    answers = _run(["node", "verify.js"], tmp_path, planned)
    assert answers == {name: case.believed[0] for name, case in planned.items()}


def _run(command: Sequence[str], folder: Path, planned: dict[str, VerificationCase]) -> dict[str, Any]:
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"},
        input=json.dumps([case.sent for case in planned.values()]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(planned, json.loads(done.stdout), strict=True))
