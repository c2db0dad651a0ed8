"""The server behind `lootkeep webhooks listen`: what is on the wire for requests of every kind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from lootkeep.toolbox.webhooks.received import ListenerResponse
from lootkeep.toolbox.webhooks.server import Connections, ReceivedRequest
from tests.cli.terminal import SECONDS

POST = b"POST /hook HTTP/1.1\r\nHost: x\r\nX-Odd-Case: \xc3\xab\xff\r\nContent-Length: 2\r\n\r\n{}"
LAST = b"POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
ANSWER = b"HTTP/1.1 200 \r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"


class EchoServer:
    """A server that answers as it is asked to, and notes the requests."""

    def __init__(self) -> None:
        self.requests: list[ReceivedRequest] = []
        self.answer = ListenerResponse(200, b"ok")
        self.port = 0

    async def handle(self, request: ReceivedRequest) -> ListenerResponse:
        self.requests.append(request)
        return self.answer

    async def send(self, *pieces: bytes) -> bytes:
        """Everything the server says until it closes the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        async with asyncio.timeout(SECONDS):
            response = await reader.read()
        writer.close()
        await writer.wait_closed()
        return response


@pytest.fixture
async def wire() -> AsyncIterator[EchoServer]:
    wire = EchoServer()
    connections = Connections(wire.handle)
    async with asyncio.TaskGroup() as serving:

        def start(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            serving.create_task(connections.serve(reader, writer))

        async with await asyncio.start_server(start, "127.0.0.1", 0) as server:
            wire.port = server.sockets[0].getsockname()[1]
            yield wire


async def test_a_connection_serves_one_request_after_another_and_headers_stay_as_written(wire: EchoServer) -> None:
    response = await wire.send(POST, POST + LAST)
    assert response.startswith(ANSWER + ANSWER)
    assert b"Connection: close" in response[2 * len(ANSWER) :]
    assert [request.body for request in wire.requests] == [b"{}", b"{}", b""]
    assert (b"X-Odd-Case", b"\xc3\xab\xff") in wire.requests[0].headers


async def test_a_chunked_body_is_joined_and_expect_continue_is_answered(wire: EchoServer) -> None:
    head = b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    response = await wire.send(head, b"3\r\nabc\r\n", b"2\r\nde\r\n0\r\n\r\n")
    assert response.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 ")
    assert wire.requests[0].body == b"abcde"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", b"405"),
        (b"\x16\x03\x01 this is TLS", b"400"),
        (b"POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n" + b"x" * (16 << 20), b"413"),
    ],
    ids=["another method", "not HTTP", "too large"],
)
async def test_a_request_that_is_not_a_delivery_is_answered_but_not_handled(
    wire: EchoServer, sent: bytes, status: bytes
) -> None:
    assert (await wire.send(sent)).split(b" ")[1] == status
    assert wire.requests == []


async def test_an_answer_without_a_body_has_no_length(wire: EchoServer) -> None:
    wire.answer = ListenerResponse(304, b"not sent")
    assert (await wire.send(LAST)) == b"HTTP/1.1 304 \r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
