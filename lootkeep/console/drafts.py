"""What someone had typed when their session ended: it is there again after signing in, for them alone."""

from __future__ import annotations

import msgspec

from lootkeep.console import guard
from lootkeep.console.page import Visit
from lootkeep.domain.access import digest
from lootkeep.domain.accounts import Session
from lootkeep.services.idempotency import CONSOLE
from lootkeep.storage import idempotency as idempotency_db
from lootkeep.storage.access import accounts as accounts_db
from lootkeep.storage.idempotency import StoredResponse

RESTORED = guard.Message("info", "Your session had ended. Your input is restored, but it is not saved yet.")
_PATH = "draft"
_PURPOSE = "console draft"
# Not kept: what belongs to one sending of a form, and what nobody should store.
_LEFT_OUT = {"token", "confirmed", "password", "repeated", "current", "own_password", "code", "setup", "logo"}
_LEFT_OUT |= {"mail_password", "passkey_password", "credential", "headers"}


class _Draft(msgspec.Struct, frozen=True):
    user_id: int
    path: str
    form: dict[str, str]


async def keep(visit: Visit, path: str) -> int | None:
    """The id of what was typed for the page of this path; None without a session of this browser that has ended.

    Each session has one, so nobody can fill the database who cannot sign in any more.
    """
    session = await _ended(visit)
    if session is None:
        return None
    guard.check_origin(visit.request)
    form = await guard.read_form(visit.request, has_session=True)
    visit.form = form
    guard.check_token(visit)
    typed = {name: value for name, value in form.items() if name not in _LEFT_OUT}
    if not any(value for name, value in typed.items() if name != "version"):
        return None
    draft = msgspec.json.encode(_Draft(session.user_id, path, typed)).decode()
    stored = StoredResponse("", 0, visit.deps.vault.seal(draft, _PURPOSE), visit.now)
    async with visit.deps.db.write() as tx:
        await idempotency_db.remove(tx, CONSOLE, _PATH, str(session.id))
        await idempotency_db.add(tx, CONSOLE, _PATH, str(session.id), stored)
    return session.id


async def restore(visit: Visit) -> bool:
    """Fills the form of the page with the draft that the address names; False if there is none of this person."""
    if "draft" not in visit.query or visit.person is None:
        return False
    async with visit.deps.db.read() as tx:
        stored = await idempotency_db.get(tx, CONSOLE, _PATH, visit.query["draft"])
    if stored is None:
        return False
    draft = msgspec.json.decode(visit.deps.vault.open(stored.answer, _PURPOSE), type=_Draft)
    if (draft.user_id, draft.path) != (visit.person.id, visit.request.url.path):
        return False
    visit.form = draft.form
    return True


async def _ended(visit: Visit) -> Session | None:
    if not visit.secret:
        return None
    async with visit.deps.db.read() as tx:
        return await accounts_db.SESSIONS.find_one(tx, digest=digest(visit.secret))
