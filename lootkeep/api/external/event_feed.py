"""The event feed over HTTP, beyond the specification: it can wait for the next event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from lootkeep.api.http.fields import QueryInteger, field
from lootkeep.api.http.pages import MAX_PAGE
from lootkeep.api.http.routes import Call, ExtensionRoute, Reply, single
from lootkeep.api.http.validation import QueryParameters
from lootkeep.domain.events import RecordedEvent
from lootkeep.kernel.errors import TooManyRequests
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.views import webhooks as webhooks_views

# Of a token, in one process.
MAX_WAITING = 10
# Someone who waits also looks: an event may appear without a notification, when an older transaction ends.
_LOOK_SECONDS = 1.0


class FeedQuery(QueryParameters):
    """Where to go on reading."""

    after: Annotated[QueryInteger, field("The `next_cursor` of the previous response.", ge=0)] = 0
    limit: Annotated[QueryInteger, field("The number of events to return.", ge=1, le=MAX_PAGE)] = 50
    wait: Annotated[QueryInteger, field("Seconds to wait if there is no event yet.", ge=0, le=30)] = 0


async def list_events(call: Call[None, FeedQuery]) -> Reply:
    query = call.query
    events = await _read(call)
    if not events and query.wait:
        events = await _wait_for_events(call)
    return Reply(webhooks_views.feed(events, query.after, query.limit))


async def _wait_for_events(call: Call[None, FeedQuery]) -> Sequence[RecordedEvent]:
    """Holds neither a slot nor a connection to the database."""
    deps, readers = call.deps, call.deps.feed_readers
    if readers[call.token.id] >= MAX_WAITING:
        raise TooManyRequests(1)
    readers[call.token.id] += 1
    until = deps.clock.monotonic() + call.query.wait
    try:
        # Follows before it looks: an event that is committed in between ends the wait.
        with deps.changes.following({"events"}) as news:
            while True:
                events = await _read(call)
                left = until - deps.clock.monotonic()
                if events or left <= 0 or not await call.wait(news.wait(min(left, _LOOK_SECONDS))):
                    return events
    finally:
        readers[call.token.id] -= 1
        if not readers[call.token.id]:
            del readers[call.token.id]


async def _read(call: Call[None, FeedQuery]) -> Sequence[RecordedEvent]:
    """One more than was asked for, to know whether there are more."""
    async with call.deps.db.read() as tx:
        return await outbox_db.events_after(tx, call.query.after, call.query.limit + 1)


ROUTES = (
    ExtensionRoute(
        "GET",
        "/events",
        list_events,
        "events:read",
        "Read the event feed",
        single(webhooks_views.EventFeedView),
        description="Every recorded event in order after a cursor, so that a receiver can catch up. With `wait` it "
        "responds as soon as there is an event. `webhooks:read` is enough, too.",
        other_scope="webhooks:read",
        reads_primary=True,
    ),
)
