"""Ports for servers that cannot choose one themselves."""

from __future__ import annotations

import socket
import sys


def free_port() -> int:
    """On Linux one that the system gives to nobody else while this process lives."""
    with socket.socket() as holder:
        # What is bound and does not listen may be bound again by its number, by all that set this, as servers do.
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        port = int(holder.getsockname()[1])
        if sys.platform == "linux":
            holder.detach()
    return port
