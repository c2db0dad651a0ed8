"""Reads a request body: checks its type, limits its size, and validates it as its route declares."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pydantic import BaseModel

from lootkeep.api.http.errors import BadRequest, PayloadTooLarge, UnsupportedMediaType
from lootkeep.api.http.json import parse_object
from lootkeep.api.http.routes import MAX_BODY, Route
from lootkeep.api.http.validation import parse_fields
from lootkeep.deps import Deps

# More digits would exceed every limit, and Python refuses to parse thousands of them.
_MAX_LENGTH_DIGITS = 18
# A body up to this size is checked within a few milliseconds.
_SMALL_BODY = 16 * 1024
# Large bodies contain lists or HTML, which take longer: an unusual e-mail address takes a third of a millisecond.
_SMALL_PART = 1024
# One thread: even if many large bodies arrive, half of the time is left for other requests.
ASIDE = ThreadPoolExecutor(1, "large-body")


async def read_body(
    scope: MutableMapping[str, Any],
    headers: dict[bytes, bytes],
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
    max_bytes: int,
) -> bytes:
    """The whole body. A request without one costs nothing here."""
    length = headers.get(b"content-length")
    if length is None and b"transfer-encoding" not in headers and scope["http_version"] != "2":
        return b""
    if length is not None and _is_longer(length, max_bytes):
        raise PayloadTooLarge(max_bytes)
    body = await receive_all(receive, max_bytes)
    if body and not _is_json(headers.get(b"content-type", b"")):
        raise UnsupportedMediaType
    if body and headers.get(b"content-encoding", b"identity").strip().lower() != b"identity":
        raise UnsupportedMediaType("The request body must not be compressed.")
    return body


async def parse_body(raw: bytes, route: Route, deps: Deps, ignored: list[str]) -> BaseModel:
    """The validated fields; a large body takes so long that a separate thread checks it."""
    if len(raw) <= (_SMALL_PART if route.max_body > MAX_BODY else _SMALL_BODY):
        return _parsed(raw, route, deps, ignored)
    return await asyncio.get_running_loop().run_in_executor(ASIDE, _parsed, raw, route, deps, ignored)


def _parsed(raw: bytes, route: Route, deps: Deps, ignored: list[str]) -> BaseModel:
    return parse_fields(parse_object(raw), route, deps, ignored)


def _is_longer(length: bytes, max_bytes: int) -> bool:
    digits = length.lstrip(b"0")
    return digits.isdigit() and (len(digits) > _MAX_LENGTH_DIGITS or int(digits) > max_bytes)


async def receive_all(receive: Callable[[], Awaitable[MutableMapping[str, Any]]], max_bytes: int) -> bytes:
    """The bytes as they were sent."""
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BadRequest("incomplete_body", "The request body ended before it was complete.")
        chunk: bytes = message.get("body", b"")
        size += len(chunk)
        if size > max_bytes:
            raise PayloadTooLarge(max_bytes)
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


def _is_json(content_type: bytes) -> bool:
    return content_type.partition(b";")[0].strip().lower() == b"application/json"
