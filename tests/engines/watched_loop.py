"""An event loop that uses a name server of the test, and records every dialled IP."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lootkeep.engines.resolver import AddressInfo, Resolver
from tests.engines.hostile_urls import NAMES, HostileNames
from tests.receiver import PATIENCE_SECONDS

LOOPBACKS = ("127.0.0.1", "::1")


class NameServer:
    """A tiny name server over UDP, in a thread of its own: A and AAAA, nothing cached."""

    def __init__(self, names: list[HostileNames]) -> None:
        self._left = {entry.name: [list(answer) for answer in entry.answers] for entry in names}
        self._asked: dict[tuple[str, int], int] = {}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.host_port: tuple[str, int] = self._socket.getsockname()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stopper:
            stopper.sendto(b"", self.host_port)
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            packet, sender = self._socket.recvfrom(512)
            if not packet:
                return
            self._socket.sendto(self._answer(packet), sender)

    def _answer(self, packet: bytes) -> bytes:
        name, end = _read_name(packet, 12)
        (kind,) = struct.unpack_from("!H", packet, end)
        family = socket.AF_INET if kind == 1 else socket.AF_INET6
        records = b"".join(
            b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 0, len(raw)) + raw for raw in self._records(name, kind, family)
        )
        count = records.count(b"\xc0\x0c" + struct.pack("!HHI", kind, 1, 0))
        return packet[:2] + struct.pack("!HHHHH", 0x8180, 1, count, 0, 0) + packet[12 : end + 4] + records

    def _records(self, name: str, kind: int, family: int) -> list[bytes]:
        """Each lookup asks for both record types, and both get the same answer set."""
        answers = self._left.get(name, [[]])
        count = self._asked.get((name, kind), 0)
        self._asked[name, kind] = count + 1
        size = 4 if family == socket.AF_INET else 6
        chosen = answers[min(count, len(answers) - 1)]
        return [socket.inet_pton(family, a) for a in chosen if ipaddress.ip_address(a).version == size]


def _read_name(packet: bytes, position: int) -> tuple[str, int]:
    labels = []
    while length := packet[position]:
        labels.append(packet[position + 1 : position + 1 + length].decode())
        position += 1 + length
    return ".".join(labels).lower(), position + 1


def _ask(server: tuple[str, int], name: str, kind: int) -> list[str]:
    question = b"".join(bytes([len(label)]) + label.encode() for label in name.rstrip(".").split(".") if label) + b"\0"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(PATIENCE_SECONDS)
        asking.sendto(struct.pack("!HHHHHH", 1, 0x100, 1, 0, 0, 0) + question + struct.pack("!HH", kind, 1), server)
        packet = asking.recv(4096)
    (count,) = struct.unpack_from("!H", packet, 6)
    position = 12 + len(question) + 4
    records = []
    for _ in range(count):
        (length,) = struct.unpack_from("!H", packet, position + 10)
        raw = packet[position + 12 : position + 12 + length]
        records.append(socket.inet_ntop(socket.AF_INET if kind == 1 else socket.AF_INET6, raw))
        position += 12 + length
    return records


def numeric(ip: str) -> list[AddressInfo]:
    """What a look-up returns for one address."""
    return socket.getaddrinfo(ip, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)


class WatchedLoop(asyncio.SelectorEventLoop):
    """Looks names up at the test's server, records dialled IPs, and really dials only loopback."""

    def __init__(self, name_server: tuple[str, int]) -> None:
        super().__init__()
        self.name_server = name_server
        self.dialled: list[str] = []

    def resolver(self) -> Resolver:
        """A resolver without a cache: a name may resolve differently at every lookup."""
        return Resolver(self._look_up, deadline_seconds=PATIENCE_SECONDS, memory_seconds=0)

    def _look_up(self, host: str) -> list[AddressInfo]:
        name = host.lower()
        if name.rstrip(".").endswith(("localhost", "localdomain")):
            ips = list(LOOPBACKS)
        else:
            ips = [ip for kind in (1, 28) for ip in _ask(self.name_server, name, kind)]
        if not ips:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [info for ip in ips for info in numeric(ip)]

    async def sock_connect(self, sock: socket.socket, address: Any) -> None:
        self.dialled.append(address[0])
        if address[0] not in LOOPBACKS:
            raise ConnectionRefusedError(111, "Connection refused")
        await super().sock_connect(sock, address)


@contextmanager
def watched() -> Iterator[WatchedLoop]:
    server = NameServer(NAMES)
    loop = WatchedLoop(server.host_port)
    try:
        yield loop
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
        server.close()
