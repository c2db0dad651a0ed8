"""A request whose body arrives in pieces."""

from __future__ import annotations

import json
import socket

import httpx

from tests.api.server.serving import (
    BRONZE,
    PATIENCE_SECONDS,
    TIERS,
    RunningServer,
    read_all,
    responses,
)


class Upload:
    """A request whose body is not finished yet, and of which the server is known to wait for the rest."""

    def __init__(self, served: RunningServer, name: str) -> None:
        self._body = json.dumps(BRONZE | {"name": name}).encode()
        self._connection = socket.create_connection(("127.0.0.1", served.port), PATIENCE_SECONDS)
        headers = ("Content-Type: application/json", f"Content-Length: {len(self._body)}", "Expect: 100-continue")
        # A proxy would keep the connection open after the response.
        self._connection.sendall(served.request(TIERS, "POST", *headers, "Connection: close"))
        # The server asks for the body: it is at work on this request.
        assert self._connection.recv(1024).startswith(b"HTTP/1.1 100 ")

    def send_rest(self) -> None:
        self._connection.sendall(self._body)

    def finish(self) -> httpx.Response:
        """What is answered to all of it."""
        (answer,) = responses(read_all(self._connection))
        self._connection.close()
        return answer
