"""Receivers that send without end where an answer should be over: they are cut off after a bounded number of bytes."""

from __future__ import annotations

import asyncio

import pytest

from lootkeep.domain.deliveries import DEADLINE_SECONDS
from lootkeep.engines.outbound import Outbound
from tests.engines.posting import OK, post
from tests.receiver import Behaviour, Receiver, saying

CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
# What is sent until the connection is gone: more than buffers of both systems hold, far less than a flood of 10 s.
MAX_SENT_BYTES = 64 * 1024 * 1024


class Flood:
    """Sends the opening and then the piece repeatedly, and counts the bytes."""

    def __init__(self, opening: bytes, piece: bytes) -> None:
        self._opening = opening
        self._piece = piece
        self.sent_bytes = 0
        self.ended = asyncio.Event()

    async def __call__(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(self._opening)
        try:
            while True:
                writer.write(self._piece)
                await writer.drain()
                self.sent_bytes += len(self._piece)
        finally:
            self.ended.set()


@pytest.mark.parametrize(
    ("opening", "piece"),
    [
        (CHUNKED + b"0\r\nX: ", b"y" * 65536),
        (CHUNKED + b"0\r\n", b"y" * 65536),
        (CHUNKED + b"0\r\n", b"X: y\r\n" * 10_000),
        (CHUNKED + b"2\r\nok\r\n0\r\n", b"X: y\r\n" * 10_000),
        (CHUNKED + b"2;", b"y" * 65536),
        (CHUNKED + b"2;y=", b"y" * 65536),
        (CHUNKED, b"1;yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\nx\r\n" * 1000),
        (CHUNKED, b"0" * 65536),
    ],
    ids=[
        "one trailer's value",
        "one trailer's name",
        "many trailers",
        "many trailers after a body",
        "one chunk extension",
        "the value of a chunk extension",
        "an extension to each chunk",
        "the size of a chunk",
    ],
)
async def test_endless_data_outside_the_body_is_cut_off_and_the_answer_counts_by_its_status(
    outbound: Outbound, receiver: Receiver, opening: bytes, piece: bytes
) -> None:
    flood = Flood(opening, piece)
    result = await post(outbound, receiver, flood)
    assert (result.is_delivered, result.response_code, result.reason) == (True, 200, None)
    assert result.latency_ms < DEADLINE_SECONDS * 1000
    async with asyncio.timeout(DEADLINE_SECONDS):
        await flood.ended.wait()
    assert flood.sent_bytes < MAX_SENT_BYTES


@pytest.mark.parametrize(
    ("opening", "piece"),
    [
        (OK + b"X: ", b"y" * 65536),
        (OK, b"X: y\r\n" * 10_000),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
        (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n" * 1000),
        (b"HTTP/1.1 200 ", b"y" * 65536),
        (b"", b"\r\n" * 10_000),
    ],
    ids=["one header", "many headers", "going on", "hints", "one status line", "empty lines"],
)
async def test_an_answer_that_never_reaches_its_status_is_not_http(
    outbound: Outbound, receiver: Receiver, opening: bytes, piece: bytes
) -> None:
    flood = Flood(opening, piece)
    result = await post(outbound, receiver, flood)
    assert (result.is_delivered, result.response_code) == (False, None)
    assert result.reason == "answered something that is not HTTP"
    async with asyncio.timeout(DEADLINE_SECONDS):
        await flood.ended.wait()
    assert flood.sent_bytes < MAX_SENT_BYTES


async def test_trailers_and_chunk_extensions_within_bounds_are_skipped(outbound: Outbound, receiver: Receiver) -> None:
    tidy: Behaviour = saying(
        b"HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\nLocation: /from/a/trailer\r\n\r\n"
    )
    result = await post(outbound, receiver, tidy)
    assert (result.response_code, result.reason, result.excerpt) == (
        302,
        "answered 302: redirects are not followed",
        "ok",
    )


async def test_sixteen_kibibytes_in_the_smallest_chunks_are_read(outbound: Outbound, receiver: Receiver) -> None:
    result = await post(outbound, receiver, saying(CHUNKED + b"1\r\nx\r\n" * 16 * 1024 + b"0\r\n\r\n"))
    assert (result.is_delivered, result.excerpt) == (True, "x" * 2048)
