"""The replica: whether it can be reached, follows the database and keeps up."""

from __future__ import annotations

from lootkeep.services.health.finding import Config, Finding
from lootkeep.services.health.store import OpenDatabase


async def replica(config: Config, opened: OpenDatabase) -> list[Finding]:
    url = config.read_database_url
    if not url:
        return []
    # An embedded store does not load the driver.
    from lootkeep.storage.engine.postgres import PostgresDatabase
    from lootkeep.storage.engine.postgres_replica import Replica

    async with opened() as engine:
        if not isinstance(engine, PostgresDatabase):
            return []
        is_pooled = config.database_pooler == "transaction"
        follower = Replica.of(engine, url, 1, config.read_max_lag, is_pooled=is_pooled)
        try:
            await follower.look()
        finally:
            await follower.close()
    if follower.reason:
        sentence = f"Reads go to the primary: {follower.reason}. Check LOOTKEEP_READ_DATABASE_URL and the replication."
        return [Finding("replica", "warning", sentence)]
    return [Finding("replica", "ok", "The replica has everything that is committed.")]
