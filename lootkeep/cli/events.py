"""`lootkeep events`: what happened in the store, as it happens."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress
from typing import Annotated

import msgspec
import typer

from lootkeep import settings, wiring
from lootkeep.cli.output import JsonFlag, TestFlag, out, run
from lootkeep.domain.events import RecordedEvent
from lootkeep.kernel.clock import iso
from lootkeep.settings import Settings
from lootkeep.storage import outbox
from lootkeep.toolbox.webhooks.received import clean

app = typer.Typer(help="Read what happened in the store, as it happens.", no_args_is_help=True)

_PAGE = 100
_LOOK_SECONDS = 1.0


@app.callback()
def events() -> None:
    """Read what happened in the store, as it happens."""


@app.command()
def tail(
    last: Annotated[int, typer.Option(metavar="N", min=0, max=1000, help="Begin with this many of the latest.")] = 10,
    follow: Annotated[bool, typer.Option(help="Go on with what happens, until Ctrl-C.")] = True,
    json: JsonFlag = False,
    is_test: TestFlag = False,
) -> None:
    """Print events, one a line: time, id, type and data. Ctrl-C ends it."""
    run(_tail(settings.load(), last, follow=follow, is_json=json, is_test=is_test))


async def _tail(config: Settings, last: int, *, follow: bool, is_json: bool, is_test: bool) -> None:
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    async with wiring.opened_store(config, is_test=is_test) as deps:
        async with deps.db.read() as tx:
            cursor = max(0, await outbox.horizon(tx) - last)
        is_over = False
        while not is_over:
            async with deps.db.read() as tx:
                page = await outbox.events_after(tx, cursor, _PAGE)
            for event in page:
                out.out(_json(event) if is_json else _line(event), highlight=False)
                cursor = event.id
            sys.stdout.flush()
            has_more = len(page) == _PAGE
            if follow and not has_more:
                with suppress(TimeoutError):
                    await asyncio.wait_for(stopping.wait(), _LOOK_SECONDS)
            is_over = stopping.is_set() or not (follow or has_more)


def _line(event: RecordedEvent) -> str:
    return f"{iso(event.created_at)}  {event.id:>6}  {event.type:<22}  {clean(event.data)}"


def _json(event: RecordedEvent) -> str:
    view = {
        "id": event.id,
        "event_type": event.type,
        "created_at": iso(event.created_at),
        "data": msgspec.Raw(event.data.encode()),
    }
    return msgspec.json.encode(view).decode()
