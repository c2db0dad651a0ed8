"""What the audit log holds of a visit: the change that it made, or the data that it took along."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from lootkeep.console import guard, guests
from lootkeep.console.acts import EXPORT
from lootkeep.console.page import PREFIX, Done, Visit
from lootkeep.deps import Deps
from lootkeep.kernel.clock import Instant
from lootkeep.storage import audit as audit_db
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.engine.database import Transaction


async def log(tx: Transaction, visit: Visit, answer: Done, action: str = "") -> None:
    if answer.record is not None:
        await audit_db.add(
            tx,
            user_id=visit.person.id if visit.person else None,
            action=action or visit.page.title,
            record=answer.record,
            before=answer.before,
            after=answer.after,
            ip_address=visit.ip,
            now=visit.now,
        )


async def of_others(deps: Deps, record: str, since: Instant) -> dict[str, Any]:
    """What was done to a record, with the names of people by their ids."""
    async with deps.db.read() as tx:
        return {"entries": await audit_db.changes_since(tx, record, since), "people": await people(tx)}


async def people(tx: Transaction) -> dict[str, str]:
    """With those who were removed, because the log has them."""
    return {str(user.id): user.name for user in await access_db.USERS.find(tx)}


async def log_export(deps: Deps, visit: Visit, response: Response) -> None:
    """For a file, with the filter that its rows were chosen by."""
    if "content-disposition" not in response.headers:
        return
    if visit.is_guest:
        raise guard.Refused(*guests.REFUSED)
    path = visit.request.url.path.removeprefix(f"{PREFIX}/").removesuffix("/export")
    asked = {name: value for name, value in visit.query.items() if name != "format"}
    async with deps.db.write() as tx:
        await log(tx, visit, Done("", record=path.replace("s/", ":"), after=asked), EXPORT)
