"""Requests through a proxy that the environment names: a real one on loopback that opens tunnels."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
import trustme

from lootkeep.engines.http1 import Client, open_socket, target
from lootkeep.engines.proxies import Proxy, proxy_from_environment
from lootkeep.engines.resolver import Resolver
from tests.engines.tls_server import serving
from tests.receiver import Receiver


class TunnelServer:
    """Records the requested hosts, and connects every tunnel to one port."""

    def __init__(self, leads_to: int, answer: bytes = b"HTTP/1.1 200 Connection established\r\n\r\n") -> None:
        self.requests: list[str] = []
        self.port = 0
        self._leads_to = leads_to
        self._answer = answer

    @asynccontextmanager
    async def running(self) -> AsyncIterator[TunnelServer]:
        async with asyncio.TaskGroup() as tunnels:

            def start(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                tunnels.create_task(self._serve(reader, writer))

            async with await asyncio.start_server(start, "127.0.0.1", 0) as server:
                self.port = server.sockets[0].getsockname()[1]
                yield self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.requests.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(self._answer)
        further, onward = await asyncio.open_connection("127.0.0.1", self._leads_to)
        await asyncio.gather(copy(reader, onward), copy(further, writer))


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while block := await reader.read(65_536):
            writer.write(block)
            await writer.drain()
    except OSError:
        pass
    finally:
        with suppress(OSError):
            writer.close()
            await writer.wait_closed()


def client_through(proxy: Proxy, authority: trustme.CA) -> Client:
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    return Client(Resolver(), open_socket, 1000, proxy_for=lambda host: proxy, tls=trust)


async def test_a_request_goes_through_the_tunnel_and_the_hosts_certificate_is_checked(
    authority: trustme.CA,
) -> None:
    async with (
        Receiver(serving(authority.issue_cert("lists.example"))) as receiver,
        TunnelServer(receiver.port).running() as tunnels,
    ):
        client = client_through(Proxy("127.0.0.1", tunnels.port, "Proxy-Authorization: Basic YTpi\r\n"), authority)
        answer = await client.request(target("https://lists.example/tor", "", "GET"))
        await client.close()
    assert (answer.code, receiver.received[0].path) == (200, "/tor")
    assert tunnels.requests == [
        "CONNECT lists.example:443 HTTP/1.1\r\nHost: lists.example:443\r\nProxy-Authorization: Basic YTpi\r\n\r\n"
    ]


@pytest.mark.parametrize("answer", [b"HTTP/1.1 407 Who are you\r\n\r\n", b"SSH-2.0\r\n\r\n", b"x" * 20_000])
async def test_a_proxy_that_refuses_is_a_connection_error(authority: trustme.CA, answer: bytes) -> None:
    async with Receiver() as receiver, TunnelServer(receiver.port, answer).running() as tunnels:
        client = client_through(Proxy("127.0.0.1", tunnels.port), authority)
        with pytest.raises(ConnectionError, match="the proxy"):
            await client.request(target("https://lists.example/", "", "GET"))
        await client.close()


@pytest.mark.parametrize(
    ("https_proxy", "no_proxy", "expected"),
    [
        ("", "", None),
        ("http://proxy.example:3128", "", Proxy("proxy.example", 3128)),
        ("proxy.example", "", Proxy("proxy.example", 80)),
        ("http://a:b%40@proxy.example:1", "", Proxy("proxy.example", 1, "Proxy-Authorization: Basic YTpiQA==\r\n")),
        ("http://proxy.example:3128", "other.example,.lists.example", None),
    ],
)
def test_the_environment_names_the_proxy(
    monkeypatch: pytest.MonkeyPatch, https_proxy: str, no_proxy: str, expected: Proxy | None
) -> None:
    for name, value in (("https_proxy", https_proxy), ("no_proxy", no_proxy)):
        monkeypatch.delenv(name.upper(), raising=False)
        monkeypatch.setenv(name, value)
    assert proxy_from_environment("tor.lists.example") == expected


def test_an_invalid_proxy_url_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "socks5://proxy.example")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(ValueError, match="HTTPS_PROXY is not the URL of a proxy"):
        proxy_from_environment("lists.example")
