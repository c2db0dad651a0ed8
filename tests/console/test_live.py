"""The stream of an open console: what it says, to whom, and when it ends."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from lootkeep.api.http.admission import TICKET, Admission, AdmissionTicket
from lootkeep.domain.accounts import IDLE_LIMIT
from lootkeep.domain.roles import PRESETS
from lootkeep.kernel.clock import MINUTE
from lootkeep.services import sign_in as sign_in_service, users as users_service
from tests.browser import SECONDS
from tests.builders import new_customer, new_order, new_product, new_ticket
from tests.cli.terminal import environment, served, start
from tests.console.visits import EMAIL, PASSWORD, Visitor, token, user, visitor
from tests.world import World

App = Callable[[Any, Any, Any], Awaitable[None]]


class Console:
    """A stream as a browser reads it."""

    def __init__(self, app: App, secret: str, scope: Mapping[str, object]) -> None:
        self.lines: asyncio.Queue[str] = asyncio.Queue()
        self.status = 0
        self._left = asyncio.Event()
        head: dict[str, object] = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": "/console/live",
        }
        head |= {"raw_path": b"/console/live", "root_path": "", "query_string": b"", "server": ("store.test", 80)}
        cookie = f"lootkeep={secret}".encode()
        head |= {"headers": [(b"host", b"store.test"), (b"cookie", cookie)], "client": ("127.0.0.1", 1)}
        self.ended = asyncio.create_task(self._run(app, {**head, **scope}))

    async def _run(self, app: App, scope: Mapping[str, object]) -> None:
        await app(dict(scope), self._receive, self._send)

    async def _receive(self) -> dict[str, object]:
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        self.status = message.get("status", self.status)
        if message["type"] == "http.response.body":
            # An id comes first, which a look at a page repeats.
            self.lines.put_nowait(message["body"].decode().strip().rpartition("\n")[2])
            if not message.get("more_body"):
                self._left.set()

    async def leave(self) -> None:
        self._left.set()
        await self.ended


@asynccontextmanager
async def opened(
    app: App, world: World, role: str | None = "owner", scope: Mapping[str, object] = {}
) -> AsyncIterator[Console]:
    secret = ""
    if role is not None:
        secret = await sign_in_service.start_session(world.deps, await user(world, role), "203.0.113.5", "Firefox")
    console = Console(app, secret, scope)
    assert await console.lines.get() == (": open" if role else "")
    yield console
    await console.leave()


async def test_an_order_is_announced_by_the_pages_that_show_it_and_many_at_once(world: World) -> None:
    customer, product = (await new_customer(world))["customer"]["id"], (await new_product(world))["id"]
    visits = await visitor(world, "owner")
    async with opened(world.app, world) as console:
        for _ in range(3):
            await new_order(world, customer, (product, 1))
        world.deps.changes.wake({"events"})
        assert await console.lines.get() == "data: events fraud orders"
        await new_ticket(world, customer)
        # A page that is opened before has counted it.
        world.clock.advance(MINUTE)
        assert 'Tickets<span class="badge warn">1<' in (await visits.get("/orders")).text
        world.deps.changes.wake({"shown:support_tickets"})
        assert await console.lines.get() == "data: events menu tickets"


@pytest.mark.parametrize("path", ["/orders", ""])
async def test_looks_after_the_same_news_share_a_rendering_that_has_nobodys_name_or_token(
    store: World, path: str
) -> None:
    owner, masked = await visitor(store, "owner"), await visitor(store, "orders:read", masks_emails=True)

    async def look(visits: Visitor, news: str) -> str:
        return (await visits.get(path, headers={"x-live": news})).text

    form = {"name": "Only mine", "list": "/orders", "query": "status=paid"}
    assert (await owner.post("/account/views/new", on="/orders?status=paid", **form)).status_code == 303
    assert "Only mine" in (await owner.get("/orders")).text
    first = await look(owner, "news-1")
    number = (await new_order(store, 1, (1, 1)))["order_number"]
    assert await look(owner, "news-1") == first
    assert number not in first
    assert number in await look(owner, "news-2")
    assert number in await look(masked, "news-1")
    assert not re.search("The owner|Only mine", first)
    assert re.findall('name="token" value="(.+?)"', first) == []


async def test_a_look_is_for_those_who_may_open_the_page(store: World) -> None:
    nobody, other = await visitor(store, None), await visitor(store, "products:read")
    await (await visitor(store, "owner")).get("/orders", headers={"x-live": "news-1"})
    looks = [await visits.get("/orders", headers={"x-live": "news-1"}) for visits in (nobody, other)]
    assert [answer.status_code for answer in looks] == [303, 403]


async def test_a_page_that_the_role_may_not_open_is_not_announced(world: World) -> None:
    async with opened(world.app, world) as owner, opened(world.app, world, "email-campaigns:read") as other:
        world.deps.changes.wake({"shown:support_tickets", "shown:email_campaigns"})
        assert await owner.lines.get() == "data: campaigns tickets"
        assert await other.lines.get() == "data: campaigns"
        user_id = await user(world, "email-campaigns:read")
        await users_service.change_role(world.deps, user_id, "read_only", PRESETS["owner"])
        world.deps.changes.wake({"shown:accounts", "shown:support_tickets"})
        assert await other.lines.get() == "data: tickets"


async def test_a_stream_ends_with_its_session(world: World) -> None:
    async with opened(world.app, world, "staff") as console, opened(world.app, world) as other:
        await users_service.disable(world.deps, await user(world, "staff"), PRESETS["owner"])
        world.deps.changes.wake({"shown:sessions"})
        assert await console.lines.get() == ""
        await console.ended
        assert not other.ended.done()


async def test_nobody_listens_without_a_session(world: World) -> None:
    async with opened(world.app, world, None) as console:
        await console.ended
        assert console.status == 401


async def test_an_open_stream_holds_no_slot_and_does_not_prolong_its_session(world: World) -> None:
    admission = Admission(1)
    ticket = AdmissionTicket(admission, True)
    assert admission.try_enter(ticket)
    async with opened(world.app, world, scope={TICKET: ticket}) as console:
        assert ticket.is_endless
        assert admission.try_enter(AdmissionTicket(admission, True))
        await console.leave()
    visits = await visitor(world, "owner")
    world.clock.advance(IDLE_LIMIT - MINUTE)
    assert (await visits.get("/orders", headers={"x-live": "yes"})).status_code == 200
    world.clock.advance(MINUTE)
    assert (await visits.get("/orders")).status_code == 303


def test_a_server_that_stops_closes_streams_at_once(tmp_path: Path) -> None:
    with (
        served(start(tmp_path, environment({"log_level": "warning"}), "serve", "--port", "0")) as server,
        httpx.Client(base_url=server.url, timeout=SECONDS) as http,
    ):
        page = http.get(server.console_link)
        fields = {"name": "Ada Park", "email": EMAIL, "password": PASSWORD, "repeated": PASSWORD}
        link = {"link": server.console_link.partition("token=")[2], "token": token(page)}
        assert http.post("/console/setup", data=fields | link).status_code == 303
        with http.stream("GET", "/console/live") as stream:
            lines = stream.iter_lines()
            assert next(lines) == ": open"
            assert server.process.poll() is None
            server.process.terminate()
            # Closed in the middle of what never ends.
            with suppress(httpx.RemoteProtocolError):
                assert not [line for line in lines if line]
        assert (server.process.wait(SECONDS), "Traceback" in server.process.communicate()[1]) == (-15, False)
