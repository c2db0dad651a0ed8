"""What is recorded of exports of the store."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.storage import audit as audit_db


async def note_secrets(deps: Deps, folder: str) -> None:
    """Records that someone exports the store with its secrets, before they are written."""
    async with deps.db.write() as tx:
        await audit_db.add(
            tx,
            user_id=None,
            action="Export the store with its secrets",
            record="store:export",
            after={"folder": folder},
            now=deps.clock.now(),
        )
