"""One request and its response, in terms of ASGI."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from lootkeep.api.http import envelope
from lootkeep.api.http.envelope import SAFE_HEADERS, Headers
from lootkeep.api.http.routes import Endpoint
from lootkeep.domain.access import Token
from lootkeep.engines.tracing import Span
from lootkeep.kernel.cause import Cause
from lootkeep.kernel.errors import AppError

Scope = MutableMapping[str, Any]
AsgiMessage = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[AsgiMessage]]
Send = Callable[[AsgiMessage], Awaitable[None]]

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")


JSON, CSV = b"application/json", b"text/csv"


class Exchange:
    __slots__ = (
        "answer_headers",
        "body",
        "cause",
        "content_type",
        "headers",
        "ignored",
        "receive",
        "request_id",
        "route",
        "scope",
        "span",
        "status",
        "token",
        "waited_seconds",
    )

    def __init__(self, scope: Scope, receive: Receive, make_id: Callable[[], str]) -> None:
        self.scope = scope
        self.receive = receive
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        sent_id = self.headers.get(b"x-request-id")
        self.request_id = sent_id.decode() if sent_id and _REQUEST_ID.fullmatch(sent_id) else make_id()
        self.cause = Cause(request_id=self.request_id)
        self.answer_headers: Headers = []
        # The names of fields and parameters that the route does not know.
        self.ignored: list[str] = []
        self.route: Endpoint | None = None
        self.span: Span | None = None
        self.token: Token | None = None
        self.status = 500
        # For news, which is not the time it took to answer.
        self.waited_seconds = 0.0
        self.content_type = JSON
        self.body = b""

    @property
    def address(self) -> str:
        """The IP address of the client."""
        client = self.scope.get("client")
        return client[0] if client else ""

    def fail(self, reason: AppError) -> None:
        self.content_type = JSON
        self.status, self.body, headers = envelope.failure(reason)
        self.answer_headers += headers

    async def send(self, send: Send) -> None:
        headers = [
            (b"content-type", self.content_type),
            *SAFE_HEADERS,
            (b"content-length", b"%d" % len(self.body)),
            (b"x-request-id", self.request_id.encode()),
            *self.answer_headers,
        ]
        if self.ignored:
            headers.append((b"x-ignored-fields", ", ".join(self.ignored).encode()))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if self.scope["method"] == "HEAD" else self.body})
