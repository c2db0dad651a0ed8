"""A server on loopback in front of the app: the first word of a path names a fault, and how many requests it hits."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import httpx

from lootkeep.kernel.clock import SECOND
from tests.world import World

_IN_USE = {"success": False, "code": "idempotency_key_in_use", "message": "It is still running."}


class Front:
    """`/lost-2/api/...` loses the first two answers; `cut` does not pass requests on, `503` answers for the app.

    `/advance/60` lets a minute pass on the clock of the world.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._http = httpx.AsyncClient(transport=httpx.ASGITransport(world.app), base_url="http://store.test")
        self._visits: Counter[str] = Counter()
        self.keys: dict[str, list[str]] = {}
        self.targets: list[str] = []
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Front:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self._server.close()
        await self._http.aclose()

    @property
    def url(self) -> str:
        assert self._server
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ")
        self.targets.append(target)
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        _, fault, path = target.split("/", 2)
        answer = await self._answer(fault, method, f"/{path}", headers, body)
        if fault.startswith("silent"):
            await reader.read()
        if answer is not None:
            kept = [f"{name}: {value}\r\n" for name, value in answer.headers.items() if name != "content-length"]
            length = f"Content-Length: {len(answer.content)}\r\nConnection: close\r\n\r\n"
            writer.write(f"HTTP/1.1 {answer.status_code} Any\r\n{''.join(kept)}{length}".encode() + answer.content)
        writer.close()

    async def _answer(
        self, fault: str, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> httpx.Response | None:
        """The answer of the app or of the fault; None where the connection ends without one."""
        if fault == "advance":
            self._world.clock.advance(int(float(path[1:]) * SECOND))
            return httpx.Response(200)
        self._visits[fault] += 1
        self.keys.setdefault(fault, []).append(headers.get("idempotency-key", ""))
        kind, _, count = fault.partition("-")
        is_over = not count.isdigit() or self._visits[fault] > int(count)
        if is_over or kind == "lost":
            answer = await self._http.request(method, path, headers=headers, content=body)
            return answer if is_over else None
        if kind == "used":
            return httpx.Response(409, content=json.dumps(_IN_USE))
        return httpx.Response(int(kind), text="<html>proxy</html>") if kind.isdigit() else None
