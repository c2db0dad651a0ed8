"""Proxies from the environment: which one to use for a host, and a tunnel through it."""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

_MAX_ANSWER_BYTES = 16 * 1024


class Proxy(NamedTuple):
    host: str
    port: int
    header_lines: str = ""


def proxy_from_environment(host: str) -> Proxy | None:
    """The proxy from HTTPS_PROXY and NO_PROXY for a host; ValueError if it is not the URL of a proxy."""
    url = getproxies().get("https")
    if not url or proxy_bypass(host):
        return None
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError("HTTPS_PROXY is not the URL of a proxy")
    if not parts.username:
        return Proxy(parts.hostname, parts.port or 80)
    credentials = b64encode(f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()).decode()
    return Proxy(parts.hostname, parts.port or 80, f"Proxy-Authorization: Basic {credentials}\r\n")


async def open_tunnel(connected: socket.socket, proxy: Proxy, host: str, port: int) -> None:
    """From now on the socket leads to the host; OSError if the proxy refuses."""
    loop = asyncio.get_running_loop()
    authority = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    request = f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n{proxy.header_lines}\r\n"
    await loop.sock_sendall(connected, request.encode())
    answer = b""
    # The host sends nothing first, so nothing follows the proxy's response.
    while b"\r\n\r\n" not in answer:
        block = await loop.sock_recv(connected, _MAX_ANSWER_BYTES)
        answer += block
        if not block or len(answer) > _MAX_ANSWER_BYTES:
            raise ConnectionError("the proxy does not answer as a proxy does")
    if answer.split(b" ", 2)[1:2] != [b"200"]:
        raise ConnectionError("the proxy refuses the connection")
