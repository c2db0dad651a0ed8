"""How the server stops: it accepts nothing new, completes current requests, and ends within a fixed time."""

from __future__ import annotations

import asyncio
import socket
from types import FrameType

from uvicorn import Server

from lootkeep.engines.process_end import end_in_time

# The share of the time for requests. The rest is for current deliveries and for closing the database.
DRAIN_SECONDS = 9


class StoppingServer(Server):
    """uvicorn's server, which also ends in time if a database or a receiver never responds."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            end_in_time()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in sockets or ():
            await self._accept_waiting(listener)
        await super().shutdown(sockets)

    async def _accept_waiting(self, listener: socket.socket) -> None:
        """Connections that the kernel has already accepted would be reset when the listener closes."""
        loop = asyncio.get_running_loop()
        listener.setblocking(False)
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            await loop.connect_accepted_socket(self._protocol, connection)

    def _protocol(self) -> asyncio.Protocol:
        protocol: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return protocol
