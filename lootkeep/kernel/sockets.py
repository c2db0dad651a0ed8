"""How long a connection may be silent before the operating system reports it as lost."""

from __future__ import annotations

import socket
from asyncio import BaseTransport

# A lost peer is detected after 10 + 3 * 5 seconds of silence, and unconfirmed data after 10; the defaults of most
# systems are two hours and a quarter of an hour.
IDLE_SECONDS = 10
PROBE_SECONDS = 5
PROBES = 3
_UNCONFIRMED_MS = 10_000

# By name: not every system has all of them.
_OPTIONS = {
    "TCP_KEEPIDLE": IDLE_SECONDS,
    "TCP_KEEPINTVL": PROBE_SECONDS,
    "TCP_KEEPCNT": PROBES,
    "TCP_USER_TIMEOUT": _UNCONFIRMED_MS,
}


def notice_loss(transport: BaseTransport) -> None:
    """Makes the operating system check that the other side is still there."""
    connection = transport.get_extra_info("socket")
    if connection is None or connection.family not in (socket.AF_INET, socket.AF_INET6):
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _OPTIONS.items():
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
