"""HTTP that leaves the machine: one pooled client, a deadline for everything, and a guard at the socket."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from typing import Any

import aiohttp

from lootkeep import __version__
from lootkeep.domain.addresses import Network, is_public
from lootkeep.domain.deliveries import DEADLINE_SECONDS, Result

_USER_AGENT = f"Lootkeep/{__version__}"
_READ_BYTES = 16 * 1024
_KEPT_CHARACTERS = 2 * 1024
_SHOWN_CHARACTERS = 200
_NOT_PUBLIC = "the address is not public"


class NotPublicError(OSError):
    """The address that would be dialled is one that webhooks must not reach."""


class Outbound:
    """Posts to receivers. Every failure is a result with a reason in words: nothing a receiver does is an error."""

    def __init__(self, allowed: Sequence[Network] = (), tls: ssl.SSLContext | None = None) -> None:
        self._allowed = allowed
        self._tls = tls or ssl.create_default_context()
        self._session: aiohttp.ClientSession | None = None

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Result:
        started = time.monotonic()
        try:
            code, text, location = await self._exchange(url, body, headers)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            return Result(False, None, _milliseconds(started), _reason(error), None)
        is_delivered = 200 <= code < 300
        reason = None if is_delivered else _refusal(code, location)
        return Result(is_delivered, code, _milliseconds(started), reason, text or None)

    async def close(self) -> None:
        if self._session:
            await self._session.close()

    async def _exchange(self, url: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, str, str]:
        sent = {"Content-Type": "application/json", **headers}
        async with self._client().post(url, data=body, headers=sent, allow_redirects=False) as response:
            excerpt = await _excerpt(response)
            return response.status, excerpt, _clean(response.headers.get("Location", ""), _SHOWN_CHARACTERS)

    def _client(self) -> aiohttp.ClientSession:
        """Made on first use, inside the loop that uses it."""
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0, ssl=self._tls, socket_factory=self._guarded_socket)
            self._session = aiohttp.ClientSession(
                connector=connector,
                # Without the threshold, aiohttp would round the deadline up to a whole second of its own.
                timeout=aiohttp.ClientTimeout(total=DEADLINE_SECONDS, ceil_threshold=2 * DEADLINE_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": _USER_AGENT},
                auto_decompress=False,
                trust_env=False,
            )
        return self._session

    def _guarded_socket(self, info: Any) -> socket.socket:
        """Sees the very address that is dialled: literals, names and names that change their mind alike."""
        family, kind, protocol, _, address = info
        if not is_public(address[0], self._allowed):
            raise NotPublicError(_NOT_PUBLIC)
        return socket.socket(family, kind, protocol)


async def _excerpt(response: aiohttp.ClientResponse) -> str:
    """The beginning of the answer; a receiver that never ends is cut off."""
    chunks = b""
    while len(chunks) < _READ_BYTES:
        chunk = await response.content.read(_READ_BYTES - len(chunks))
        if not chunk:
            break
        chunks += chunk
    else:
        response.close()
    return _clean(chunks.decode("utf-8", "replace"), _KEPT_CHARACTERS)


def _clean(text: str, longest: int) -> str:
    """Text that any database and any terminal can hold."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text[:longest])


def _milliseconds(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def _refusal(code: int, location: str) -> str:
    if 300 <= code < 400:
        target = f" to {location}" if location else ""
        return f"answered {code}{target}: redirects are not followed"
    return f"answered {code}"


def _reason(error: Exception) -> str:
    """Why there was no answer, in words."""
    if isinstance(error, TimeoutError | asyncio.TimeoutError):
        return f"timed out after {DEADLINE_SECONDS} s"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return _certificate_fault(str(error.certificate_error))
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "the host name cannot be resolved"
    if _NOT_PUBLIC in str(error):
        return _NOT_PUBLIC
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return "the TLS handshake failed"
    if isinstance(error, aiohttp.ClientConnectorError):
        return _connection_fault(error.os_error)
    if isinstance(error, aiohttp.ServerDisconnectedError | ConnectionError | aiohttp.ClientPayloadError):
        return "the connection was closed before the answer was complete"
    if isinstance(error, aiohttp.ClientResponseError):
        return "answered something that is not HTTP"
    return "the connection failed"


def _connection_fault(error: OSError) -> str:
    if _NOT_PUBLIC in str(error):
        return _NOT_PUBLIC
    return os.strerror(error.errno).lower() if error.errno else "the connection failed"


def _certificate_fault(text: str) -> str:
    if "expired" in text:
        return "certificate expired"
    if "mismatch" in text or "doesn't match" in text:
        return "certificate is for another host"
    return "certificate is not trusted"
