"""Writes a whole response at once."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from lootkeep.api.http.envelope import FIXED_HEADERS, Headers

_FIXED = b"".join(b"%b: %b\r\n" % header for header in FIXED_HEADERS)


async def respond(cycle: RequestResponseCycle, status: int, headers: Headers, body: bytes) -> None:
    """Instead of two messages of ASGI: uvicorn would check each header, but these are our own.

    The fixed headers come before those given.
    """
    if cycle.flow.write_paused and not cycle.disconnected:
        await cycle.flow.drain()
    if cycle.disconnected:
        return
    cycle.response_started = cycle.response_complete = True
    cycle.waiting_for_100_continue = False
    end = b"\r\n" if cycle.keep_alive else b"connection: close\r\n\r\n"
    lines = [b"%b: %b\r\n" % header for header in headers]
    cycle.transport.write(b"".join((STATUS_LINE[status], _FIXED, *lines, end, body)))
    cycle.message_event.set()
    if not cycle.keep_alive:
        cycle.transport.close()
    cycle.on_response()
