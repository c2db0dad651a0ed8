"""Outgoing HTTP: one pooled client, a deadline for everything, and a guard at the socket."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlencode

from lootkeep import __version__
from lootkeep.domain.addresses import IpNetwork, is_public
from lootkeep.domain.deliveries import DEADLINE_SECONDS, AttemptResult
from lootkeep.engines.http1 import Client, ConnectionClosed, NotHttp, Response, target
from lootkeep.engines.resolver import NotResolved, Resolver
from lootkeep.kernel.clock import SECOND, Instant

_FIXED_HEADERS = f"User-Agent: Lootkeep/{__version__}\r\nAccept: */*\r\nContent-Type: application/json\r\n"
_FORM_HEADERS = _FIXED_HEADERS.replace("application/json", "application/x-www-form-urlencoded")
_READ_BYTES = 16 * 1024
_KEPT_CHARACTERS = 2 * 1024
_SHOWN_CHARACTERS = 200
# The length of a date.
_SHOWN_RETRY_AFTER = 29
NOT_PUBLIC = "the address is not public"
_OPEN_FILES = 65_536


class NotPublicError(OSError):
    """Webhooks must not reach this IP address."""


def allow_connections() -> None:
    """A shell lets a program open 1,024 files; a hundred hanging receivers take that many connections."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _OPEN_FILES if most == resource.RLIM_INFINITY else min(_OPEN_FILES, most)
    if now != resource.RLIM_INFINITY and now < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))


class Reached(NamedTuple):
    """Why the connection failed, or until when the certificate is valid."""

    error: str | None
    certificate_ends: Instant | None


class Outbound:
    """Posts to receivers. Every failure is a result with a reason, never an exception."""

    def __init__(
        self,
        allowed: Sequence[IpNetwork] = (),
        tls: ssl.SSLContext | None = None,
        resolver: Resolver | None = None,
        max_read: int = _READ_BYTES,
    ) -> None:
        self._allowed = allowed
        self._client = Client(resolver or Resolver(), self._guarded_socket, max_read, tls=tls)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> AttemptResult:
        started = time.monotonic()
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                answer = await self._client.request(target(url, _FIXED_HEADERS), header_lines(headers), body)
        except (NotHttp, ConnectionClosed, OSError, ValueError) as error:
            return AttemptResult(False, None, _milliseconds(started), failure(error), None)
        is_delivered = 200 <= answer.code < 300
        reason = None if is_delivered else _rejection(answer)
        excerpt = _clean(answer.beginning, _KEPT_CHARACTERS) or None
        return AttemptResult(is_delivered, answer.code, _milliseconds(started), reason, excerpt)

    async def get(self, url: str, headers: Mapping[str, str] = {}) -> Response | str:
        """The response, of which only the beginning is read, or why there is none."""
        return await self._fetch(url, _FIXED_HEADERS, "GET", headers)

    async def post_form(self, url: str, form: Mapping[str, str], headers: Mapping[str, str]) -> Response | str:
        return await self._fetch(url, _FORM_HEADERS, "POST", headers, urlencode(form).encode())

    async def _fetch(
        self, url: str, fixed: str, method: str, headers: Mapping[str, str], body: bytes = b""
    ) -> Response | str:
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                return await self._client.request(target(url, fixed, method), header_lines(headers), body)
        except (NotHttp, ConnectionClosed, OSError, ValueError) as error:
            return failure(error)

    async def reach(self, url: str) -> Reached:
        """Connects without sending anything."""
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                certificate = await self._client.certificate(target(url, _FIXED_HEADERS))
        except (NotHttp, ConnectionClosed, OSError, ValueError) as error:
            return Reached(failure(error), None)
        ends = certificate.get("notAfter")
        return Reached(None, Instant(int(ssl.cert_time_to_seconds(ends)) * SECOND) if ends else None)

    async def close(self) -> None:
        await self._client.close()

    def _guarded_socket(self, info: Any) -> socket.socket:
        """Checks the very IP address that is connected to: literals, host names and names that change."""
        family, kind, protocol, _, address = info
        if not is_public(address[0], self._allowed):
            raise NotPublicError(NOT_PUBLIC)
        return socket.socket(family, kind, protocol)


def header_lines(headers: Mapping[str, str]) -> bytes:
    return "".join([f"{name}: {value}\r\n" for name, value in headers.items()]).encode()


def _clean(raw: bytes, longest: int) -> str:
    """Text that is safe for any database and any terminal."""
    text = raw.decode("utf-8", "replace")[:longest]
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


def _milliseconds(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def _rejection(answer: Response) -> str:
    """A receiver cannot change the retry schedule; the reason mentions its request."""
    reason = f"answered {answer.code}"
    if 300 <= answer.code < 400:
        location = _clean(answer.headers.get(b"location", b""), _SHOWN_CHARACTERS)
        return f"{reason}{f' to {location}' if location else ''}: redirects are not followed"
    if answer.code == HTTPStatus.GONE:
        reason += ", gone for good"
    if retry_after := _clean(answer.headers.get(b"retry-after", b""), _SHOWN_RETRY_AFTER):
        reason += f"; it asked to wait (Retry-After: {retry_after}), which does not change the schedule"
    return reason


def failure(error: Exception) -> str:
    """Why there was no response, as text."""
    if isinstance(error, TimeoutError):
        return f"timed out after {DEADLINE_SECONDS} s"
    if isinstance(error, ssl.SSLCertVerificationError):
        return _certificate_error(str(error))
    if isinstance(error, ssl.SSLError):
        return "the TLS handshake failed"
    if isinstance(error, ConnectionClosed):
        return "the connection was closed before the answer was complete"
    if isinstance(error, NotHttp):
        return "answered something that is not HTTP"
    if isinstance(error, NotResolved):
        return str(error)
    # If several addresses were tried, one error reports all.
    if NOT_PUBLIC in str(error):
        return NOT_PUBLIC
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    return "the connection failed"


def _certificate_error(text: str) -> str:
    if "expired" in text:
        return "certificate expired"
    if "mismatch" in text or "doesn't match" in text:
        return "certificate is for another host"
    return "certificate is not trusted"
