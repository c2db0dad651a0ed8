"""Resolves host names: one lookup per host, in a separate thread, with a deadline."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

# A family, type, protocol, name and socket address, as getaddrinfo returns them.
AddressInfo = tuple[Any, Any, int, str, Any]
LookUp = Callable[[str], Sequence[AddressInfo]]

LOOK_UP_SECONDS = 3.0
# Long enough for a burst of deliveries to share a result, shorter than DNS records are usually valid. A cached address
# is checked like any other when it is connected to.
MEMORY_SECONDS = 10.0
# A thread that waits for a name server cannot be interrupted: it ends minutes later. A host uses at most one thread and
# a store has at most 100 webhooks, so this leaves room for hosts of URLs that were changed meanwhile.
MAX_THREADS = 256

UNKNOWN = "the host name cannot be resolved"
TOO_MANY = "too many host names are being looked up"


class NotResolved(OSError):
    """A name has no address; the reason is a text for the log of attempts."""


def system_look_up(host: str) -> Sequence[AddressInfo]:
    return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)


class Resolver:
    """Separate threads: the event loop has few, and a silent name server would block all of them."""

    def __init__(
        self,
        look_up: LookUp = system_look_up,
        *,
        deadline_seconds: float = LOOK_UP_SECONDS,
        memory_seconds: float = MEMORY_SECONDS,
        max_threads: int = MAX_THREADS,
    ) -> None:
        self._look_up = look_up
        self._deadline_seconds = deadline_seconds
        self._memory_seconds = memory_seconds
        self._max_threads = max_threads
        self._threads = 0
        # Lookups in progress and cached results, by host: the addresses, or why there are none.
        self._outcomes: dict[str, asyncio.Future[Sequence[AddressInfo] | str]] = {}

    async def resolve(self, host: str, port: int) -> list[AddressInfo]:
        """The addresses to connect to, or NotResolved."""
        addresses = _numeric(host)
        if addresses is None:
            outcome = await asyncio.shield(self._outcomes.get(host) or self._start(host))
            if isinstance(outcome, str):
                raise NotResolved(outcome)
            addresses = outcome
        return [(*info[:4], (info[4][0], port, *info[4][2:])) for info in addresses]

    def _start(self, host: str) -> asyncio.Future[Sequence[AddressInfo] | str]:
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[Sequence[AddressInfo] | str] = loop.create_future()
        # A daemon thread: a process that ends does not wait for a name server.
        thread = threading.Thread(target=self._run, args=(host, loop), name="look-up", daemon=True)
        try:
            if self._threads >= self._max_threads:
                raise RuntimeError
            thread.start()
        except RuntimeError:
            # The system has no thread left.
            outcome.set_result(TOO_MANY)
            return outcome
        self._threads += 1
        self._outcomes[host] = outcome
        loop.call_later(self._deadline_seconds, self._give_up, outcome)
        return outcome

    def _run(self, host: str, loop: asyncio.AbstractEventLoop) -> None:
        """Runs in the thread and always reports back."""
        addresses: Sequence[AddressInfo] = ()
        with suppress(Exception):
            addresses = self._look_up(host)
        # The loop may have ended long before the name server responds.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._end, host, addresses or UNKNOWN)

    def _give_up(self, outcome: asyncio.Future[Sequence[AddressInfo] | str]) -> None:
        """Until the thread ends, every caller for this host immediately gets the same error."""
        if not outcome.done():
            outcome.set_result(f"the host name was not resolved within {self._deadline_seconds:g} s")

    def _end(self, host: str, result: Sequence[AddressInfo] | str) -> None:
        """A late result is still useful for the next caller."""
        self._threads -= 1
        if self._outcomes[host].done():
            self._outcomes[host] = asyncio.get_running_loop().create_future()
        self._outcomes[host].set_result(result)
        asyncio.get_running_loop().call_later(self._memory_seconds, self._outcomes.pop, host)


def _numeric(host: str) -> Sequence[AddressInfo] | None:
    """An address in any notation that the system accepts: it needs no lookup."""
    try:
        return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, ValueError):
        return None
