"""Notifies open consoles which pages have changed, as server-sent events: one look at the store serves all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping

import structlog
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from lootkeep.console import guard
from lootkeep.console.page import Options, Page
from lootkeep.console.render import Navigation
from lootkeep.deps import Deps
from lootkeep.domain.accounts import Person
from lootkeep.kernel.errors import AppError
from lootkeep.services import sign_in as sign_in_service
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.rows import SHOWN

log = structlog.get_logger(__name__)

# By table, the page whose list or figures have changed with it.
_PAGES = {
    "orders": "orders",
    "fraud_checks": "fraud",
    "support_tickets": "tickets",
    "deliveries": "webhooks",
    "email_campaigns": "campaigns",
    "campaign_recipients": "campaigns",
    "payment_events": "payments",
    "commands": "servers",
}
# By the first word of an event's type; every order has a fraud check.
_PAGES_OF_EVENTS = {"order": {"orders", "fraud"}, "fraud": {"orders", "fraud"}, "command": {"servers"}}
_PEOPLE = frozenset({"sessions", "accounts", "roles"})
_TABLES = frozenset({"events", "payment_events", *(SHOWN + name for name in (*_PAGES, *_PEOPLE))})
# Of a notification that names no table.
_ANY = frozenset({""})
# The numbers of the menu.
MENU = "menu"

# Proxies close a silent connection, most of them after a minute. A browser that hears nothing takes it for lost.
BEAT_SECONDS = 15.0
# At most this often, however much happens.
_PAUSE_SECONDS = 0.5
# Each console that is notified looks at its page. They are notified some at a time, so that orders come in between.
_SPREAD_SECONDS = 0.001
_AT_ONCE = 10
# Of a process; each takes about 20 KB.
MAX_STREAMS = 2000
# A browser that does not read; the others wait for it once.
_SEND_SECONDS = 1.0


class Live:
    """All open consoles of a process. Nothing runs while there are none."""

    def __init__(self, deps: Deps, options: Options, navigation: Navigation, pages: Mapping[str, Page]) -> None:
        self._deps = deps
        self._options = options
        self._navigation = navigation
        self._pages = pages
        self._streams: dict[Stream, None] = {}
        self._telling: asyncio.Task[None] | None = None
        # Of the outbox.
        self._position = 0
        # The numbers of the menu that open consoles show: a page that is opened meanwhile counts them, too.
        self._shown: Mapping[str, tuple[int, str]] = {}

    async def open(self, request: Request) -> Response:
        secret = guard.read_secret(request, self._options)
        resumed = await sign_in_service.resume(self._deps, secret, None, is_seen=False) if secret else None
        if resumed is None or len(self._streams) >= MAX_STREAMS:
            return Response(status_code=503 if resumed else 401, headers=guard.HEADERS)
        person, session = resumed
        if not self._streams:
            async with self._deps.db.read() as tx:
                self._position = await outbox_db.horizon(tx)
        return Stream(self, session.id, person)

    def add(self, stream: Stream) -> None:
        self._streams[stream] = None
        if self._telling is None:
            self._shown = self._navigation.waiting
            self._telling = asyncio.create_task(self._tell())

    def remove(self, stream: Stream) -> None:
        self._streams.pop(stream, None)
        if not self._streams and self._telling is not None:
            self._telling.cancel()
            self._telling = None

    async def _tell(self) -> None:
        loop = asyncio.get_running_loop()
        beat_at = loop.time() + BEAT_SECONDS
        missed: frozenset[str] = frozenset()
        with self._deps.changes.following(_TABLES) as changes:
            while True:
                tables = {name.removeprefix(SHOWN) for name in changes.take() | missed}
                is_beat = loop.time() >= beat_at
                beat_at = loop.time() + BEAT_SECONDS if is_beat else beat_at
                try:
                    if is_beat or not _PEOPLE.isdisjoint(tables):
                        await self._close_ended()
                    await self._send(await self._changed(tables), is_beat=is_beat)
                    missed = frozenset()
                except AppError as error:
                    log.warning("open consoles are notified later", error=error.message)
                    missed = _ANY
                except Exception:
                    # Nobody else would notice: the consoles stay open, and silent.
                    log.exception("open consoles are notified later")
                    missed = _ANY
                await asyncio.sleep(_PAUSE_SECONDS)
                await changes.wait(max(0.0, beat_at - loop.time()))

    async def _changed(self, tables: Collection[str]) -> set[str]:
        """The outbox is always read: an event of another process may come without a notification."""
        async with self._deps.db.read() as tx:
            types, self._position = await outbox_db.types_after(tx, self._position)
        pages = {page for name, page in _PAGES.items() if name in tables or "" in tables}
        for event_type in types:
            pages |= {"events"} | _PAGES_OF_EVENTS.get(event_type.partition(".")[0], set())
        await self._navigation.count_again()
        before, self._shown = self._shown, self._navigation.waiting
        if before not in ({}, self._shown):
            pages.add(MENU)
        return pages

    async def _close_ended(self) -> None:
        people = await sign_in_service.open_sessions(self._deps, {stream.session_id for stream in self._streams})
        for stream in list(self._streams):
            person = people.get(stream.session_id)
            if person is None:
                await stream.close()
            else:
                stream.person = person

    async def _send(self, pages: Collection[str], *, is_beat: bool) -> None:
        """The id is of this news alone: what is rendered for it holds it, in whichever process."""
        news = self._deps.ids.request_id()
        for number, stream in enumerate(list(self._streams), 1):
            visible = [page for page in sorted(pages) if page == MENU or self._is_visible(stream, page)]
            if visible:
                await stream.send(f"id: {news}\ndata: {' '.join(visible)}\n\n")
                await asyncio.sleep(0 if number % _AT_ONCE else _SPREAD_SECONDS)
            elif is_beat:
                await stream.send("event: beat\ndata:\n\n")

    def _is_visible(self, stream: Stream, page: str) -> bool:
        scope = self._pages[f"/{page}"].scope
        return scope is not None and stream.person.may(scope)


class Stream(Response):
    """One open console. Its task only waits for the end."""

    def __init__(self, live: Live, session_id: int, person: Person) -> None:
        super().__init__(headers=guard.HEADERS | {"x-accel-buffering": "no"}, media_type="text/event-stream")
        del self.headers["content-length"]
        self._live = live
        self.session_id = session_id
        self.person = person
        self._send: Send | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Nothing is worked on from now on. A slot is left in a later iteration of the event loop than it was entered.
        await asyncio.sleep(0)
        if (ticket := scope.get(guard.TICKET)) is not None:
            ticket.is_endless = True
            ticket.leave()
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        self._send = send
        self._live.add(self)
        try:
            await self.send(": open\n\n")
            while (await receive())["type"] != "http.disconnect":
                pass
        finally:
            self._live.remove(self)

    async def send(self, text: str) -> None:
        """A browser that does not read is not notified any more."""
        assert self._send is not None
        try:
            async with asyncio.timeout(_SEND_SECONDS):
                await self._send({"type": "http.response.body", "body": text.encode(), "more_body": bool(text)})
        except TimeoutError:
            self._live.remove(self)

    async def close(self) -> None:
        await self.send("")
