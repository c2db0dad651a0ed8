"""Bodies in chunks, on a real connection: what surrounds them is bounded, and their trailers say nothing."""

from __future__ import annotations

import json
import socket

import httpx
import pytest

from tests.api.server.serving import BRONZE, PATIENCE_SECONDS, TIERS, RunningServer, read_all, responses

BODY = json.dumps(BRONZE).encode()
CHUNK = b"%x\r\n%s\r\n" % (len(BODY), BODY)
# Far more than is accepted, and than any buffer on the way holds.
ENDLESS = 64 * 1024 * 1024
PIECE = 64 * 1024

ENDLESS_FRAMING = {
    "trailer fields": (b"0\r\n", b"X: y\r\n" * 10_000),
    "one trailer field's name": (b"0\r\n", b"x" * PIECE),
    "one trailer field's value": (b"0\r\nX: ", b"x" * PIECE),
    "a chunk extension": (b"1;", b"x" * PIECE),
    "chunks of a byte with an extension": (b"", b"1;" + b"x" * 1000 + b"\r\n \r\n"),
    "zeros before a size": (b"", b"0" * PIECE),
}


def chunked(served: RunningServer, path: str = TIERS, *headers: str, token: str | None = None) -> bytes:
    """The head of a creation whose body comes in chunks."""
    authorization = f"Authorization: Bearer {served.token if token is None else token}"
    lines = (f"POST {path} HTTP/1.1", "Host: store", authorization, "Content-Type: application/json", *headers)
    return "\r\n".join((*lines, "Transfer-Encoding: chunked", "", "")).encode()


def send_until_closed(served: RunningServer, start: bytes, piece: bytes) -> tuple[bytes, int]:
    """What was answered, and how much the server took before it closed the connection."""
    taken = 0
    with socket.create_connection(("127.0.0.1", served.port), PATIENCE_SECONDS) as connection:
        connection.sendall(start)
        try:
            while taken < ENDLESS:
                connection.sendall(piece)
                taken += len(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
        return read_all(connection), taken


@pytest.mark.parametrize("kind", ENDLESS_FRAMING)
def test_a_request_whose_framing_never_ends_is_cut_off(served: RunningServer, kind: str) -> None:
    start, piece = ENDLESS_FRAMING[kind]
    _, taken = send_until_closed(served, chunked(served) + start, piece)
    assert taken < ENDLESS
    assert served.get("/healthz").status_code == 200


def test_an_endless_trailer_after_the_answer_is_cut_off_without_a_second_answer(served: RunningServer) -> None:
    received, taken = send_until_closed(served, chunked(served, "/api/x", token="") + b"0\r\n", b"X: y\r\n" * 10_000)
    assert taken < ENDLESS
    assert received.count(b"HTTP/1.1 ") <= 1


@pytest.mark.parametrize("kind", ENDLESS_FRAMING)
def test_too_much_framing_is_rejected_in_the_envelope(served: RunningServer, kind: str) -> None:
    """In small parts that the server has read before it answers, so that the answer is not lost."""
    start, piece = ENDLESS_FRAMING[kind]
    with socket.create_connection(("127.0.0.1", served.port), PATIENCE_SECONDS) as connection:
        connection.sendall(chunked(served, TIERS, "Expect: 100-continue"))
        assert connection.recv(1024).startswith(b"HTTP/1.1 100 ")
        connection.sendall((start + piece * (3 * PIECE // len(piece) + 1))[: PIECE + 2048])
        answers = list(responses(read_all(connection)))
    assert [answer.status_code for answer in answers] == [400]
    assert answers[0].json() == {
        "success": False,
        "error": "Bad Request",
        "code": "bad_request",
        "message": "The chunk headers and trailers of the request are larger than 64 KiB.",
    }


def test_a_body_in_small_chunks_with_a_trailer_is_accepted(served: RunningServer) -> None:
    chunks = b"".join(b"1;note=x\r\n%c\r\n" % byte for byte in BODY)
    trailer = b"0\r\nDigest: none\r\nX-Note: " + b"x" * 10_000 + b"\r\n\r\n"
    (answer,) = served.converse(chunked(served, TIERS, "Connection: close"), chunks, trailer)
    assert answer.status_code == 201


def test_many_requests_in_chunks_on_one_connection_are_counted_separately(served: RunningServer) -> None:
    request = chunked(served) + CHUNK + b"0\r\nX: " + b"x" * 40_000 + b"\r\n\r\n"
    last = chunked(served, TIERS, "Connection: close") + CHUNK + b"0\r\n\r\n"
    assert [answer.status_code for answer in served.converse(request, request, request, last)] == [201] * 4


# The fields of a trailer


def creation_with_trailer(served: RunningServer, token: str | None, *fields: str) -> list[httpx.Response]:
    """The answers to a creation with these trailer fields, and to a list that follows on the same connection."""
    head = chunked(served, token=token) if token is not None else chunked(served).replace(b"Authorization", b"X-None")
    trailer = "".join(f"{field}\r\n" for field in fields).encode()
    following = b"GET " + TIERS.encode() + b" HTTP/1.1\r\nHost: store\r\nConnection: close\r\n\r\n"
    # In one packet: the whole trailer is there before the request is looked at.
    return served.converse(head + CHUNK + b"0\r\n" + trailer + b"\r\n" + following)


@pytest.mark.parametrize("token", [None, "lk_wrong"])
def test_a_token_in_a_trailer_does_not_authenticate(served: RunningServer, token: str | None) -> None:
    answers = creation_with_trailer(served, token, f"Authorization: Bearer {served.token}")
    assert [answer.status_code for answer in answers] == [401, 401]


def test_no_field_of_a_trailer_changes_the_request(served: RunningServer) -> None:
    trailer = ("Authorization: Bearer lk_wrong", "Content-Type: text/plain", "Idempotency-Key: x", "X-Request-ID: late")
    created, following = creation_with_trailer(served, served.token, *trailer)
    assert (created.status_code, following.status_code) == (201, 401)
    assert "late" not in (created.headers["X-Request-ID"], following.headers["X-Request-ID"])
