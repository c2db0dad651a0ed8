"""The dependencies of every operation: time, ids, the database and the engines, chosen by wiring or by a test."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lootkeep.domain.commands import CommandRules
from lootkeep.domain.emails import StoreIdentity
from lootkeep.domain.webhooks import WebhookRules
from lootkeep.engines.intelligence import Intelligence
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.ratelimit import RateLimiter
from lootkeep.engines.vault import Vault
from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.kernel.clock import Clock
from lootkeep.kernel.ids import Ids
from lootkeep.storage.engine.database import Database

if TYPE_CHECKING:
    from lootkeep.storage.engine.postgres_replica import Replica


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
    store: StoreIdentity
    # The sandbox, which test tokens use.
    is_test: bool = False
    replica: Replica | None = None
    commands: CommandRules = field(default_factory=CommandRules)
    # Wakes polls of game servers when commands were queued.
    new_commands: MemoryWakeup = field(default_factory=lambda: MemoryWakeup({"commands"}))

    @property
    def sends_emails(self) -> bool:
        """False if e-mails stay in the outbox; the sandbox acts as if they were sent."""
        return self.is_test or self.store.has_mail_server

    def for_reading(self) -> Deps:
        """For a request that only reads: it reads from the replica if there is one."""
        return replace(self, db=self.replica.for_request()) if self.replica else self
