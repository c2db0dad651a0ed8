"""Whatever a URL is made of, nothing that is not public is ever dialled: at creation, change, test and delivery.

The loop is the test's own: it asks the test's own name server, notes every address that is dialled, and lets none
but loopback through. Behind each payload listens a real socket, so that a leak would be a connection.
"""

from __future__ import annotations

import asyncio
import dataclasses
import ipaddress
import shutil
import socket
import ssl
import struct
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from lootkeep.deps import Deps
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.kernel.paging import Page
from lootkeep.services import webhooks as services
from lootkeep.storage import delivery_log, outbox
from lootkeep.storage import webhooks as storage
from lootkeep.storage.sqlite import SqliteDatabase
from lootkeep.worker.dispatch import Dispatcher
from tests.receiver import Receiver
from tests.worker.test_dispatch import work
from tests.world import World

PUBLIC = "93.184.216.34"
PUBLIC6 = "2606:2800:220:1::1"
LOOPBACKS = ("127.0.0.1", "::1")
# Loading certificates takes longer than a request.
TLS = ssl.create_default_context()

# One address or more of each special-purpose range.
TARGETS4 = [
    *("0.0.0.0", "0.0.0.1", "10.0.0.1", "10.255.255.254", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.0.0.2"),
    *("127.255.255.254", "169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.254"),
    *("192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.254", "198.18.0.1"),
    *("198.19.255.254", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1"),
    "255.255.255.255",
]
TARGETS6 = [
    *("::", "::1", "::2", "64:ff9b:1::1", "100::1", "2001::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1"),
    *("3fff::1", "5f00::1", "fc00::1", "fd00::1", "fd00:ec2::254", "fd20:ce::254", "fe80::1", "fe80::a9fe:a9fe"),
    *("fec0::1", "ff02::1", "ff0e::1"),
]


def in_ipv6(text: str) -> list[str]:
    """An IPv4 address in every form in which IPv6 can carry it."""
    number = int(ipaddress.IPv4Address(text))
    high, low = f"{number >> 16:x}", f"{number & 0xFFFF:x}"
    inverted = number ^ 0xFFFFFFFF
    return [
        f"::ffff:{text}",
        f"::ffff:{high}:{low}",
        f"0:0:0:0:0:ffff:{text}",
        f"::{text}",
        f"64:ff9b::{text}",
        f"64:ff9b::{high}:{low}",
        f"2002:{high}:{low}::1",
        f"2001:0:5db8:d822:0:0:{inverted >> 16:x}:{inverted & 0xFFFF:x}",
    ]


def in_numbers(text: str) -> list[str]:
    """An IPv4 address in the notations that resolvers of old accept."""
    a, b, c, d = (int(part) for part in text.split("."))
    number = int(ipaddress.IPv4Address(text))
    return [
        str(number),
        hex(number),
        hex(number).upper(),
        f"0{number:o}",
        f"{a}.{(b << 16) + (c << 8) + d}",
        f"{a}.{b}.{(c << 8) + d}",
        f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}",
        f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
        f"0{a:03o}.{b}.{c}.{d}",
        f"0x{a:x}.{b}.0{c:o}.{d}",
        f"{a:03d}.{b:03d}.{c:03d}.{d:03d}",
        f"{text}.",
        str(number + 2**32),
        f"{a}.{b}.{c}.{d + 256}",
        "".join(chr(ord("０") + int(ch)) if ch.isdigit() else "。" for ch in text),
        "".join(f"%{ord(ch):02x}" for ch in text),
    ]


ODD = [
    *(
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "a.b.localhost.",
        "LocalHost.LocalDomain",
        "ip6-localhost",
    ),
    *("shop.example@127.0.0.1", "shop.example:443@127.0.0.1", "127.0.0.1#@shop.example", "127.0.0.1?@shop.example"),
    *("shop.example\\@127.0.0.1", "127.0.0.1\\@shop.example", "shop.example%40127.0.0.1", "127.0.0.1%2f.shop.example"),
    *("127.0.0.1%00.shop.example", "127.0.0.1\t", " 127.0.0.1", "127.0.0.1\n.shop.example", "[127.0.0.1]", "[::1"),
    *("[::1%25lo]", "[::1%lo]", "[fe80::1%25eth0]", "[fe80::1%1]", "[::ffff:127.0.0.1%25lo]", "[0:0:0:0:0:0:0:1]"),
    *("[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0001]", "[::FFFF:7F00:1]", "[v1.127.0.0.1]", "①②⑦.⓪.⓪.①"),
    *("127。0。0。1", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "127.0.0.1:", "0", "0.0.0.0", "", ".", "127.0.0", "127.1", "127.0.1", "0x7f.1"),
]


class Names(NamedTuple):
    """A name and what the name server says, look-up after look-up; the last answer stays."""

    name: str
    answers: list[list[str]]


NAMES = [
    *(Names(f"four{number}.evil.example", [[address]]) for number, address in enumerate(TARGETS4)),
    *(Names(f"six{number}.evil.example", [[address]]) for number, address in enumerate(TARGETS6)),
    *(
        Names(f"mixed{number}.evil.example", [[a]])
        for number, a in enumerate(in_ipv6("127.0.0.1") + in_ipv6("10.0.0.1"))
    ),
    *(Names(f"rebinds{number}.evil.example", [[PUBLIC], [address]]) for number, address in enumerate(TARGETS4)),
    *(Names(f"both{number}.evil.example", [[address, PUBLIC]]) for number, address in enumerate(TARGETS4)),
    *(Names(f"turns{number}.evil.example", [[PUBLIC6], [a], [PUBLIC], [a]]) for number, a in enumerate(TARGETS6)),
]

HOSTS = [
    *TARGETS4,
    *(f"[{address}]" for address in TARGETS6),
    *(f"[{form}]" for address in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0") for form in in_ipv6(address)),
    *(form for address in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.0.1") for form in in_numbers(address)),
    *ODD,
]
PLACES = [*HOSTS, *(entry.name for entry in NAMES)]


class NameServer:
    """A tiny name server over UDP, in a thread of its own: A and AAAA, nothing kept."""

    def __init__(self, names: list[Names]) -> None:
        self._left = {entry.name: [list(answer) for answer in entry.answers] for entry in names}
        self._asked: dict[tuple[str, int], int] = {}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address: tuple[str, int] = self._socket.getsockname()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stopper:
            stopper.sendto(b"", self.address)
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
        """Each look-up asks for both kinds, and both see the same turn."""
        answers = self._left.get(name, [[]])
        turn = self._asked.get((name, kind), 0)
        self._asked[name, kind] = turn + 1
        wanted = 4 if family == socket.AF_INET else 6
        chosen = answers[min(turn, len(answers) - 1)]
        return [socket.inet_pton(family, a) for a in chosen if ipaddress.ip_address(a).version == wanted]


def _read_name(packet: bytes, place: int) -> tuple[str, int]:
    labels = []
    while length := packet[place]:
        labels.append(packet[place + 1 : place + 1 + length].decode())
        place += 1 + length
    return ".".join(labels).lower(), place + 1


def _look_up(server: tuple[str, int], name: str, kind: int) -> list[str]:
    question = b"".join(bytes([len(label)]) + label.encode() for label in name.rstrip(".").split(".") if label) + b"\0"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(5)
        asking.sendto(struct.pack("!HHHHHH", 1, 0x100, 1, 0, 0, 0) + question + struct.pack("!HH", kind, 1), server)
        packet = asking.recv(4096)
    (count,) = struct.unpack_from("!H", packet, 6)
    place = 12 + len(question) + 4
    found = []
    for _ in range(count):
        (length,) = struct.unpack_from("!H", packet, place + 10)
        raw = packet[place + 12 : place + 12 + length]
        found.append(socket.inet_ntop(socket.AF_INET if kind == 1 else socket.AF_INET6, raw))
        place += 12 + length
    return found


class WatchedLoop(asyncio.SelectorEventLoop):
    """Names are looked up at the test's server; what is dialled is noted, and only loopback is really dialled."""

    def __init__(self, name_server: tuple[str, int]) -> None:
        super().__init__()
        self.name_server = name_server
        self.dialled: list[str] = []

    async def getaddrinfo(self, host: Any, port: Any, **options: Any) -> list[Any]:
        options.pop("flags", None)
        try:
            # The C library reads every numeric notation before it asks a name server.
            return socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST, **options)
        except (OSError, UnicodeError):
            pass
        name = str(host).lower()
        if name.rstrip(".").endswith(("localhost", "localdomain")):
            found = list(LOOPBACKS)
        else:
            found = [address for kind in (1, 28) for address in _look_up(self.name_server, name, kind)]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [info for a in found for info in socket.getaddrinfo(a, port, flags=socket.AI_NUMERICHOST, **options)]

    async def sock_connect(self, sock: socket.socket, address: Any) -> None:
        self.dialled.append(address[0])
        if address[0] not in LOOPBACKS:
            raise ConnectionRefusedError(111, "Connection refused")
        await super().sock_connect(sock, address)


@contextmanager
def watched() -> Iterator[WatchedLoop]:
    server = NameServer(NAMES)
    loop = WatchedLoop(server.address)
    try:
        yield loop
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
        server.close()


class Scene(NamedTuple):
    """A world in which only public addresses may be dialled, with listeners where a leak would lead."""

    world: World
    four: Receiver
    six: Receiver
    loop: WatchedLoop

    def urls(self) -> list[str]:
        """Each place with the port of the listener behind it, with and without TLS."""
        return [
            f"{scheme}://{place}:{self.six.port if place.startswith('[') else self.four.port}/hook"
            for place in PLACES
            for scheme in ("https", "http")
        ]

    def check(self) -> None:
        assert (self.four.connects, self.six.connects) == (0, 0)
        assert set(self.loop.dialled) <= {PUBLIC, PUBLIC6}

    async def add(self, *urls: str) -> list[int]:
        """Rows as they could have come into the database before a rule existed."""
        secret = self.world.deps.vault.seal("whsec_AAAA", services.SECRET_PURPOSE)
        async with self.world.db.write() as tx:
            return [
                (await storage.add(tx, url, '["product.created"]', secret, self.world.clock.now())).id for url in urls
            ]

    @asynccontextmanager
    async def deps(self) -> AsyncIterator[Deps]:
        """With a client of its own, which remembers no name."""
        outbound = Outbound(tls=TLS)
        yield dataclasses.replace(self.world.deps, outbound=outbound)
        await outbound.close()


@contextmanager
def scene(folder: Path, template: Path) -> Iterator[tuple[WatchedLoop, Path]]:
    shutil.copy(template, folder / "test.db")
    with watched() as loop:
        yield loop, folder / "test.db"


def play(loop: WatchedLoop, file: Path, act: Callable[[Scene], Awaitable[None]]) -> None:
    async def on_stage() -> None:
        world = World(SqliteDatabase(file), rate_limit_per_minute=0)
        await world.begin()
        try:
            async with Receiver() as four, Receiver(host="::1") as six:
                await act(Scene(world, four, six, loop))
        finally:
            await world.close()
            await world.db.close()

    loop.run_until_complete(on_stage())


def test_there_are_enough_payloads() -> None:
    assert len(set(PLACES)) >= 300


def test_the_scene_would_show_a_leak(tmp_path: Path, sqlite_template: Path) -> None:
    """With loopback allowed the same payloads do reach the listeners: the names, the numbers and the literals."""

    async def act(scene: Scene) -> None:
        open_to_all = Outbound((ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128")), TLS)
        for place in ("127.0.0.1", "0x7f000001", "0x7f.1", "four6.evil.example", "localhost"):
            assert (await open_to_all.post(f"http://{place}:{scene.four.port}/", b"{}", {})).is_delivered, place
        assert (await open_to_all.post(f"http://six1.evil.example:{scene.six.port}/", b"{}", {})).is_delivered
        await open_to_all.close()
        assert scene.four.connects + scene.six.connects == 6

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)


def test_a_literal_that_is_not_public_is_refused_at_creation_and_at_change(
    tmp_path: Path, sqlite_template: Path
) -> None:
    async def act(scene: Scene) -> None:
        good = {"url": "https://shop.example/", "events": ["product.created"]}
        await scene.world.post("/webhooks", good)
        for host in HOSTS:
            if host.lower().endswith((".localdomain", "ip6-localhost", "[v1.127.0.0.1]")):
                # Names like any other: the guard judges them when they are dialled.
                continue
            url = f"https://{host}/hook"
            created = await scene.world.post("/webhooks", good | {"url": url})
            changed = await scene.world.put("/webhooks/1", {"url": url})
            assert (created.status_code, changed.status_code) == (422, 422), url
            assert set(created.json()["errors"]) == {"url"}
        scene.check()

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)
        assert loop.dialled == []


def test_every_payload_is_refused_at_creation_and_at_change_or_reaches_nothing(
    tmp_path: Path, sqlite_template: Path
) -> None:
    async def act(scene: Scene) -> None:
        await scene.world.post("/webhooks", {"url": "https://shop.example/", "events": ["product.created"]})
        for place in PLACES:
            for port in (scene.four.port, scene.six.port):
                url = f"https://{place}:{port}/hook"
                created = await scene.world.post("/webhooks", {"url": url, "events": ["product.created"]})
                changed = await scene.world.put("/webhooks/1", {"url": url})
                assert (created.status_code, changed.status_code) in {(422, 422), (201, 200)}, url
                if created.status_code == 201:
                    webhook = created.json()["data"]["id"]
                    for tested in (webhook, 1):
                        result = await scene.world.post(f"/webhooks/{tested}/test")
                        assert result.json()["data"]["delivered"] is False, url
                    await scene.world.delete(f"/webhooks/{webhook}")
        scene.check()

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)


def test_no_test_delivery_reaches_an_address_that_is_not_public(tmp_path: Path, sqlite_template: Path) -> None:
    async def act(scene: Scene) -> None:
        urls = scene.urls()
        webhooks = await scene.add(*urls)
        # Several times: a name may have changed its mind meanwhile.
        for _ in range(3):
            async with scene.deps() as deps:
                results = await asyncio.gather(*(services.test(deps, webhook) for webhook in webhooks))
            for url, result in zip(urls, results, strict=True):
                assert (result.is_delivered, result.response_code, bool(result.reason)) == (False, None, True), url
        scene.check()

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)
        assert {PUBLIC, PUBLIC6} <= set(loop.dialled)


def test_no_delivery_and_no_redelivery_reaches_an_address_that_is_not_public(
    tmp_path: Path, sqlite_template: Path
) -> None:
    async def act(scene: Scene) -> None:
        webhooks = await scene.add(*scene.urls())
        async with scene.world.db.write() as tx:
            await outbox.append(tx, "product.created", Something(), scene.world.clock.now())
        for _ in range(2):
            async with scene.deps() as deps:
                await work(Dispatcher(deps, MemoryWakeup(), delays=()))
            await send_all_again(scene, webhooks)
        scene.check()

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)


class Something(msgspec.Struct):
    number: int = 1


async def send_all_again(scene: Scene, webhooks: list[int]) -> None:
    async with scene.world.db.read() as tx:
        for webhook in webhooks:
            ((delivery,), _) = await delivery_log.page(tx, webhook, Page(1, 2), {}, "desc")
            assert (delivery.status, delivery.response_code, bool(delivery.reason)) == ("failed", None, True)
            await services.redeliver(scene.world.deps, delivery.public_id)


def test_a_name_that_rebinds_between_the_look_ups_is_dialled_only_while_it_is_public(
    tmp_path: Path, sqlite_template: Path
) -> None:
    async def act(scene: Scene) -> None:
        url = f"http://rebinds6.evil.example:{scene.four.port}/hook"
        (webhook,) = await scene.add(url)
        dialled = []
        for _ in range(3):
            async with scene.deps() as deps:
                await services.test(deps, webhook)
            dialled.append(len(scene.loop.dialled))
        assert (dialled, scene.loop.dialled) == ([1, 1, 1], [PUBLIC])
        scene.check()

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)


@pytest.mark.parametrize("network", ["0.0.0.0/0", "169.254.0.0/16", "::/0", "fe80::/10", "fd00:ec2::/32"])
def test_an_allow_list_opens_its_range_but_never_metadata(tmp_path: Path, sqlite_template: Path, network: str) -> None:
    async def act(scene: Scene) -> None:
        outbound = Outbound((ipaddress.ip_network(network),), TLS)
        for host in (
            "169.254.169.254",
            "169.254.170.2",
            "[fe80::a9fe:a9fe]",
            "[fd00:ec2::254]",
            "[::ffff:169.254.169.254]",
        ):
            assert not (await outbound.post(f"http://{host}/latest", b"{}", {})).is_delivered
        await outbound.close()

    with scene(tmp_path, sqlite_template) as (loop, file):
        play(loop, file, act)
        assert loop.dialled == []
