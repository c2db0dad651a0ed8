"""A real server on loopback: what arrives below the framework, how it stops, and that another server serves it too."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from pydantic import SecretStr

from lootkeep import wiring
from lootkeep.domain.access import SCOPES
from lootkeep.services import access
from lootkeep.settings import Settings
from lootkeep.storage import migrations
from tests.conftest import ENGINES, new_postgres_database
from tests.world import World

PROGRAMS = Path(sys.executable).parent
TIERS = "/api/external/v1/referrals/tiers"
BRONZE = {"name": "Bronze", "referrals_required": 5, "reward_type": "percentage_discount", "reward_value": 10}
# Only something that hangs takes so long.
PATIENCE_SECONDS = 30
MEBIBYTE = 1024 * 1024


@dataclass
class Served:
    """A server that answers."""

    process: subprocess.Popen[bytes]
    port: int
    token: str
    environment: dict[str, str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, headers={"Authorization": f"Bearer {self.token}"}, timeout=PATIENCE_SECONDS)

    def request(self, path: str = TIERS, method: str = "GET", *headers: str) -> bytes:
        """The head of a request in plain bytes."""
        lines = [f"{method} {path} HTTP/1.1", "Host: store", f"Authorization: Bearer {self.token}", *headers]
        return "\r\n".join([*lines, "", ""]).encode()

    def converse(self, *parts: bytes) -> list[httpx.Response]:
        """Sends bytes as they are, each part in a packet of its own, and reads until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE_SECONDS) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for part in parts:
                connection.sendall(part)
            return list(_responses(_read_all(connection)))


def _read_all(connection: socket.socket) -> bytes:
    received = b""
    try:
        while data := connection.recv(64 * 1024):
            received += data
    except ConnectionResetError:
        # The server closed while we were still sending; what it said before counts.
        pass
    return received


def _responses(received: bytes) -> Iterator[httpx.Response]:
    while received:
        head, _, rest = received.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = httpx.Headers([(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)])
        status = int(first.split()[1])
        length = int(headers.get("content-length", 0))
        received = rest[length:]
        if status >= 200:
            yield httpx.Response(status, headers=headers, content=rest[:length])


def environment(database: str, **settings: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LOOTKEEP_")}
    ours = {"LOOTKEEP_DATABASE_URL": database, "LOOTKEEP_SECRET_KEY": "k" * 32, "LOOTKEEP_RATE_LIMIT_PER_MINUTE": "0"}
    return clean | ours | {"LOOTKEEP_AUTH_FAILURES_PER_MINUTE": "0", "LOOTKEEP_LOG_LEVEL": "warning"} | settings


def settings_of(variables: dict[str, str]) -> Settings:
    return Settings(
        _env_file=None,
        database_url=variables["LOOTKEEP_DATABASE_URL"],
        secret_key=SecretStr(variables["LOOTKEEP_SECRET_KEY"]),
    )


async def prepare(settings: Settings) -> str:
    """A migrated database, and a token for it."""
    engine = await wiring.open_database(settings)
    await migrations.upgrade(engine)
    await engine.close()
    async with wiring.opened(settings) as deps:
        secret, _ = await access.create_token(deps, name="test", scopes=list(SCOPES))
    return secret


async def stored_names(served: Served) -> set[str]:
    """The tiers in the database of a server that was stopped."""
    engine = await wiring.open_database(settings_of(served.environment))
    world = World(engine)
    world.token = served.token
    names = {tier["name"] for tier in (await world.get("/referrals/tiers")).json()["data"]}
    await world.close()
    await engine.close()
    return names


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def start(settings: dict[str, str], folder: Path, *words: str | Path) -> Served:
    """Starts a server and waits until it is ready."""
    port = free_port()
    token = asyncio.run(prepare(settings_of(settings)))
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [*(str(word) for word in words), "--port", str(port)], env=settings, cwd=folder, stdout=log, stderr=log
        )
    served = Served(process, port, token, settings)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_ready(served):
        if process.poll() is not None or time.monotonic() > deadline:
            stop(served)
            pytest.fail(f"The server did not start:\n{(folder / 'server.log').read_text()}")
        time.sleep(0.05)
    return served


def is_ready(served: Served) -> bool:
    try:
        return served.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def stop(served: Served) -> int:
    if served.process.poll() is None:
        served.process.send_signal(signal.SIGTERM)
        try:
            served.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            served.process.kill()
    return served.process.wait()


@pytest.fixture(scope="module", params=ENGINES)
def database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Iterator[dict[str, str]]:
    """The settings of a service on a database of its own, on each engine in turn."""
    if request.param == "sqlite":
        yield environment(f"sqlite:///{tmp_path_factory.mktemp('served')}/served.db")
        return
    admin_url: str = request.getfixturevalue("postgres_admin_url")
    name = f"lootkeep_served_{worker_id}_{os.getpid()}"
    settings = environment(asyncio.run(new_postgres_database(admin_url, name)))
    yield settings
    asyncio.run(_drop(admin_url, name))


async def _drop(admin_url: str, name: str) -> None:
    admin = await asyncpg.connect(admin_url)
    await admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    await admin.close()


@pytest.fixture(scope="module")
def served(database: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = start(database, tmp_path_factory.mktemp("server"), PROGRAMS / "lootkeep", "serve")
    yield running
    stop(running)


def assert_bad_request(answer: httpx.Response, message: str) -> None:
    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {"success": False, "error": "Bad Request", "code": "bad_request", "message": message}


# The pages


def test_health_and_readiness_are_told(served: Served) -> None:
    assert served.get("/healthz").json() == {"success": True, "data": {"status": "alive"}}
    assert served.get("/readyz").json() == {"success": True, "data": {"status": "ready"}}


def test_metrics_count_what_was_served(served: Served) -> None:
    served.get(TIERS)
    answer = served.get("/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert 'lootkeep_requests_total{method="GET"' in answer.text


def test_the_document_and_the_reference_are_served(served: Served) -> None:
    assert served.get("/openapi.json").json()["openapi"] == "3.1.0"
    reference = served.get("/docs")
    assert reference.headers["Content-Type"].startswith("text/html")
    assert "/referrals/tiers" in reference.text


def test_the_start_page_leads_to_the_reference(served: Served) -> None:
    answer = served.get("/")
    assert (answer.status_code, answer.headers["Location"]) == (307, "/docs")


def test_a_tier_is_made_and_read_over_a_real_connection(served: Served) -> None:
    headers = {"Authorization": f"Bearer {served.token}"}
    made = httpx.post(served.url + TIERS, json=BRONZE, headers=headers)
    assert made.status_code == 201
    assert made.json()["data"] in served.get(TIERS).json()["data"]


# Below the framework


MALFORMED = [
    b"garbage\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"\r\n\r\n\x00",
    b"GARBAGE /healthz HTTP/1.1\r\nHost: store\r\n\r\n",
    b"get /healthz HTTP/1.1\r\nHost: store\r\n\r\n",
    b"GET /healthz HTTP/9.9\r\nHost: store\r\n\r\n",
    b"GET /healthz SPDY/1\r\nHost: store\r\n\r\n",
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


def test_what_is_not_http_is_refused_in_the_envelope_and_the_server_goes_on(served: Served) -> None:
    answers = {sent: served.converse(sent)[-1] for sent in MALFORMED}
    refusal = {
        "success": False,
        "error": "Bad Request",
        "code": "bad_request",
        "message": "Invalid HTTP request received.",
    }
    told = {
        sent: (answer.status_code, answer.headers["Content-Type"], answer.json()) for sent, answer in answers.items()
    }
    assert told == dict.fromkeys(MALFORMED, (400, "application/json", refusal))
    assert served.get(TIERS).status_code == 200


def test_a_bad_chunk_is_refused_in_the_envelope(served: Served) -> None:
    head = served.request(TIERS, "POST", "Content-Type: application/json", "Transfer-Encoding: chunked")
    answers = served.converse(head + b"zz\r\n{}\r\n")
    assert_bad_request(answers[-1], "Invalid HTTP request received.")


@pytest.mark.parametrize("header", ["X-Long: " + "x" * 70_000, "\r\n".join(f"X-{n}: {'x' * 100}" for n in range(700))])
def test_an_over_long_head_is_refused_in_the_envelope(served: Served, header: str) -> None:
    (answer,) = served.converse(served.request(TIERS, "GET", header))
    assert_bad_request(answer, "The head of the request is larger than 64 KiB.")


def test_an_over_long_address_is_refused_in_the_envelope(served: Served) -> None:
    (answer,) = served.converse(served.request("/" + "x" * 70_000))
    assert_bad_request(answer, "The head of the request is larger than 64 KiB.")


def test_a_head_that_never_ends_is_refused_as_soon_as_it_is_too_long(served: Served) -> None:
    (answer,) = served.converse(b"GET /healthz HTTP/1.1\r\n", *[b"X: " + b"x" * 8000 + b"\r\n"] * 9)
    assert_bad_request(answer, "The head of the request is larger than 64 KiB.")


def test_a_long_but_honest_head_is_accepted(served: Served) -> None:
    (answer,) = served.converse(served.request(TIERS, "GET", "X-Long: " + "x" * 60_000, "Connection: close"))
    assert answer.status_code == 200


@pytest.mark.parametrize("method", ["BREW", "PROPFIND", "TRACE", "OPTIONS", "PATCH"])
def test_a_method_that_is_not_ours_gets_the_envelope(served: Served, method: str) -> None:
    answer = served.converse(served.request(TIERS, method, "Connection: close"))[-1]
    assert answer.headers["Content-Type"] == "application/json"
    assert (answer.json()["success"], answer.json()["error"]) in {(False, "Method Not Allowed"), (False, "Bad Request")}


# Bodies on the wire


def created(body: bytes) -> tuple[str, ...]:
    return ("Content-Type: application/json", f"Content-Length: {len(body)}", "Connection: close")


def padded(size: int) -> bytes:
    body = json.dumps(BRONZE).encode()
    return body + b" " * (size - len(body))


def test_a_body_of_a_mebibyte_in_one_go_is_accepted(served: Served) -> None:
    body = padded(MEBIBYTE)
    (answer,) = served.converse(served.request(TIERS, "POST", *created(body)) + body)
    assert answer.status_code == 201


def test_a_body_in_pieces_is_accepted(served: Served) -> None:
    body = json.dumps(BRONZE).encode()
    head = served.request(TIERS, "POST", *created(body))
    (answer,) = served.converse(head[:40], head[40:], body[:7], body[7:])
    assert answer.status_code == 201


def test_a_chunked_body_is_accepted(served: Served) -> None:
    body = json.dumps(BRONZE).encode()
    head = served.request(
        TIERS, "POST", "Content-Type: application/json", "Transfer-Encoding: chunked", "Connection: close"
    )
    (answer,) = served.converse(head, b"5\r\n", body[:5], b"\r\n%x\r\n" % (len(body) - 5), body[5:], b"\r\n0\r\n\r\n")
    assert answer.status_code == 201


def test_a_body_that_is_announced_too_large_is_refused_before_it_is_sent(served: Served) -> None:
    head = served.request(
        TIERS, "POST", "Content-Type: application/json", f"Content-Length: {2 * MEBIBYTE}", "Connection: close"
    )
    (answer,) = served.converse(head)
    assert (answer.status_code, answer.json()["error"]) == (413, "Payload Too Large")


def test_a_chunked_body_that_grows_too_large_is_refused(served: Served) -> None:
    head = served.request(
        TIERS, "POST", "Content-Type: application/json", "Transfer-Encoding: chunked", "Connection: close"
    )
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    (answer,) = served.converse(head, *[chunk] * 17)
    assert (answer.status_code, answer.json()["error"]) == (413, "Payload Too Large")


def test_requests_one_after_another_on_one_connection_are_answered_in_order(served: Served) -> None:
    paths = ("/healthz", TIERS, "/nothing")
    requests = [served.request(path) for path in paths] + [served.request("/readyz", "GET", "Connection: close")]
    answers = served.converse(b"".join(requests))
    assert [answer.status_code for answer in answers] == [200, 200, 404, 200]


def test_no_answer_tells_which_server_gave_it(served: Served) -> None:
    for answer in (served.get(TIERS), served.get("/healthz"), *served.converse(b"garbage\r\n\r\n")):
        assert "server" not in answer.headers


# Stopping


class Upload:
    """A request whose body is not finished yet, and of which the server is known to wait for the rest."""

    def __init__(self, served: Served, name: str) -> None:
        self._body = json.dumps(BRONZE | {"name": name}).encode()
        self._connection = socket.create_connection(("127.0.0.1", served.port), PATIENCE_SECONDS)
        headers = ("Content-Type: application/json", f"Content-Length: {len(self._body)}", "Expect: 100-continue")
        self._connection.sendall(served.request(TIERS, "POST", *headers))
        # The server asks for the body: it is at work on this request.
        assert self._connection.recv(1024).startswith(b"HTTP/1.1 100 ")

    def finish(self) -> httpx.Response:
        self._connection.sendall(self._body)
        (answer,) = _responses(_read_all(self._connection))
        self._connection.close()
        return answer


class Load:
    """Clients that create tiers, each on a connection of its own, until nobody listens any more."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self.told: list[tuple[str, int]] = []
        self.broken: list[str] = []
        self.is_going = asyncio.Event()

    async def run(self, client: int) -> None:
        limits = httpx.Limits(max_keepalive_connections=0)
        headers = {"Authorization": f"Bearer {self._served.token}"}
        async with httpx.AsyncClient(limits=limits, timeout=PATIENCE_SECONDS, headers=headers) as http:
            for number in itertools.count():
                name = f"load {client} {number}"
                try:
                    answer = await http.post(self._served.url + TIERS, json=BRONZE | {"name": name})
                except (httpx.ConnectError, httpx.ReadError):
                    # Refused, or reset while still waiting to be accepted: the request was never begun.
                    return
                except httpx.TransportError as error:
                    self.broken.append(repr(error))
                    return
                self.told.append((name, answer.status_code))
                if len(self.told) == 100:
                    self.is_going.set()


async def stop_under_load(served: Served) -> Load:
    load = Load(served)
    clients = [asyncio.create_task(load.run(number)) for number in range(8)]
    await asyncio.wait_for(load.is_going.wait(), PATIENCE_SECONDS)
    served.process.send_signal(signal.SIGTERM)
    await asyncio.wait_for(asyncio.gather(*clients), PATIENCE_SECONDS)
    return load


def test_sigterm_under_load_fails_no_request_and_loses_nothing(database: dict[str, str], tmp_path: Path) -> None:
    served = start(database, tmp_path, PROGRAMS / "lootkeep", "serve")
    uploads = [Upload(served, f"under way {number}") for number in range(20)]
    load = asyncio.run(stop_under_load(served))
    finished = [upload.finish().status_code for upload in uploads]
    code = stop(served)
    assert finished == [201] * 20
    assert (load.broken, {status for _, status in load.told}) == ([], {201})
    acknowledged = {name for name, _ in load.told} | {f"under way {number}" for number in range(20)}
    assert acknowledged - asyncio.run(stored_names(served)) == set()
    assert code in (0, -signal.SIGTERM)
    assert "Traceback" not in (tmp_path / "server.log").read_text()


# Another server


def test_granian_serves_the_same_application(database: dict[str, str], tmp_path: Path) -> None:
    words = (PROGRAMS / "granian", "--interface", "asgi", "--factory", "lootkeep.wiring:app", "--host", "127.0.0.1")
    served = start(database, tmp_path, *words)
    pages = ("/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", TIERS)
    got = {path: served.get(path).status_code for path in pages}
    contents: dict[str, Any] = {
        "by length": json.dumps(BRONZE).encode(),
        "in chunks": iter([json.dumps(BRONZE).encode()[:9], json.dumps(BRONZE).encode()[9:]]),
        "malformed": b"{",
        "incomplete": b'{"name": "x"}',
        "too large": b" " * (MEBIBYTE + 1),
    }
    headers = {"Authorization": f"Bearer {served.token}", "Content-Type": "application/json"}
    posted = {kind: httpx.post(served.url + TIERS, content=sent, headers=headers) for kind, sent in contents.items()}
    nobody = httpx.get(served.url + TIERS)
    stop(served)
    assert got == dict.fromkeys(pages, 200)
    assert {kind: (answer.status_code, answer.json()["success"]) for kind, answer in posted.items()} == {
        "by length": (201, True),
        "in chunks": (201, True),
        "malformed": (422, False),
        "incomplete": (422, False),
        "too large": (413, False),
    }
    assert (nobody.status_code, nobody.json()["error"]) == (401, "Unauthorized")
