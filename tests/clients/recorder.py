"""The samples of the reference page as programs, and a server on loopback that records what they send."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from lootkeep import wiring
from lootkeep.api.http.reference.operations import read

TOKEN = "lk_test"
ROUTER = wiring.router()
# The inbox for payment events has no token: it is called by payment providers, not by clients.
OPERATIONS = [
    operation for group in read(wiring.document()).groups for operation in group.operations if operation.needs_token
]
_META = {"current_page": 1, "last_page": 1, "per_page": 15, "total": 0}


class Recorded(NamedTuple):
    """One request as it came over the wire."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


class Recorder(ThreadingHTTPServer):
    """Answers every request with the empty success of its route."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.requests: list[Recorded] = []


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Recorder

    def _answer(self) -> None:
        url = urlsplit(self.path)
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.loads(content) if content else None
        self.server.requests.append(Recorded(self.command, url.path, query, headers, body))
        shape = ROUTER.find(self.command, url.path)[0].answer
        data: Any = [] if shape.is_list else {}
        answer = json.dumps({"success": True, "data": data, "message": "Done", "meta": _META}).encode()
        self.send_response(201 if self.command == "POST" else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815  so http.server calls them

    def log_message(self, *_: object) -> None:
        """What arrives is recorded, not logged."""


@contextmanager
def recording() -> Iterator[Recorder]:
    with Recorder() as recorder:
        Thread(target=recorder.serve_forever, args=(0.01,)).start()
        try:
            yield recorder
        finally:
            recorder.shutdown()


def programs(language: str, url: str) -> list[str]:
    """The sample of every operation, as the page of a service at `url` shows it."""
    return [
        f"{before}{url}{after}"
        for operation in OPERATIONS
        for _, key, before, after in operation.samples
        if key == language
    ]


def check_samples(requests: list[Recorded]) -> None:
    """The samples were run in order, and each called exactly its operation, with its example as the body."""
    assert [_called(request) for request in requests] == [operation.anchor for operation in OPERATIONS]
    for operation, request in zip(OPERATIONS, requests, strict=True):
        assert request.body == (json.loads(operation.body.example) if operation.body else None)
        assert request.headers["authorization"] == f"Bearer {TOKEN}"
        needed = [
            parameter
            for _, parameters in operation.parameters
            for parameter in parameters
            if parameter.field.is_required
        ]
        query = {parameter.field.name: parameter.example for parameter in needed if parameter.location == "query"}
        assert request.query == query


def _called(request: Recorded) -> str:
    """The anchor of the operation that the service would run."""
    return ROUTER.find(request.method, request.path)[0].handler.__name__.replace("_", "-")
