"""A real server on loopback: its pages, and what arrives below the framework."""

from __future__ import annotations

import json

import httpx
import pytest

from lootkeep.api.http.routes import MAX_BODY
from tests.api.server.serving import BRONZE, MEBIBYTE, PATIENCE_SECONDS, TIERS, RunningServer


def assert_bad_request(answer: httpx.Response, message: str) -> None:
    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {"success": False, "error": "Bad Request", "code": "bad_request", "message": message}


# The pages


def test_health_and_readiness_are_reported(served: RunningServer) -> None:
    assert served.get("/healthz").json() == {"success": True, "data": {"status": "alive"}}
    assert served.get("/readyz").json() == {"success": True, "data": {"status": "ready"}}


def test_metrics_count_what_was_served(served: RunningServer) -> None:
    served.get(TIERS)
    answer = served.get("/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert 'lootkeep_requests_total{method="GET"' in answer.text


def test_the_document_and_the_reference_are_served(served: RunningServer) -> None:
    assert served.get("/openapi.json").json()["openapi"] == "3.1.0"
    reference = served.get("/docs")
    assert reference.headers["Content-Type"].startswith("text/html")
    assert "/referrals/tiers" in reference.text


def test_the_start_page_leads_to_the_console(served: RunningServer) -> None:
    answer = served.get("/")
    assert (answer.status_code, answer.headers["Location"]) == (307, "/console")


def test_a_tier_is_created_and_read_over_a_real_connection(served: RunningServer) -> None:
    headers = {"Authorization": f"Bearer {served.token}"}
    response = httpx.post(served.url + TIERS, json=BRONZE, headers=headers, timeout=PATIENCE_SECONDS)
    assert response.status_code == 201
    assert response.json()["data"] in served.get(TIERS).json()["data"]


# Below the framework


MALFORMED = [
    b"garbage\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"\r\n\r\n\x00",
    b"GARBAGE /healthz HTTP/1.1\r\nHost: store\r\n\r\n",
    b"get /healthz HTTP/1.1\r\nHost: store\r\n\r\n",
    b"GET /healthz HTTP/9.9\r\nHost: store\r\n\r\n",
    b"GET /healthz SPDY/1\r\nHost: store\r\n\r\n",
    b"GET /healthz\r\n\r\n",
    b"GET /healthz HTTP/0.9\r\nHost: store\r\n\r\n",
    b"GET /healthz HTTP/2.0\r\nHost: store\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nX-Host: store\r\n\r\n",
    b"GET /healthz HTTP/1.0\r\nHost: store\r\nHost: store\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: store\r\nHost: other\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: store\r\nhost: store\r\n\r\n",
    b"GET /heal thz HTTP/1.1\r\nHost: store\r\n\r\n",
    b"GET \xff\xfe HTTP/1.1\r\nHost: store\r\n\r\n",
    b"GET /\xc3\xa4 HTTP/1.1\r\nHost: store\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nno colon\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: a\x00b\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nBad Header: 1\r\n\r\n",
    b"POST /healthz HTTP/1.1\r\nContent-Length: ten\r\n\r\n",
    b"POST /healthz HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST /healthz HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
    b"POST /healthz HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    b"POST /healthz HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
]


def test_malformed_http_is_rejected_in_the_envelope_and_the_server_keeps_serving(served: RunningServer) -> None:
    answers = {sent: served.converse(sent)[-1] for sent in MALFORMED}
    rejection = {
        "success": False,
        "error": "Bad Request",
        "code": "bad_request",
        "message": "Invalid HTTP request received.",
    }
    messages = {
        sent: (answer.status_code, answer.headers["Content-Type"], answer.json()) for sent, answer in answers.items()
    }
    assert messages == dict.fromkeys(MALFORMED, (400, "application/json", rejection))
    assert served.get(TIERS).status_code == 200


@pytest.mark.parametrize("head", ["HTTP/1.0", "HTTP/1.0\r\nHost: store", "HTTP/1.1\r\nHost:\r\nConnection: close"])
def test_a_host_may_be_left_out_in_http_1_0_and_be_empty_in_http_1_1(served: RunningServer, head: str) -> None:
    (answer,) = served.converse(f"GET /healthz {head}\r\n\r\n".encode())
    assert answer.status_code == 200


def test_a_bad_chunk_is_rejected_in_the_envelope(served: RunningServer) -> None:
    head = served.request(TIERS, "POST", "Content-Type: application/json", "Transfer-Encoding: chunked")
    answers = served.converse(head + b"zz\r\n{}\r\n")
    assert_bad_request(answers[-1], "Invalid HTTP request received.")


@pytest.mark.parametrize("header", ["X-Long: " + "x" * 70_000, "\r\n".join(f"X-{n}: {'x' * 100}" for n in range(700))])
def test_an_overlong_head_is_rejected_in_the_envelope(served: RunningServer, header: str) -> None:
    (answer,) = served.converse(served.request(TIERS, "GET", header))
    assert_bad_request(answer, "The head of the request is larger than 64 KiB.")


def test_an_overlong_url_is_rejected_in_the_envelope(served: RunningServer) -> None:
    (answer,) = served.converse(served.request("/" + "x" * 70_000))
    assert_bad_request(answer, "The head of the request is larger than 64 KiB.")


def test_a_head_that_never_ends_is_rejected_as_soon_as_it_is_too_long(served: RunningServer) -> None:
    (answer,) = served.converse(b"GET /healthz HTTP/1.1\r\n", *[b"X: " + b"x" * 8000 + b"\r\n"] * 9)
    assert_bad_request(answer, "The head of the request is larger than 64 KiB.")


def test_a_long_but_valid_head_is_accepted(served: RunningServer) -> None:
    (answer,) = served.converse(served.request(TIERS, "GET", "X-Long: " + "x" * 60_000, "Connection: close"))
    assert answer.status_code == 200


@pytest.mark.parametrize("method", ["BREW", "PROPFIND", "TRACE", "OPTIONS", "PATCH"])
def test_an_unknown_method_gets_the_envelope(served: RunningServer, method: str) -> None:
    answer = served.converse(served.request(TIERS, method, "Connection: close"))[-1]
    assert answer.headers["Content-Type"] == "application/json"
    assert (answer.json()["success"], answer.json()["error"]) in {(False, "Method Not Allowed"), (False, "Bad Request")}


# Bodies on the wire


def created(body: bytes) -> tuple[str, ...]:
    return ("Content-Type: application/json", f"Content-Length: {len(body)}", "Connection: close")


def padded(size: int) -> bytes:
    body = json.dumps(BRONZE).encode()
    return body + b" " * (size - len(body))


def test_a_body_of_the_largest_size_in_one_go_is_accepted(served: RunningServer) -> None:
    body = padded(MAX_BODY)
    (answer,) = served.converse(served.request(TIERS, "POST", *created(body)) + body)
    assert answer.status_code == 201


def test_leading_zeros_in_a_content_length_do_not_matter(served: RunningServer) -> None:
    body = json.dumps(BRONZE).encode()
    length = f"Content-Length: {'0' * 5000}{len(body)}"
    head = served.request(TIERS, "POST", "Content-Type: application/json", length, "Connection: close")
    (answer,) = served.converse(head + body)
    assert answer.status_code == 201


def test_a_body_in_pieces_is_accepted(served: RunningServer) -> None:
    body = json.dumps(BRONZE).encode()
    head = served.request(TIERS, "POST", *created(body))
    (answer,) = served.converse(head[:40], head[40:], body[:7], body[7:])
    assert answer.status_code == 201


def test_a_chunked_body_is_accepted(served: RunningServer) -> None:
    body = json.dumps(BRONZE).encode()
    head = served.request(
        TIERS, "POST", "Content-Type: application/json", "Transfer-Encoding: chunked", "Connection: close"
    )
    (answer,) = served.converse(head, b"5\r\n", body[:5], b"\r\n%x\r\n" % (len(body) - 5), body[5:], b"\r\n0\r\n\r\n")
    assert answer.status_code == 201


def test_a_body_that_is_announced_too_large_is_rejected_before_it_is_sent(served: RunningServer) -> None:
    head = served.request(
        TIERS, "POST", "Content-Type: application/json", f"Content-Length: {2 * MEBIBYTE}", "Connection: close"
    )
    (answer,) = served.converse(head)
    assert (answer.status_code, answer.json()["error"]) == (413, "Payload Too Large")


def test_a_chunked_body_that_grows_too_large_is_rejected(served: RunningServer) -> None:
    head = served.request(
        TIERS, "POST", "Content-Type: application/json", "Transfer-Encoding: chunked", "Connection: close"
    )
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    (answer,) = served.converse(head, *[chunk] * 2)
    assert (answer.status_code, answer.json()["error"]) == (413, "Payload Too Large")


def test_pipelined_requests_are_answered_in_order(served: RunningServer) -> None:
    paths = ("/healthz", TIERS, "/nothing")
    requests = [served.request(path) for path in paths] + [served.request("/readyz", "GET", "Connection: close")]
    answers = served.converse(b"".join(requests))
    assert [answer.status_code for answer in answers] == [200, 200, 404, 200]


def test_no_answer_reveals_the_server_software(served: RunningServer) -> None:
    for answer in (served.get(TIERS), served.get("/healthz"), *served.converse(b"garbage\r\n\r\n")):
        assert "server" not in answer.headers
