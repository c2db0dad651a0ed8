"""All groups of methods; written by `python -m tools.write_client`."""

from __future__ import annotations

from lootkeep_client.cores import Core
from lootkeep_client.synchronous.events import Events
from lootkeep_client.synchronous.referrals import Referrals
from lootkeep_client.synchronous.store import Store
from lootkeep_client.synchronous.support_tickets import SupportTickets
from lootkeep_client.synchronous.webhooks import Webhooks


class Api:
    """The root of all methods."""

    def __init__(self, core: Core) -> None:
        self.events = Events(core)
        self.referrals = Referrals(core)
        self.store = Store(core)
        self.support_tickets = SupportTickets(core)
        self.webhooks = Webhooks(core)
