"""A form acts once: sent again, at whatever moment, it shows what came of it the first time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
from msgspec.structs import asdict

from lootkeep.console import guard
from lootkeep.console.page import Done, Undo, Visit
from lootkeep.deps import Deps
from lootkeep.kernel.errors import Unavailable
from lootkeep.services import idempotency as idempotency_service
from lootkeep.services.idempotency import CONSOLE, KeyInUse

_LOOK_AGAIN_SECONDS = 0.1
# Longer than anything that a form starts.
_MAX_LOOKS = 600


class _Outcome(msgspec.Struct, frozen=True):
    """What is stored of an answer; the audit log has the rest."""

    to: str
    message: str
    tone: str
    secret: str | None
    browser: str
    secret_page: dict[str, str] | None
    undo: Undo | None


async def once(visit: Visit, operation: Callable[[Deps], Awaitable[Done]]) -> Done:
    """What the operation answers; for a form that was sent before, what it answered then. A failure may be repeated."""

    async def encoded(deps: Deps) -> tuple[int, bytes]:
        return 303, msgspec.json.encode(msgspec.convert(await operation(deps), _Outcome, from_attributes=True))

    start = idempotency_service.once_outside if visit.page.is_foreign else idempotency_service.once
    path, key = visit.request.url.path, guard.one_time_key(visit)
    for _ in range(_MAX_LOOKS):
        try:
            _, answer, _ = await start(visit.deps, CONSOLE, path, key, b"", encoded)
        except KeyInUse:
            # Pressed twice: the first one is at work.
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
        else:
            outcome = msgspec.json.decode(answer, type=_Outcome)
            return Done(**asdict(outcome))
    raise Unavailable("This is still in progress. Open the page again in a minute to see the result.")
