"""The application runs on Granian too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx

from tests.api.server.serving import BRONZE, MEBIBYTE, PATIENCE_SECONDS, PROGRAMS, TIERS, start, stop


def test_granian_serves_the_same_application(database: dict[str, str], tmp_path: Path) -> None:
    words = (PROGRAMS / "granian", "--interface", "asgi", "--factory", "lootkeep.wiring:app", "--host", "127.0.0.1")
    served = start(database, tmp_path, *words)
    pages = ("/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", TIERS)
    statuses = {path: served.get(path).status_code for path in pages}
    contents: dict[str, Any] = {
        "by length": json.dumps(BRONZE).encode(),
        "in chunks": iter([json.dumps(BRONZE).encode()[:9], json.dumps(BRONZE).encode()[9:]]),
        "malformed": b"{",
        "incomplete": b'{"name": "x"}',
        "too large": b" " * (MEBIBYTE + 1),
    }
    headers = {"Authorization": f"Bearer {served.token}", "Content-Type": "application/json"}
    posted = {
        kind: httpx.post(served.url + TIERS, content=sent, headers=headers, timeout=PATIENCE_SECONDS)
        for kind, sent in contents.items()
    }
    nobody = httpx.get(served.url + TIERS, timeout=PATIENCE_SECONDS)
    stop(served)
    assert statuses == dict.fromkeys(pages, 200)
    assert {kind: (answer.status_code, answer.json()["success"]) for kind, answer in posted.items()} == {
        "by length": (201, True),
        "in chunks": (201, True),
        "malformed": (422, False),
        "incomplete": (422, False),
        "too large": (413, False),
    }
    assert (nobody.status_code, nobody.json()["error"]) == (401, "Unauthorized")
