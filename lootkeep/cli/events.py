"""`lootkeep events`: the events of the store as they happen."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress
from typing import Annotated

import msgspec
import typer

from lootkeep import wiring
from lootkeep.cli.output import JsonFlag, TestFlag, out, run
from lootkeep.cli.store import existing
from lootkeep.domain.events import RecordedEvent
from lootkeep.kernel.clock import iso
from lootkeep.settings import Settings
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.toolbox.webhooks.received import clean

app = typer.Typer(help="Print the events of the store as they happen.", no_args_is_help=True)

_PAGE = 100
_LOOK_SECONDS = 1.0


@app.callback()
def events() -> None:
    """Print the events of the store as they happen."""


@app.command()
def tail(
    last: Annotated[
        int, typer.Option(metavar="N", min=0, max=1000, help="Start with this many of the latest events.")
    ] = 10,
    follow: Annotated[bool, typer.Option(help="Continue with new events until Ctrl-C.")] = True,
    json: JsonFlag = False,
    is_test: TestFlag = False,
) -> None:
    """Print events, one per line: time, id, type and data. Press Ctrl-C to stop."""
    run(_tail(existing(), last, follow=follow, is_json=json, is_test=is_test))


async def _tail(config: Settings, last: int, *, follow: bool, is_json: bool, is_test: bool) -> None:
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    async with wiring.opened_store(config, is_test=is_test) as deps:
        async with deps.db.read() as tx:
            cursor = max(0, await outbox_db.horizon(tx) - last)
        is_over = False
        while not is_over:
            async with deps.db.read() as tx:
                page = await outbox_db.events_after(tx, cursor, _PAGE)
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
