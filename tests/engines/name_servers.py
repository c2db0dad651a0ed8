"""A name server that answers loopback for every name, and never answers names that begin with `silent`."""

from __future__ import annotations

import socket
import threading
from collections import Counter

from lootkeep.engines.resolver import AddressInfo


class StubNames:
    """Looks names up for a resolver, in the threads of the resolver."""

    def __init__(self, ip: str = "127.0.0.1") -> None:
        self.ip = ip
        self.asked: Counter[str] = Counter()
        # Once it is set, silent names are answered too.
        self.speak = threading.Event()

    def look_up(self, host: str) -> list[AddressInfo]:
        self.asked[host] += 1
        if host.startswith("silent"):
            self.speak.wait()
        if host.startswith("unknown"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return socket.getaddrinfo(self.ip, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
