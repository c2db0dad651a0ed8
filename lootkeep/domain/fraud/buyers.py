"""The buyer of an order, as the fraud check looks them up."""

from __future__ import annotations

import msgspec

from lootkeep.domain.addresses import network_key
from lootkeep.domain.fraud.amounts import week_of
from lootkeep.domain.identity import mailbox
from lootkeep.kernel.clock import Instant


class Buyer(msgspec.Struct, frozen=True):
    """Whose history is asked for, as of a time.

    Addresses come in canonical form, as they are stored. Customer 0 is someone who is not a customer yet.
    """

    at: Instant
    email: str | None
    ip_address: str | None
    device_id: str | None = None
    customer_id: int = 0
    # When the account was created; null means now.
    customer_created_at: Instant | None = None
    currency: str | None = None
    instrument: str | None = None
    player: str | None = None
    # An imported order sees what existed at its time. A live order sees everything: a process with a clock that is
    # ahead may have written it.
    is_past: bool = False

    @property
    def ip_network(self) -> str | None:
        return network_key(self.ip_address) if self.ip_address else None

    @property
    def mailbox(self) -> str | None:
        return mailbox(self.email) if self.email else None

    @property
    def week(self) -> int:
        return week_of(self.at)
