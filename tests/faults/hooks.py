"""A receiver of webhooks that counts what arrives, and fails and is slow now and then."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field


@dataclass
class Hooks:
    """A receiver of the leanest kind: counts what arrives by delivery id, fails now and then, is slow now and then."""

    chance: random.Random
    arrived: Counter[str] = field(default_factory=Counter)
    total: int = 0
    awaited: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait_for(self, total: int, seconds: float) -> None:
        """Waits until this many have arrived, or until the time is over."""
        self.awaited = total
        self.reached.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.reached.wait(), seconds)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(int(_header(head, b"Content-Length")))
                self.arrived[_header(head, b"X-Webhook-ID").decode()] += 1
                self.total += 1
                if self.total >= self.awaited:
                    self.reached.set()
                luck = self.chance.random()
                if luck < 0.05:
                    await asyncio.sleep(luck)
                status = b"500 No" if luck > 0.95 else b"200 OK"
                writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n")
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


def _header(head: bytes, name: bytes) -> bytes:
    return head.partition(b"\r\n" + name + b": ")[2].partition(b"\r\n")[0]
