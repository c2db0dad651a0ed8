"""Guests of an open house: anyone looks around without signing in, and nothing that they send is accepted."""

from __future__ import annotations

from lootkeep.console.guard import Refused
from lootkeep.console.page import Visit
from lootkeep.domain.accounts import Person
from lootkeep.domain.addresses import network_key
from lootkeep.domain.roles import PRESETS
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import TooManyRequests

# Of one network in a minute: someone who reads opens few pages, a program many.
MAX_REQUESTS = 120
_SCOPES = " ".join(sorted(PRESETS["read_only"].scopes))
# Nobody in the database, so nothing can be stored in their name.
_GUEST = Person(0, "", "Guest", False, Instant(0), "custom", "Guest", _SCOPES, masks_emails=True)
REFUSED = ("guest", "Guests look around and change nothing. To try everything, run `lootkeep serve --demo` yourself.")


async def admit(visit: Visit) -> None:
    """Anyone who is not signed in becomes a guest of an open house, except on the pages of one's own account."""
    if visit.person is not None or not visit.deps.demo.is_open_house:
        return
    state = await visit.deps.limiter.hit(f"guest:{network_key(visit.ip)}", MAX_REQUESTS, visit.now)
    if not state.is_allowed:
        raise TooManyRequests(state.retry_after(visit.now))
    if visit.page.method == "GET" and visit.page.path.startswith("/account"):
        return
    visit.person = _GUEST
    if visit.page.method != "GET":
        raise Refused(*REFUSED)
