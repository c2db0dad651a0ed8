"""The queue of a server, as its connector reads it over the Game API."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from lootkeep.engines.http1 import Client, ConnectionClosed, NotHttp, Response, open_socket, target
from lootkeep.engines.outbound import failure
from lootkeep.engines.proxies import proxy_from_environment
from lootkeep.engines.resolver import Resolver
from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.connect.journal import Outcome

MAX_RESULTS = 100
# Few: what a connector that ends has not begun waits until its lease ends.
_LIMIT = 20
_WAIT_SECONDS = 25
# Who is online changes: with their ids a poll is short.
_WAIT_FOR_PLAYERS_SECONDS = 5
# More than a poll waits.
_ANSWER_SECONDS = 40
_MAX_ANSWER_BYTES = 1024 * 1024
_PREFIX = "/api/game/v1"


class Unavailable(Exception):
    """The store or the game cannot be reached now: a sentence, and how long to wait if that is known."""

    def __init__(self, sentence: str, pause_seconds: float | None = None) -> None:
        super().__init__(sentence)
        self.pause_seconds = pause_seconds


class CommandPlayer(msgspec.Struct, frozen=True):
    id: str | None = None


class LeasedCommand(msgspec.Struct, frozen=True):
    """A command that was handed out."""

    id: int
    cause: str
    text: str
    player: CommandPlayer | None = None


class StoreQueue:
    """Takes commands and reports results with the token of the server."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url.rstrip("/").removesuffix(_PREFIX) + _PREFIX + "/commands"
        self._header_lines = f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n".encode()
        self._client = client()

    async def take(self, online: Collection[str] | None) -> list[LeasedCommand]:
        """Waits for commands if there are none."""
        if online is None:
            query = f"?limit={_LIMIT}&wait={_WAIT_SECONDS}"
        else:
            query = f"?limit={_LIMIT}&wait={_WAIT_FOR_PLAYERS_SECONDS}&online={quote(','.join(online))}"
        return msgspec.convert(await self._call("GET", query), list[LeasedCommand])

    async def report(self, results: Sequence[tuple[int, Outcome]]) -> None:
        rows = [{"id": command_id, **msgspec.structs.asdict(outcome)} for command_id, outcome in results]
        await self._call("POST", "/results", msgspec.json.encode({"results": rows}))

    async def close(self) -> None:
        await self._client.close()

    async def _call(self, method: str, path: str, body: bytes = b"") -> Any:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                to = target(self._url + path, "", method)
                return self._data(await self._client.request(to, self._header_lines, body))
        except TimeoutError:
            raise Unavailable("The store does not answer.") from None
        except (NotHttp, ConnectionClosed, OSError) as error:
            raise Unavailable(f"The store cannot be reached: {failure(error)}.") from None

    def _data(self, answer: Response) -> Any:
        envelope = json_object(answer)
        if answer.code == 200 and "data" in envelope:
            return envelope["data"]
        message = envelope.get("message", "this is not a Lootkeep service.")
        sentence = f"The store answered {answer.code}: {message}"
        if answer.code == 429 or answer.code >= 500:
            raise Unavailable(sentence, retry_after(answer))
        raise StartupError(f"{sentence} Check its URL and the token of the server.")


def client() -> Client:
    return Client(Resolver(), open_socket, _MAX_ANSWER_BYTES, proxy_for=proxy_from_environment)


def retry_after(answer: Response) -> float | None:
    """In seconds; Discord sends fractions."""
    try:
        return float(answer.headers[b"retry-after"])
    except (KeyError, ValueError):
        return None


def json_object(answer: Response) -> dict[str, Any]:
    try:
        body = msgspec.json.decode(answer.beginning)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return body if isinstance(body, dict) else {}
