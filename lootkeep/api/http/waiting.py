"""A request that waits for news: it holds no slot meanwhile, and its wait ends with its client or the server."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from time import perf_counter
from typing import Any

from lootkeep.api.http.admission import TICKET, AdmissionTicket
from lootkeep.api.http.exchange import Exchange


async def wait(exchange: Exchange, news: Coroutine[Any, Any, None]) -> bool:
    """Whether the request is still of use when the wait is over."""
    ticket: AdmissionTicket | None = exchange.scope.get(TICKET)
    started = perf_counter()
    waiting, leaving = asyncio.create_task(news), asyncio.create_task(_gone(exchange))
    ends: list[asyncio.Future[None]] = [leaving, *([ticket.stopping()] if ticket else [])]
    try:
        # A slot is left in a later iteration of the event loop than it was entered.
        await asyncio.sleep(0)
        if ticket:
            ticket.leave()
        await asyncio.wait([waiting, *ends], return_when=asyncio.FIRST_COMPLETED)
        is_of_use = not any(end.done() for end in ends)
    finally:
        exchange.waited_seconds += perf_counter() - started
        waiting.cancel()
        leaving.cancel()
    if ticket and is_of_use:
        await ticket.enter()
    return is_of_use


async def _gone(exchange: Exchange) -> None:
    while (await exchange.receive())["type"] != "http.disconnect":
        pass
