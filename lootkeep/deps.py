"""What every operation is given: time, ids, the database and the engines, chosen once by wiring or by a test."""

from __future__ import annotations

from dataclasses import dataclass

from lootkeep.domain.webhooks import WebhookRules
from lootkeep.engines.intelligence import Intelligence
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.ratelimit import RateLimiter
from lootkeep.engines.vault import Vault
from lootkeep.kernel.clock import Clock
from lootkeep.kernel.ids import Ids
from lootkeep.storage.engine.database import Database


@dataclass(frozen=True, slots=True)
class Deps:
    """Passed first to every operation."""

    clock: Clock
    ids: Ids
    db: Database
    limiter: RateLimiter
    vault: Vault
    outbound: Outbound
    webhook_rules: WebhookRules
    currency: str
    intelligence: Intelligence
    # The sandbox: what test tokens work on.
    is_test: bool = False
