"""Reading a request body: of the right type, and never more than we accept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from lootkeep.api.http.errors import BadRequest, PayloadTooLarge, UnsupportedMediaType

LARGEST_BODY = 1024 * 1024


async def read_body(
    scope: MutableMapping[str, Any],
    headers: dict[bytes, bytes],
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
) -> bytes:
    """The whole body. A request without one costs nothing here."""
    length = headers.get(b"content-length")
    if length is None and b"transfer-encoding" not in headers and scope["http_version"] != "2":
        return b""
    if length is not None and length.isdigit() and int(length) > LARGEST_BODY:
        raise PayloadTooLarge
    body = await _receive_all(receive)
    if body and not _is_json(headers.get(b"content-type", b"")):
        raise UnsupportedMediaType
    return body


async def _receive_all(receive: Callable[[], Awaitable[MutableMapping[str, Any]]]) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BadRequest("incomplete_body", "The request body ended before it was complete.")
        chunk: bytes = message.get("body", b"")
        size += len(chunk)
        if size > LARGEST_BODY:
            raise PayloadTooLarge
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


def _is_json(content_type: bytes) -> bool:
    return content_type.partition(b";")[0].strip().lower() == b"application/json"
