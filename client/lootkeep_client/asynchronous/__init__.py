"""All groups of methods; written by `python -m tools.write_client`."""

from __future__ import annotations

from lootkeep_client.asynchronous.events import Events
from lootkeep_client.asynchronous.referrals import Referrals
from lootkeep_client.asynchronous.store import Store
from lootkeep_client.asynchronous.support_tickets import SupportTickets
from lootkeep_client.asynchronous.webhooks import Webhooks
from lootkeep_client.cores import AsyncCore


class Api:
    """The root of all methods."""

    def __init__(self, core: AsyncCore) -> None:
        self.events = Events(core)
        self.referrals = Referrals(core)
        self.store = Store(core)
        self.support_tickets = SupportTickets(core)
        self.webhooks = Webhooks(core)
