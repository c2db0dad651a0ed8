"""`lootkeep serve --demo --open-house`: nothing leaves it, and it is made again each night without losing a request."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import socket
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx
import pytest
from uvicorn import Config

from lootkeep import wiring
from lootkeep.api.http.server import Protocol
from lootkeep.cli.open_house import OpenHouse, next_renewal
from lootkeep.deps import Deps
from lootkeep.engines.openid import Attempt, ProviderError
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import HOUR, MINUTE, Instant, ManualClock, instant
from lootkeep.services import alerts as alerts_service, webhooks as webhooks_service
from lootkeep.settings import Settings
from lootkeep.storage import demo as demo_db, emails as emails_db
from lootkeep.storage.demo import Demo
from lootkeep.storage.engine.database import Engine
from lootkeep.toolbox.demo_store import load as loading
from lootkeep.views import emails as emails_views
from lootkeep.wiring.observation import NOT_OBSERVED
from lootkeep.wiring.serving import Application
from lootkeep.wiring.workers import make_queues
from tests.cli.demo_store import ORDERS
from tests.cli.import_store import settings_for
from tests.cli.terminal import SECONDS, Terminal
from tests.console.providers import SETTINGS as OPENID
from tests.world import KEY


class Canary:
    """Counts who connects to it, in whatever protocol, and hangs up."""

    def __init__(self) -> None:
        self.connects = 0

    async def __aenter__(self) -> Canary:
        self._server = await asyncio.start_server(self._hang_up, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _hang_up(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connects += 1
        writer.close()


async def work(deps: Deps, settings: Settings) -> None:
    for queue in make_queues(deps, settings, Wakeup(), None, NOT_OBSERVED):
        while await queue.run_once():
            pass
        await queue.drain()


async def deliver(deps: Deps, settings: Settings, url: str) -> None:
    await webhooks_service.create(deps, url, ["*"])
    await webhooks_service.test(deps, 1)


async def alert(deps: Deps, settings: Settings, url: str) -> None:
    fields = {"name": "Staff", "channel": "webhook", "target": url, "triggers": ["backlog"], "amount": None}
    created = await alerts_service.create(deps, fields | {"minutes": 15, "limit_per_hour": 10, "muted_until": None})
    await alerts_service.test(deps, created.id)
    await work(deps, settings)


async def send_email(deps: Deps, settings: Settings, url: str) -> None:
    values = {"amount": "$20.00", "code": "CODE", "name": "Ann", "sender_name": "Bo", "message": None}
    email = emails_views.render("gift_card", deps.store, "ann@mail.example", "Ann", expires_on=None, **values)
    async with deps.db.write() as tx:
        await emails_db.add(tx, email, deps.vault.seal, deps.clock.now())
    await work(deps, settings)


async def sign_in_elsewhere(deps: Deps, settings: Settings, url: str) -> None:
    if deps.openid:
        with pytest.raises(ProviderError):
            await deps.openid.sign_in_url(Attempt("state", "nonce", "verifier"), "http://store.test")


async def look_at_receivers(deps: Deps, settings: Settings, url: str) -> None:
    await deps.outbound.reach(url)


async def fetch_a_certificate(deps: Deps, settings: Settings, url: str) -> None:
    await deps.outbound.get(url)


SENDERS: tuple[Callable[[Deps, Settings, str], Awaitable[None]], ...] = (
    deliver,
    alert,
    send_email,
    sign_in_elsewhere,
    look_at_receivers,
    fetch_a_certificate,
)


@pytest.mark.parametrize("send", SENDERS)
@pytest.mark.parametrize("is_open_house", [False, True])
async def test_nothing_leaves_an_open_house(
    db: Engine, db_location: Path | str, is_open_house: bool, send: Callable[[Deps, Settings, str], Awaitable[None]]
) -> None:
    async with db.write() as tx:
        await demo_db.set_mark(tx, Demo("small", 1, Instant(1), is_open_house), Instant(1))
    async with Canary() as canary:
        url = f"http://127.0.0.1:{canary.port}"
        senders: dict[str, Any] = {"smtp_url": f"smtp://127.0.0.1:{canary.port}", "mail_from": "Shop <shop@a.example>"}
        senders |= OPENID | {"oidc_issuer": url, "webhook_allow_insecure": True}
        settings = Settings(_env_file=None, **senders | settings_for(db_location))
        async with wiring.opened(settings) as deps:
            await send(deps, settings, url)
        assert bool(canary.connects) is not is_open_house


def test_an_open_house_needs_the_demo_and_an_embedded_database(terminal: Terminal) -> None:
    sentence = "--open-house lets anyone in and deletes the data each night: it needs --demo and an embedded database."
    assert terminal.call("serve", "--open-house").sentence == sentence
    postgres = {"database_url": "postgresql://a:b@127.0.0.1/c", "secret_key": KEY}
    assert terminal.call("serve", "--demo", "--open-house", **postgres).sentence == sentence


def test_anyone_looks_around_until_it_is_served_without_the_option(terminal: Terminal) -> None:
    with terminal.serving("--demo", "--open-house", smtp_url="smtp://127.0.0.1:1", mail_from="a@b.example") as server:
        greeting = server.greeting
        page = httpx.get(f"{server.url}/", follow_redirects=True, timeout=SECONDS)
        refused = httpx.post(f"{server.url}/console/products/1/edit", timeout=SECONDS)
        server.stop()
    assert "It is an open house" in greeting
    assert not {word for word in ("lk_", "/console/setup") if word in greeting}
    assert (page.status_code, "Latest orders" in page.text, len(page.cookies)) == (200, True, 0)
    assert refused.status_code == 403
    with terminal.serving("--demo") as server:
        page = httpx.get(f"{server.url}/", follow_redirects=True, timeout=SECONDS)
        server.stop()
    assert "<h1>Sign in</h1>" in page.text


@pytest.mark.parametrize(("hour", "hours_left"), [(0, 4), (3, 1), (4, 24), (23, 5)])
def test_the_data_is_made_again_at_four_in_the_morning(hour: int, hours_left: int) -> None:
    now = instant(datetime(2026, 11, 16, hour, tzinfo=UTC))
    assert next_renewal(now) - now == hours_left * HOUR


def build_on_the_second_night(settings: Settings) -> None:
    """Fails once: the file of the first try is there afterwards."""
    tried = Path(settings.database_url.removeprefix("sqlite:///")).with_name("tried")
    if tried.exists():
        asyncio.run(_build(settings))
        return
    tried.touch()
    raise SystemExit(1)


async def _build(settings: Settings) -> None:
    async with wiring.opened(settings) as deps:
        await loading.load(deps, "small", 1, ORDERS, lambda count: None)
        async with deps.db.write() as tx:
            await demo_db.set_open_house(tx, True, deps.clock.now())


def serve(folder: Path, control: Connection) -> None:
    """Says where it listens, then lets as much time pass as it is sent."""
    path, clock = folder / "lootkeep.db", ManualClock(instant(datetime(2026, 11, 16, 3, 59, tzinfo=UTC)))
    settings = Settings(_env_file=None, database_url=f"sqlite:///{path}", data_dir=folder / "lists")
    asyncio.run(_build(settings))
    listener = socket.create_server(("127.0.0.1", 0))
    control.send(f"http://127.0.0.1:{listener.getsockname()[1]}")

    def pass_time() -> None:
        while True:
            clock.advance(control.recv())

    threading.Thread(target=pass_time, daemon=True).start()
    config = Config(Application(settings), lifespan="on", http=Protocol, ws="none", log_config=None, access_log=False)
    OpenHouse(config, listener, settings, path, clock, build_on_the_second_night).run()


def test_a_night_that_fails_keeps_the_data_and_the_next_one_makes_it_new_without_losing_a_request(
    tmp_path: Path,
) -> None:
    spawn = multiprocessing.get_context("spawn")
    control, other_end = spawn.Pipe()
    process = spawn.Process(target=serve, args=(tmp_path, other_end))
    process.start()
    url, path = control.recv(), tmp_path / "lootkeep.db"
    statuses: list[int] = []

    def ask(_: int) -> int:
        return people.get(f"{url}/readyz").status_code

    def ask_until(is_reached: Callable[[], bool]) -> None:
        while not is_reached():
            statuses.extend(threads.map(ask, range(2)))

    first, key = path.stat().st_ino, (tmp_path / "lootkeep.db.key").read_text()
    # Each request has a connection of its own, as those of different people.
    each_alone = httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(verify=False, timeout=SECONDS, limits=each_alone) as people, ThreadPoolExecutor(2) as threads:
        ask_until(lambda: bool(statuses))
        control.send(2 * MINUTE)
        ask_until((tmp_path / "tried").exists)
        assert path.stat().st_ino == first
        control.send(24 * HOUR)
        ask_until(lambda: path.stat().st_ino != first)
        last = len(statuses)
        ask_until(lambda: len(statuses) > last)
    page = httpx.get(f"{url}/console", timeout=SECONDS)
    process.terminate()
    process.join(SECONDS)
    assert set(statuses) == {200}
    assert (page.status_code, "Latest orders" in page.text) == (200, True)
    assert (tmp_path / "lootkeep.db.key").read_text() == key
    assert [file.name for file in tmp_path.glob("*.next*")] == []
    assert process.exitcode == -signal.SIGTERM
