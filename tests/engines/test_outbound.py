"""Honest and hostile receivers: whatever they answer, each attempt ends with a reason."""

from __future__ import annotations

import time

import pytest

from lootkeep.domain.deliveries import DEADLINE_SECONDS
from lootkeep.engines.outbound import Outbound
from tests.engines.posting import BODY, HEADERS, OK, post
from tests.receiver import Receiver, repeating, resetting, saying

CLOSED = "the connection was closed before the answer was complete"
NOT_HTTP = "answered something that is not HTTP"


# Answers


@pytest.mark.parametrize("status", [200, 201, 202, 204, 226, 299])
async def test_any_2xx_is_a_success(outbound: Outbound, receiver: Receiver, status: int) -> None:
    receiver.answers = [status]
    result = await post(outbound, receiver)
    assert (result.is_delivered, result.response_code, result.reason) == (True, status, None)


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503, 599, 999])
async def test_any_other_status_is_a_failure_that_names_it(outbound: Outbound, receiver: Receiver, status: int) -> None:
    receiver.answers = [status]
    result = await post(outbound, receiver)
    assert (result.is_delivered, result.response_code, result.reason) == (False, status, f"answered {status}")


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
async def test_a_redirect_is_not_followed(outbound: Outbound, receiver: Receiver, status: int) -> None:
    async with Receiver() as target:
        head = f"HTTP/1.1 {status} Moved\r\nLocation: {target.url}\r\nContent-Length: 0\r\n\r\n"
        result = await post(outbound, receiver, saying(head.encode()))
        assert target.connects == 0
        assert result.reason == f"answered {status} to {target.url}: redirects are not followed"
    assert (result.is_delivered, result.response_code) == (False, status)


async def test_a_redirect_without_a_location_is_reported(outbound: Outbound, receiver: Receiver) -> None:
    result = await post(outbound, receiver, saying(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"))
    assert result.reason == "answered 302: redirects are not followed"


async def test_a_hostile_redirect_location_is_cleaned_and_truncated(outbound: Outbound, receiver: Receiver) -> None:
    head = b"HTTP/1.1 302 Found\r\nLocation: \xff\x1b[31m" + b"x" * 5000 + b"\r\nContent-Length: 0\r\n\r\n"
    reason = (await post(outbound, receiver, saying(head))).reason
    assert reason
    assert reason.isprintable()
    assert len(reason) < 300


DATE = "Sun, 15 Nov 2026 13:00:00 GMT"
GONE = "answered 410, gone for good"


def asked_to_wait(text: str) -> str:
    return f"; it asked to wait (Retry-After: {text}), which does not change the schedule"


@pytest.mark.parametrize(
    ("status", "header", "reason"),
    [
        (410, b"", GONE),
        (410, b"Retry-After: 1\r\n", GONE + asked_to_wait("1")),
        (429, b"Retry-After: 120\r\n", "answered 429" + asked_to_wait("120")),
        (503, b"retry-after: %b\r\n" % DATE.encode(), "answered 503" + asked_to_wait(DATE)),
        (503, b"Retry-After:\r\n", "answered 503"),
        (301, b"Retry-After: 9\r\n", "answered 301: redirects are not followed"),
    ],
)
async def test_a_retry_after_header_is_part_of_the_reason(
    outbound: Outbound, receiver: Receiver, status: int, header: bytes, reason: str
) -> None:
    head = b"HTTP/1.1 %d No\r\n%bContent-Length: 0\r\n\r\n" % (status, header)
    assert (await post(outbound, receiver, saying(head))).reason == reason


async def test_a_hostile_retry_after_is_cleaned_and_truncated(outbound: Outbound, receiver: Receiver) -> None:
    head = b"HTTP/1.1 503 No\r\nRetry-After: \xff\x1b[31m" + b"9" * 5000 + b"\r\nContent-Length: 0\r\n\r\n"
    reason = (await post(outbound, receiver, saying(head))).reason
    assert reason
    assert reason.isprintable()
    assert len(reason) < 120


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"", CLOSED),
        (b"HTTP/1.1 200 OK\r\nContent-Le", CLOSED),
        (OK + b"Content-Length: 100\r\n\r\nshort", CLOSED),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nok", CLOSED),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n", NOT_HTTP),
        (OK + b"Content-Length: -5\r\n\r\n", NOT_HTTP),
        (OK + b"Content-Length: 5\r\nContent-Length: 7\r\n\r\nhello", NOT_HTTP),
        (OK + b"Content-Length: 99999999999999999999999\r\n\r\nhello", NOT_HTTP),
        (b"HTTP/1.1 20 Odd\r\nContent-Length: 0\r\n\r\n", NOT_HTTP),
        (b"SSH-2.0-OpenSSH_9.2\r\n", NOT_HTTP),
        (b"220 mail.example ready\r\n", NOT_HTTP),
        (b"<html>hello</html>", NOT_HTTP),
        (b"\x00\xff\xfe\x00\r\n\r\n", NOT_HTTP),
        (b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64", NOT_HTTP),
        (OK + b"X: " + b"a" * 100_000 + b"\r\n\r\n", NOT_HTTP),
        (OK + b"X: a\r\n" * 100_000 + b"\r\n", NOT_HTTP),
        (OK + b"X: \x00\r\nContent-Length: 0\r\n\r\n", NOT_HTTP),
    ],
    ids=lambda value: str(value[:40]),
)
async def test_a_receiver_that_breaks_the_protocol_is_a_failure_with_a_message(
    outbound: Outbound, receiver: Receiver, answer: bytes, reason: str
) -> None:
    result = await post(outbound, receiver, saying(answer))
    assert (result.is_delivered, result.response_code, result.reason, result.excerpt) == (False, None, reason, None)


async def test_a_connection_that_is_reset_is_a_failure_with_a_message(outbound: Outbound, receiver: Receiver) -> None:
    result = await post(outbound, receiver, resetting)
    assert (result.is_delivered, result.response_code) == (False, None)
    assert result.reason
    assert result.reason.startswith("the connection ")


async def test_a_host_name_that_does_not_exist_is_reported(outbound: Outbound) -> None:
    result = await outbound.post("https://nowhere.invalid/", BODY, HEADERS)
    assert (result.is_delivered, result.reason) == (False, "the host name cannot be resolved")


async def test_posting_to_any_url_returns_a_result(outbound: Outbound) -> None:
    for url in ("", "nonsense", "https://", "https://[::1", "ftp://shop.example/", "https://a:b:c/", "https://\x00/"):
        result = await outbound.post(url, BODY, HEADERS)
        assert (result.is_delivered, result.response_code, bool(result.reason)) == (False, None, True), url


# The excerpt


async def excerpt(outbound: Outbound, receiver: Receiver, body: bytes) -> str | None:
    head = OK + f"Content-Length: {len(body)}\r\n\r\n".encode()
    return (await post(outbound, receiver, saying(head + body))).excerpt


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", None),
        (b"thanks\n\tbye", "thanks\n\tbye"),
        ("żółć 🎮".encode(), "żółć 🎮"),
        (b"a\x00b", "a\ufffdb"),
        (b"\x1b[31mred", "\ufffd[31mred"),
        (b"caf\xe9", "caf\ufffd"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        ("a\u202eb\u2028c".encode(), "a\ufffdb\ufffdc"),
        (b"x" * 5000, "x" * 2048),
    ],
)
async def test_the_answer_is_stored_as_clean_text(
    outbound: Outbound, receiver: Receiver, body: bytes, expected: str | None
) -> None:
    assert await excerpt(outbound, receiver, body) == expected


@pytest.mark.parametrize(
    "header",
    [b"Content-Encoding: gzip", b"Content-Encoding: br", b"Content-Type: text/plain; charset=nonsense", b"X: \xff"],
)
async def test_false_headers_about_the_body_change_nothing(
    outbound: Outbound, receiver: Receiver, header: bytes
) -> None:
    result = await post(outbound, receiver, saying(OK + header + b"\r\nContent-Length: 5\r\n\r\nhello"))
    assert (result.is_delivered, result.excerpt) == (True, "hello")


@pytest.mark.parametrize(
    ("opening", "piece"),
    [
        (OK + b"\r\n", b"x" * 65536),
        (OK + b"Content-Length: 9000000000000\r\n\r\n", b"x" * 65536),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"4\r\nxxxx\r\n" * 1000),
    ],
    ids=["until it closes", "a huge length", "chunks"],
)
async def test_an_endless_answer_is_cut_off_and_counts_by_its_status(
    outbound: Outbound, receiver: Receiver, opening: bytes, piece: bytes
) -> None:
    started = time.monotonic()
    result = await post(outbound, receiver, repeating(opening, piece))
    assert (result.is_delivered, result.response_code, result.excerpt) == (True, 200, "x" * 2048)
    assert time.monotonic() - started < DEADLINE_SECONDS


# One client for all


async def test_connections_are_reused(outbound: Outbound, receiver: Receiver) -> None:
    for _ in range(5):
        assert (await post(outbound, receiver)).is_delivered
    assert receiver.connects == 1


async def test_cookies_of_a_receiver_are_forgotten(outbound: Outbound, receiver: Receiver) -> None:
    await post(
        outbound, receiver, saying(OK + b"Set-Cookie: seen=1; Path=/\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    )
    await post(outbound, receiver)
    assert "Cookie" not in receiver.received[1].headers


async def test_a_proxy_from_the_environment_is_not_used(
    outbound: Outbound, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Receiver() as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert (await post(outbound, receiver)).is_delivered
        assert proxy.connects == 0
