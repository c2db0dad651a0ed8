"""What `webhooks listen` stores between runs, and the event feed with what it missed."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from lootkeep.engines.http1 import Client, ConnectionClosed, NotHttp, Response, target
from lootkeep.engines.outbound import failure
from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.webhooks.received import FeedEvent

# A file of about a megabyte; the store itself removes deliveries after 30 days.
_KEPT_ARRIVALS = 10_000
_PREFIX = "/api/external/v1"
_PAGE = 100
# How long to wait if the store does not say.
_RETRY_SECONDS = 60
_PAGE_SECONDS = 60


class _Line(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """One line of the file: a delivery that arrived, or the cursor of the feed."""

    id: str | None = None
    event: str | None = None
    cursor: int | None = None


class ResumeFile:
    """The ids that arrived, and the cursor. While listening the file only grows, so a crash cannot corrupt it."""

    def __init__(self, file: Path | None) -> None:
        self.cursor: int | None = None
        self._times: Counter[str] = Counter()
        self._event_of: dict[str, str] = {}
        self._file = file
        if file is None:
            return
        try:
            self._load(file)
        except OSError as error:
            raise StartupError(f"{file} cannot be used: {error.strerror}.") from None

    def times_seen(self, delivery_id: str) -> int:
        return self._times[delivery_id]

    def remember(self, delivery_id: str, body: dict[str, Any]) -> None:
        event = _fingerprint(body.get("event_type"), body.get("created_at"), body.get("data"))
        self._write(_Line(id=delivery_id, event=event))

    def move(self, cursor: int) -> None:
        self._write(_Line(cursor=cursor))

    def arrived_events(self) -> Counter[str]:
        """How many deliveries arrived of each event: a retry has the same id and counts once."""
        return Counter(self._event_of.values())

    def _load(self, file: Path) -> None:
        lines = _read(file)
        for line in lines:
            self._take(line)
        lines_kept = [*[line for line in lines if line.id is not None][-_KEPT_ARRIVALS:], _Line(cursor=self.cursor)]
        fresh = file.with_name(file.name + ".new")
        fresh.write_bytes(b"".join(_encoded(line) for line in lines_kept))
        fresh.replace(file)

    def _take(self, line: _Line) -> None:
        if line.cursor is not None:
            self.cursor = line.cursor
        if line.id is not None and line.event is not None:
            self._times[line.id] += 1
            self._event_of[line.id] = line.event

    def _write(self, line: _Line) -> None:
        self._take(line)
        if self._file:
            with self._file.open("ab") as file:
                file.write(_encoded(line))


class _Page(msgspec.Struct):
    events: list[FeedEvent]
    next_cursor: int
    has_more: bool


class _Envelope(msgspec.Struct):
    data: _Page | None = None
    message: str = "this is not a Lootkeep service."


class Feed:
    """The event feed of a store."""

    def __init__(self, client: Client, api: str, token: str, say: Callable[[str], None]) -> None:
        self._client = client
        self._url = api.rstrip("/").removesuffix(_PREFIX) + _PREFIX + "/events"
        self._header_lines = f"Authorization: Bearer {token}\r\n".encode()
        self._say = say

    async def catch_up(self, memory: ResumeFile, show: Callable[[FeedEvent], None]) -> int:
        """Prints and counts the events since the cursor that did not arrive. A first run has missed nothing."""
        if memory.cursor is None:
            memory.move(await self._end())
        arrived = memory.arrived_events()
        missed = 0
        has_more = True
        while has_more:
            assert memory.cursor is not None
            page = await self._page(memory.cursor, _PAGE)
            for event in page.events:
                fingerprint = _fingerprint(event.event_type, event.created_at, msgspec.json.decode(event.data))
                if arrived[fingerprint]:
                    arrived[fingerprint] -= 1
                else:
                    show(event)
                    missed += 1
            memory.move(page.next_cursor)
            has_more = page.has_more
        return missed

    async def _end(self) -> int:
        """The last event's cursor, found by doubling and bisecting: a long history is not read completely."""
        below, above = 0, 1
        while (await self._page(above, 1)).events:
            below, above = above, above * 2
        while below < above:
            middle = (below + above) // 2
            if (await self._page(middle, 1)).events:
                below = middle + 1
            else:
                above = middle
        return below

    async def _page(self, after: int, limit: int) -> _Page:
        while True:
            answer = await self._get(f"{self._url}?after={after}&limit={limit}")
            if answer.code != 429:
                return self._parsed(answer.code, answer.beginning)
            seconds = int(answer.headers.get(b"retry-after", _RETRY_SECONDS))
            self._say(f"The store's rate limit is reached; reading continues in {seconds} s.")
            await asyncio.sleep(seconds)

    async def _get(self, url: str) -> Response:
        try:
            async with asyncio.timeout(_PAGE_SECONDS):
                return await self._client.request(target(url, "", "GET"), self._header_lines)
        except TimeoutError:
            raise StartupError(f"The event feed at {self._url} does not answer.") from None
        except (NotHttp, ConnectionClosed, OSError) as error:
            raise StartupError(f"The event feed at {self._url} cannot be read: {failure(error)}.") from None

    def _parsed(self, status: int, body: bytes) -> _Page:
        try:
            answer = msgspec.json.decode(body, type=_Envelope)
        except (msgspec.DecodeError, UnicodeDecodeError):
            answer = _Envelope()
        if status != 200 or answer.data is None:
            raise StartupError(f"The event feed at {self._url} answered {status}: {answer.message}")
        return answer.data


def _fingerprint(event_type: object, created_at: object, data: object) -> str:
    """The same for a delivery and for its event in the feed, which share no id."""
    encoded = msgspec.json.encode([event_type, created_at, data], order="deterministic")
    return hashlib.sha256(encoded).hexdigest()[:32]


def _read(file: Path) -> list[_Line]:
    content = file.read_bytes() if file.exists() else b""
    # The text after the last line feed was being written when the process ended.
    complete = content.splitlines()[: content.count(b"\n")]
    try:
        if content and not complete:
            raise ValueError
        return [msgspec.json.decode(line, type=_Line) for line in complete]
    except ValueError:
        raise StartupError(f"{file} was not written by `lootkeep webhooks listen`: use another file.") from None


def _encoded(line: _Line) -> bytes:
    return msgspec.json.encode(line) + b"\n"
