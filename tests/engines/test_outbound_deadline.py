"""Receivers that never finish time out; they run concurrently, as each takes the whole deadline."""

from __future__ import annotations

import asyncio

from lootkeep.domain.deliveries import DEADLINE_SECONDS, AttemptResult
from lootkeep.engines.outbound import Outbound
from tests.engines.posting import BODY, HEADERS, OK, post
from tests.receiver import Behaviour, Receiver, hanging, repeating

# Without a deadline they would go on for ever; a loaded machine may be late.
PATIENCE_SECONDS = 6 * DEADLINE_SECONDS


async def test_receivers_that_never_finish_time_out_at_the_deadline(outbound: Outbound) -> None:
    slow: dict[str, Behaviour] = {
        "says nothing": hanging,
        "drips its body": repeating(OK + b"\r\n", b"x", 0.2),
        "drips chunks": repeating(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", 0.2),
        "drips one header": repeating(OK + b"X: ", b"y", 0.2),
        "stops in its body": pausing(OK + b"Content-Length: 100\r\n\r\nhello"),
        "says only that it goes on": repeating(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.2),
    }
    async with asyncio.timeout(PATIENCE_SECONDS):
        results = dict(await asyncio.gather(*(given_up(outbound, name, behaviour) for name, behaviour in slow.items())))
    assert {(result.is_delivered, result.response_code, result.reason) for result in results.values()} == {
        (False, None, "timed out after 10 s")
    }
    assert all(result.latency_ms >= DEADLINE_SECONDS * 1000 - 50 for result in results.values())


async def test_a_receiver_that_never_finishes_the_tls_handshake_times_out(
    outbound: Outbound, receiver: Receiver
) -> None:
    """A plain receiver waits for the end of a header line that a TLS client never sends."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        result = await outbound.post(receiver.url.replace("http:", "https:"), BODY, HEADERS)
    assert (result.is_delivered, result.reason) == (False, "timed out after 10 s")


async def given_up(outbound: Outbound, name: str, behaviour: Behaviour) -> tuple[str, AttemptResult]:
    async with Receiver() as receiver:
        return name, await post(outbound, receiver, behaviour)


def pausing(beginning: bytes) -> Behaviour:
    async def pause(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(beginning)
        await hanging(reader, writer)

    return pause
