"""`make audit` and the step of `make check`, with pip-audit and a source of advisories on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from tests.cli.terminal import SECONDS, CommandResult
from tests.rules.tree import ROOT

UNREACHED = "Advisories could not be reached, so vulnerabilities were not checked ("
ADVISORY = {
    "id": "PYSEC-2026-1",
    "modified": "2026-11-01T00:00:00Z",
    "published": "2026-11-01T00:00:00Z",
    "affected": [
        {
            "package": {"name": "jinja2", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.1"}]}],
        }
    ],
}


def test_without_advisories_the_check_goes_on_and_says_so() -> None:
    done = audit("http://127.0.0.1:1/")
    assert (done.code, done.out.startswith(f"Note: {UNREACHED}")) == (0, True)


def test_without_advisories_an_audit_fails() -> None:
    done = audit("http://127.0.0.1:1/", "--required")
    assert (done.code, done.out.startswith(UNREACHED)) == (1, True)


def test_packages_without_advisories_pass() -> None:
    with advisories({}) as url:
        done = audit(url, "--required")
    assert (done.code, done.out.splitlines()[-1]) == (0, "No vulnerability of them is known.")


def test_a_known_vulnerability_stops_the_check() -> None:
    with advisories({"jinja2": ADVISORY}) as url:
        done = audit(url)
    assert done.code == 1
    assert "has PYSEC-2026-1, repaired in 99.1." in done.out


def audit(url: str, *arguments: str) -> CommandResult:
    source = {"PIP_AUDIT_VULNERABILITY_SERVICE": "osv", "PIP_AUDIT_OSV_URL": url, "NO_PROXY": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-m", "tools.audit", *arguments],
        cwd=ROOT,
        env=os.environ | source,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return CommandResult(done.returncode, done.stdout, done.stderr)


@contextmanager
def advisories(known: dict[str, object]) -> Iterator[str]:
    """Answers each query with what is known of the package."""

    class Source(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            advisory = known.get(query["package"]["name"])
            answer = json.dumps({"vulns": [advisory]} if advisory else {}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Source) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
