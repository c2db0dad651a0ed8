"""Deletes old data in the background, unless the clock is in doubt."""

from __future__ import annotations

import structlog
from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import retention as retention_rules
from lootkeep.domain.retention import CLOCK, ClockRecord
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.services import retention as retention_service
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine import server_clock
from lootkeep.storage.events import outbox as outbox_db

log = structlog.get_logger(__name__)


class Retention:
    def __init__(self, deps: Deps, host: str) -> None:
        self._deps = deps
        self._host = host
        self._looked = deps.clock.monotonic()
        self._is_paused = False

    async def look(self) -> Instant | None:
        """Records the time and returns it; None if it is in doubt, and nothing may be deleted."""
        elapsed = int((self._deps.clock.monotonic() - self._looked) * SECOND)
        async with self._deps.db.write() as tx:
            server_time, now = await server_clock.now(tx), self._deps.clock.now()
            record = await settings_db.get_for_update(tx, CLOCK, ClockRecord, now)
            if record.believed_at is None:
                record = replace(record, believed_at=await outbox_db.newest_at(tx))
            if is_wrong := retention_rules.differs(server_time, now):
                record = replace(record, wrong_host=self._host, wrong_at=server_time)
            else:
                wrong_host = "" if record.wrong_host == self._host else record.wrong_host
                record = replace(retention_rules.look(record, now, elapsed), wrong_host=wrong_host)
            await settings_db.put(tx, CLOCK, record, now)
        self._looked += elapsed / SECOND
        was_paused, self._is_paused = self._is_paused, is_wrong or record.has_leapt
        if self._is_paused and not was_paused:
            log.warning("no old data is deleted", reason=retention_rules.pause_reason(record, server_time, now))
        return None if self._is_paused else now

    async def purge(self) -> None:
        now = await self.look()
        if now is not None:
            settings = self._deps.settings.value
            await retention_service.purge(self._deps, now, settings.events_kept_days, settings.mails_kept_days)
