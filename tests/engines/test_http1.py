"""The connections of the HTTP client: reused while intact, and never otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from lootkeep.engines.http1 import Client, Response, Target, open_socket, target
from lootkeep.engines.resolver import Resolver
from tests.receiver import PATIENCE_SECONDS, Behaviour, Receiver, saying

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    client = Client(Resolver(), open_socket, 1000)
    yield client
    await client.close()


async def post(client: Client, receiver: Receiver, behaviour: Behaviour | None = None) -> Response:
    receiver.behaviour = behaviour
    return await client.request(target(receiver.url, ""), b"X-Number: 1\r\n", b"{}")


def serving_for_good(*answers: bytes) -> Behaviour:
    """Sends these bytes and keeps the connection open."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"".join(answers))
        await reader.read()

    return serve


@pytest.mark.parametrize(
    ("url", "host", "head"),
    [
        ("https://shop.example", "shop.example", b"POST / HTTP/1.1\r\nHost: shop.example\r\n"),
        ("http://shop.example:80/a?b=c&d", "shop.example", b"POST /a?b=c&d HTTP/1.1\r\nHost: shop.example\r\n"),
        ("https://shop.example:80/%7e", "shop.example", b"POST /%7e HTTP/1.1\r\nHost: shop.example:80\r\n"),
        ("https://[2606:2800::1]:8443/", "2606:2800::1", b"POST / HTTP/1.1\r\nHost: [2606:2800::1]:8443\r\n"),
    ],
)
def test_a_url_is_sent_as_it_was_given(url: str, host: str, head: bytes) -> None:
    parsed_target: Target = target(url, "")
    assert (parsed_target.host, parsed_target.head) == (host, head)


@pytest.mark.parametrize("url", ["", "ftp://a/", "https://", "https://a b/", "https://a/\r\nX: y", "https://ä/"])
def test_an_invalid_receiver_url_is_rejected(url: str) -> None:
    with pytest.raises(ValueError, match="not a"):
        target(url, "")


async def test_ten_concurrent_requests_use_ten_connections_that_stay_open(client: Client, receiver: Receiver) -> None:
    for _ in range(3):
        answers = await asyncio.gather(*(post(client, receiver) for _ in range(10)))
        assert [answer.code for answer in answers] == [200] * 10
    assert receiver.connects == 10


async def test_a_connection_that_was_closed_meanwhile_is_not_used_again(client: Client, receiver: Receiver) -> None:
    first = await post(client, receiver, saying(OK))
    await asyncio.sleep(0.1)  # its end arrives
    second = await post(client, receiver)
    assert (first.code, second.code, receiver.connects) == (200, 200, 2)


@pytest.mark.parametrize("more", [OK, b"HTTP/1.1 500 No\r\n\r\n", b"\x00"], ids=["twice", "another", "rubbish"])
async def test_a_connection_with_extra_bytes_after_the_answer_is_not_reused(
    client: Client, receiver: Receiver, more: bytes
) -> None:
    answer = await post(client, receiver, serving_for_good(OK, more))
    again = await post(client, receiver)
    assert (answer.code, answer.beginning, again.code, receiver.connects) == (200, b"ok", 200, 2)


async def test_interim_answers_are_skipped(client: Client, receiver: Receiver) -> None:
    going_on = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLocation: /early\r\n\r\n"
    answer = await post(client, receiver, serving_for_good(going_on, OK))
    assert answer == Response(200, {b"content-length": b"2"}, b"ok")


async def test_an_answer_with_bare_line_feeds_is_understood(client: Client, receiver: Receiver) -> None:
    answer = await post(client, receiver, saying(b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok"))
    assert answer.beginning == b"ok"


async def test_an_answer_that_ends_with_the_connection_is_read_to_its_end(client: Client, receiver: Receiver) -> None:
    answer = await post(client, receiver, saying(b"HTTP/1.0 200 OK\r\n\r\nto the ", b"end"))
    assert answer.beginning == b"to the end"


async def test_a_receiver_that_switches_protocols_is_disconnected(client: Client, receiver: Receiver) -> None:
    head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\nConnection: Upgrade\r\n\r\nhello"
    answers = [await post(client, receiver, saying(head)), await post(client, receiver)]
    assert [answer.code for answer in answers] == [101, 200]


async def test_an_unused_connection_is_closed(receiver: Receiver) -> None:
    client = Client(Resolver(), open_socket, 1000, kept_seconds=0.05)
    ended = asyncio.Event()

    async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK)
        assert await reader.read() == b""
        ended.set()

    await post(client, receiver, keep)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await ended.wait()
    await client.close()
