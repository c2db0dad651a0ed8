"""The dependencies of every operation: time, ids, the database and the engines, chosen by wiring or by a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lootkeep.domain.commands import CommandRules
from lootkeep.domain.emails import StoreIdentity
from lootkeep.domain.store_settings import StoreSettings
from lootkeep.domain.webhooks import WebhookRules
from lootkeep.engines.emails import Mailer
from lootkeep.engines.emails.outbox import OutboxMailer
from lootkeep.engines.intelligence import Intelligence
from lootkeep.engines.openid import OpenIdProvider
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.paypal_certificates import PayPalCertificates
from lootkeep.engines.ratelimit import RateLimiter
from lootkeep.engines.vault import Vault
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import Clock
from lootkeep.kernel.ids import Ids
from lootkeep.storage.demo import Demo
from lootkeep.storage.engine.database import Database

if TYPE_CHECKING:
    from lootkeep.storage.engine.postgres_replica import Replica


class CurrentSettings:
    """The settings in effect; `services/settings.py` replaces them when someone has changed them in the console.

    `compose` makes them of what the console has set, and `make_mailer` what sends e-mails with them; both raise
    InvalidFields.
    """

    def __init__(
        self,
        compose: Callable[[Mapping[str, str]], StoreSettings] = lambda _: StoreSettings(),
        make_mailer: Callable[[Mapping[str, str]], Mailer] = lambda _: OutboxMailer(),
    ) -> None:
        self.compose = compose
        self._make_mailer = make_mailer
        self.version = 0
        self.stored: Mapping[str, str] = {}
        self.value = compose({})

    def set(self, version: int, stored: Mapping[str, str]) -> None:
        self.value = self.compose(stored)
        self.version, self.stored = version, stored

    def mailer(self) -> Mailer:
        """With the mail server of now, and a connection of its own."""
        return self._make_mailer(self.stored)


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
    settings: CurrentSettings
    intelligence: Intelligence
    # The sandbox, which test tokens use.
    is_test: bool = False
    # Which demo the store holds, if it does.
    demo: Demo = field(default_factory=Demo)
    replica: Replica | None = None
    # Where people of the console may sign in, too.
    openid: OpenIdProvider | None = None
    commands: CommandRules = field(default_factory=CommandRules)
    certificates: PayPalCertificates = field(default_factory=PayPalCertificates)
    # Wakes polls of game servers when commands were queued.
    new_commands: Wakeup = field(default_factory=lambda: Wakeup({"commands"}))
    # Says which tables have changed, to open consoles.
    changes: Wakeup = field(default_factory=Wakeup)
    # How many requests of each token wait for events.
    feed_readers: Counter[int] = field(default_factory=Counter)

    @property
    def store(self) -> StoreIdentity:
        return self.settings.value.identity

    @property
    def currency(self) -> str:
        return self.settings.value.currency

    @property
    def sends_emails(self) -> bool:
        """False if e-mails stay in the outbox; the sandbox acts as if they were sent."""
        return self.is_test or self.store.has_mail_server

    def for_reading(self) -> Deps:
        """For a request that only reads: it reads from the replica if there is one."""
        return replace(self, db=self.replica.for_request()) if self.replica else self
