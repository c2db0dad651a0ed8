"""Receivers for the tests of `lootkeep webhooks`: the listener as a process, and small ones in the test."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from tests.cli.terminal import SECONDS, CommandResult, Terminal


class Request(NamedTuple):
    """A request to send, or one that arrived."""

    body: bytes
    headers: dict[str, str]
    path: str = "/"

    @property
    def id(self) -> str:
        return str(json.loads(self.body)["id"])


@dataclass
class Listening:
    """A running `lootkeep webhooks listen`."""

    process: subprocess.Popen[str]
    greeting: str

    @property
    def url(self) -> str:
        match = re.search(r"http://127\.0\.0\.1:\d+/", self.greeting)
        assert match, self.greeting
        return match[0]

    def stop(self, number: signal.Signals = signal.SIGINT) -> CommandResult:
        """Stops the process and returns its output after the greeting."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=SECONDS)
        return CommandResult(self.process.returncode, out, err)


@contextmanager
def listening(terminal: Terminal, *arguments: str) -> Iterator[Listening]:
    """Starts the listener on a free port. It accepts connections before it prints its greeting."""
    with terminal.start("webhooks", "listen", "--port", "0", *arguments) as process:
        assert process.stderr
        last = r".*Waiting for deliveries\.\n" if "--api" in arguments else r"\n"
        greeting = line = ""
        while not re.fullmatch(last, line):
            line = process.stderr.readline()
            assert line, f"The listener did not start: {greeting}"
            greeting += line
        try:
            yield Listening(process, greeting)
        finally:
            if process.poll() is None:
                process.kill()


AnswerFunction = Callable[[Request], tuple[int, bytes]]


@dataclass
class CliReceiver:
    """Answers with the result of a function and records the requests."""

    port: int
    received: list[Request] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/hook"


@contextmanager
def receiving(answer: AnswerFunction) -> Iterator[CliReceiver]:
    """Runs a receiver in a thread, so that a command can run in the thread of the test."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            request = Request(body, dict(self.headers.items()), self.path)
            receiver.received.append(request)
            status, text = answer(request)
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(text)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        receiver = CliReceiver(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()
