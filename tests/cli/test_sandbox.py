"""`lootkeep sandbox` and test tokens, with real servers: used, watched and wiped while they run."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from lootkeep import wiring
from lootkeep.domain.products import PLAIN
from lootkeep.services import products as products_service, webhooks as webhooks_service
from lootkeep.settings import Settings
from tests.cli.receivers import CliReceiver, Request, receiving
from tests.cli.terminal import KEY, SECONDS, Serving, Terminal
from tests.conftest import ENGINES

PRODUCT = {"name": "VIP rank", "price": "20.00"}
NO_SANDBOX = "There is no sandbox yet: `lootkeep token create --test` creates it.\n"


class Caller:
    """A client that calls a server with a token."""

    def __init__(self, server: Serving, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=server.url, headers=headers, timeout=SECONDS)

    def post(self, path: str, body: Any) -> httpx.Response:
        return self._http.post(path, json=body)

    def products(self) -> list[str]:
        return [product["name"] for product in self._http.get("/api/external/v1/products").json()["data"]]


class Arrivals:
    """A receiver whose deliveries can be waited for."""

    def __init__(self) -> None:
        self._arrived = threading.Event()
        self.receiver: CliReceiver

    def answer(self, _: Request) -> tuple[int, bytes]:
        self._arrived.set()
        return 200, b"thanks"

    def first(self) -> Request:
        assert self._arrived.wait(SECONDS)
        return self.receiver.received[0]


@pytest.fixture
def arrivals() -> Iterator[Arrivals]:
    arrivals = Arrivals()
    with receiving(arrivals.answer) as arrivals.receiver:
        yield arrivals


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, terminal: Terminal) -> Terminal:
    """A store without a sandbox, on each engine in turn."""
    terminal.settings |= {"webhook_allow_insecure": "true", "secret_key": KEY, "log_level": "warning"}
    if request.param == "postgresql":
        terminal.settings["database_url"] = request.getfixturevalue("new_postgres_url")
    assert terminal.call("migrate").code == 0
    return terminal


def new_test_token(store: Terminal) -> str:
    output = store.call("token", "create", "--test", "--name", "ci", "--all-scopes", "--quiet")
    assert output.code == 0, output.err
    return output.out.strip()


def test_a_running_server_takes_a_new_test_token_delivers_its_webhooks_and_is_reset(
    store: Terminal, arrivals: Arrivals
) -> None:
    processes = ("--workers", "2") if "database_url" in store.settings else ()
    with store.serving(*processes) as server:
        live = Caller(server, server.token)
        test = Caller(server, new_test_token(store))
        hook = {"url": arrivals.receiver.url, "events": ["product.created"]}
        assert test.post("/api/external/v1/webhooks", hook).status_code == 201
        answers = [test.post("/api/store/v1/products", PRODUCT) for _ in range(3)]
        assert {(answer.status_code, answer.headers["Lootkeep-Mode"]) for answer in answers} == {(201, "test")}
        delivered = arrivals.first()
        status = json.loads(store.call("sandbox", "status", "--json").out)
        assert (live.products(), test.products()) == ([], ["VIP rank"] * 3)
        assert (
            store.call("sandbox", "reset").out
            == f"The sandbox of {store.database} is empty; its tokens are still valid.\n"
        )
        assert (live.products(), test.products()) == ([], [])
        ended = server.stop()
    assert delivered.headers["Lootkeep-Mode"] == "test"
    assert status["exists"]
    assert status["counts"] | {"events": 3, "products": 3, "webhooks": 1, "tokens": 1} == status["counts"]
    assert "Traceback" not in ended.err


def test_a_worker_without_an_api_delivers_what_happens_in_the_sandbox(
    terminal: Terminal, new_postgres_url: str, arrivals: Arrivals
) -> None:
    terminal.settings |= {"webhook_allow_insecure": "true", "secret_key": KEY, "database_url": new_postgres_url}
    assert terminal.call("migrate").code == 0
    new_test_token(terminal)
    asyncio.run(_make_an_event(new_postgres_url, arrivals.receiver.url))
    with terminal.start("worker") as process:
        delivered = arrivals.first()
        process.terminate()
        _, errors = process.communicate(timeout=SECONDS)
    assert (delivered.headers["X-Webhook-Event"], process.returncode) == ("product.created", 0), errors


async def _make_an_event(url: str, receiver: str) -> None:
    settings = Settings(_env_file=None, database_url=url, secret_key=KEY, webhook_allow_insecure=True)
    async with wiring.opened_store(settings, is_test=True) as deps:
        await webhooks_service.create(deps, receiver, ["product.created"])
        await products_service.create(deps, PLAIN)


def test_a_store_without_test_tokens_has_no_sandbox(store: Terminal) -> None:
    assert (store.call("sandbox", "status").out, store.call("sandbox", "reset").out) == (NO_SANDBOX, NO_SANDBOX)
    with store.serving() as server:
        answer = Caller(server, "lktest_x").post("/api/store/v1/products", PRODUCT)
    assert answer.status_code == 401
    assert not json.loads(store.call("sandbox", "status", "--json").out)["exists"]
    assert not list(store.folder.glob("*sandbox*"))


def test_the_status_of_a_sandbox_can_be_read_in_a_pipe(store: Terminal) -> None:
    new_test_token(store)
    lines = store.call("sandbox", "status").out.splitlines()
    assert ["tokens", "1"] in [line.split() for line in lines]
    assert ["fraud_velocity_limit_orders_per_ip", "100"] in [line.split() for line in lines]


def test_test_tokens_are_listed_and_revoked_in_the_sandbox(store: Terminal) -> None:
    secret = new_test_token(store)
    (listed,) = json.loads(store.call("token", "list", "--test", "--json").out)
    assert listed["hint"] == secret[: len("lktest_") + 4]
    assert json.loads(store.call("token", "list", "--json").out) == []
    assert store.call("token", "revoke", "1", "--test").out == f"Token 1 is revoked in {store.database}.\n"


def test_a_test_token_has_no_user(terminal: Terminal) -> None:
    arguments = ("--name", "ci", "--all-scopes", "--user", "jun@example.com")
    output = terminal.call("token", "create", "--test", *arguments)
    assert output.sentence == "--test and --user cannot be combined: the sandbox has one user, its owner."


def test_a_backup_of_the_store_leaves_the_sandbox_out(store: Terminal) -> None:
    new_test_token(store)
    file = store.folder / "store.backup"
    assert store.call("backup", str(file)).code == 0
    content = file.read_bytes()
    assert (b"schema_version" in content, b"lootkeep_sandbox" in content) == (True, False)
