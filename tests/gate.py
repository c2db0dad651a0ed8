"""A TCP proxy on loopback in front of a real server, which a test can shut, slow down or silence."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from urllib.parse import urlsplit


class Gate:
    """A TCP proxy in front of a real server: while it is shut, the server is unreachable through it.

    While it is silent, connections stay open and new ones are accepted, but nothing that is sent arrives. While it is
    refusing, new connections are counted and cut.
    """

    def __init__(self, url: str, host: str = "127.0.0.1") -> None:
        self._parts = urlsplit(url)
        self._host = host
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._passing: set[asyncio.Task[None]] = set()
        self._port = 0
        self.is_silent = False
        self.is_refusing = False
        self.visits = 0
        self.delay_seconds = 0.0

    @property
    def url(self) -> str:
        login, at, _ = self._parts.netloc.rpartition("@")
        return self._parts._replace(netloc=f"{login}{at}{self._host}:{self._port}").geturl()

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._pass, self._host, self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def shut(self) -> None:
        if self._server:
            self._server.close()
            for writer in list(self._writers):
                writer.transport.abort()
            for task in list(self._passing):
                task.cancel()
            if self._passing:
                await asyncio.wait(self._passing)
            await self._server.wait_closed()
            self._server = None

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.visits += 1
        if self.is_refusing:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task
        self._passing.add(task)
        ends = {writer}
        self._writers.add(writer)
        # Shutting the gate cancels this task, which is not an error.
        with suppress(asyncio.CancelledError, OSError):
            far_reader, far_writer = await asyncio.open_connection(self._parts.hostname, self._parts.port)
            ends.add(far_writer)
            self._writers.add(far_writer)
            await asyncio.gather(self._copy(reader, far_writer), self._copy(far_reader, writer))
        for end in ends:
            end.transport.abort()
        self._writers -= ends
        self._passing.discard(task)

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(64 * 1024):
                if self.is_silent:
                    continue
                if self.delay_seconds:
                    await asyncio.sleep(self.delay_seconds)
                writer.write(data)
        except OSError:
            pass
        writer.close()
