"""Receivers behind TLS: only a good certificate gets the body."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import trustme

from lootkeep import __version__
from lootkeep.domain.webhooks import LOOPBACK
from lootkeep.engines.outbound import Outbound
from tests.engines.posting import BODY, HEADERS, post
from tests.engines.tls_server import serving
from tests.receiver import Receiver


async def reason_over_tls(outbound: Outbound, certificate: trustme.LeafCert) -> str | None:
    async with Receiver(serving(certificate)) as receiver:
        result = await post(outbound, receiver)
        assert (result.is_delivered, result.response_code, receiver.received) == (False, None, [])
        return result.reason


async def test_a_receiver_with_a_good_certificate_gets_the_body_and_the_headers(
    outbound: Outbound, authority: trustme.CA
) -> None:
    async with Receiver(serving(authority.issue_cert("127.0.0.1"))) as receiver:
        result = await post(outbound, receiver)
        (request,) = receiver.received
    assert (result.is_delivered, result.response_code, result.reason) == (True, 200, None)
    assert (result.excerpt, type(result.latency_ms)) == ("asked to answer 200", int)
    assert (request.path, request.body) == ("/hook", BODY)
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["User-Agent"] == f"Lootkeep/{__version__}"
    assert request.headers["X-Webhook-Event"] == "order.paid"
    assert request.headers["Content-Length"] == str(len(BODY))


async def test_an_expired_certificate_is_rejected(outbound: Outbound, authority: trustme.CA) -> None:
    now = datetime.now(UTC)
    old = authority.issue_cert("127.0.0.1", not_before=now - timedelta(days=9), not_after=now - timedelta(days=1))
    assert await reason_over_tls(outbound, old) == "certificate expired"


async def test_a_certificate_for_another_host_is_rejected(outbound: Outbound, authority: trustme.CA) -> None:
    assert await reason_over_tls(outbound, authority.issue_cert("other.example")) == "certificate is for another host"


async def test_a_certificate_of_an_unknown_authority_is_rejected(outbound: Outbound) -> None:
    assert await reason_over_tls(outbound, trustme.CA().issue_cert("127.0.0.1")) == "certificate is not trusted"


async def test_a_certificate_that_is_not_valid_yet_is_rejected(outbound: Outbound, authority: trustme.CA) -> None:
    now = datetime.now(UTC)
    early = authority.issue_cert("127.0.0.1", not_before=now + timedelta(days=1), not_after=now + timedelta(days=9))
    assert await reason_over_tls(outbound, early) == "certificate is not trusted"


async def test_test_certificates_are_not_trusted_by_default(authority: trustme.CA) -> None:
    outbound = Outbound(LOOPBACK)
    assert await reason_over_tls(outbound, authority.issue_cert("127.0.0.1")) == "certificate is not trusted"
    await outbound.close()


async def test_a_receiver_that_speaks_no_tls_is_reported_as_such(outbound: Outbound) -> None:
    server = await asyncio.start_server(greet_in_plain_text, "127.0.0.1", 0)
    result = await outbound.post(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/", BODY, HEADERS)
    server.close()
    assert (result.is_delivered, result.response_code, result.reason) == (False, None, "the TLS handshake failed")


async def greet_in_plain_text(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)
    writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    writer.close()
