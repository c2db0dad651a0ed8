"""The part of Discord's API that gives and takes roles, on a real socket; it remembers who has which."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

from tests.receiver import PATIENCE_SECONDS as PATIENCE_SECONDS

GUILD, MEMBER, ROLE = "1000000000000000001", "80351110224678912", "1100000000000000001"
BOT_TOKEN = "a-token.of-a.bot"


class DiscordServer:
    """One guild with one member and one role."""

    def __init__(self) -> None:
        self.roles: dict[str, set[str]] = {MEMBER: set()}
        self.requests: list[str] = []
        # Statuses of the next answers, before anything is done; 429 asks for a short pause.
        self.answers: list[int] = []
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> DiscordServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self._server.close()

    @property
    def url(self) -> str:
        assert self._server
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/api/v10"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            method, path, _ = head.split("\r\n")[0].split(" ")
            self.requests.append(f"{method} {path}")
            status, body = self._answer(method, path, f"\r\nAuthorization: Bot {BOT_TOKEN}\r\n" in head)
            text = "" if status == 204 else json.dumps(body)
            more = "Retry-After: 0.01\r\n" if status == 429 else ""
            length = "" if status == 204 else f"Content-Length: {len(text)}\r\n"
            writer.write(f"HTTP/1.1 {status} Whatever\r\nConnection: close\r\n{more}{length}\r\n{text}".encode())
        writer.close()

    def _answer(self, method: str, path: str, is_bot: bool) -> tuple[int, dict[str, Any]]:
        if self.answers:
            status = self.answers.pop(0)
            return status, {"code": 50013 if status == 403 else 0}
        if not is_bot:
            return 401, {"code": 0}
        guild, *rest = path.removeprefix("/api/v10/guilds/").split("/")
        if guild != GUILD:
            return 404, {"code": 10004}
        if not rest:
            return 200, {"id": GUILD}
        _, member, _, role = rest
        if member not in self.roles:
            return 404, {"code": 10007}
        if role != ROLE:
            return 404, {"code": 10011}
        change = self.roles[member].add if method == "PUT" else self.roles[member].discard
        change(role)
        return 204, {}
