"""`lootkeep trigger`: a sample event, for developers of receivers."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from lootkeep import settings
from lootkeep.api.http.openapi import events
from lootkeep.cli.output import JsonFlag, TestFlag, fail, out, print_json
from lootkeep.cli.store import in_store
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.services import webhooks as webhooks_service
from lootkeep.views.events import DATA


def trigger(
    event_type: Annotated[str, typer.Argument(metavar="TYPE", help="The type of the event, such as order.paid.")],
    json: JsonFlag = False,
    is_test: TestFlag = False,
) -> None:
    """Record a sample event with the data of the documented example. It is delivered like any other."""
    if event_type not in EVENT_TYPES:
        fail(f"There is no such event type. Known types: {', '.join(EVENT_TYPES)}.")
    if settings.load().environment == "production" and not is_test:
        fail("In production, a sample event would reach the receivers of the store. Use --test for the sandbox.")
    data = msgspec.convert(events.examples()[event_type]["data"], DATA[event_type].view)
    receivers = in_store(lambda deps: webhooks_service.trigger(deps, event_type, data), is_test=is_test)
    if json:
        print_json({"event_type": event_type, "receivers": receivers})
        return
    noun = "webhook" if receivers == 1 else "webhooks"
    out.print(f"{event_type} is recorded; the service sends it to {receivers} {noun} within a few seconds.")
