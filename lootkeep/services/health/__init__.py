"""Whether everything that the service depends on works; each sentence says what to do."""

from __future__ import annotations

from lootkeep.engines.emails import Mailer
from lootkeep.engines.intelligence import Intelligence
from lootkeep.engines.outbound import Outbound
from lootkeep.kernel.clock import Clock
from lootkeep.services.health import lists, machine, outside, store
from lootkeep.services.health.finding import Config, Finding, Level, worst
from lootkeep.services.health.replica import replica
from lootkeep.services.health.store import OpenDatabase

__all__ = ["Config", "Finding", "Level", "OpenDatabase", "examine", "worst"]


async def examine(
    config: Config,
    opened: OpenDatabase | None,
    mailer: Mailer,
    outbound: Outbound,
    intelligence: Intelligence,
    clock: Clock,
) -> list[Finding]:
    """Checks everything; without `opened` there is no database yet."""
    now = clock.now()
    database, key = await store.database(config, opened, now)
    findings = [*machine.settings(config), database, key, *machine.files(config), *machine.disk(config)]
    is_demo = False
    if database.level != "bad" and opened is not None:
        is_demo = await store.is_demo(opened)
        findings += await replica(config, opened)
        findings += await store.contents(opened, clock)
        findings += await outside.receivers(opened, outbound)
    findings += [await outside.redis(config), await outside.mail(config, mailer)]
    findings += await outside.public_url(config, outbound, now)
    findings += lists.findings(config, intelligence, now)
    return [_calmed(finding) for finding in findings] if is_demo else findings


# What a demo lacks, and the troubles that it has to be looked at.
_OF_DEMO = {"mail", "public URL", "vpn", "proxy", "tor", "datacenter", "keys", "servers", "payments", "webhooks"}


def _calmed(finding: Finding) -> Finding:
    if finding.level != "warning" or finding.what not in _OF_DEMO:
        return finding
    return Finding(finding.what, "ok", f"{finding.sentence} In a demo that is fine.")
