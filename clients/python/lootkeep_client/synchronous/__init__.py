"""All groups of methods; written by `python -m tools.write_clients`."""

from __future__ import annotations

from lootkeep_client.cores import Core
from lootkeep_client.synchronous.alerts import Alerts
from lootkeep_client.synchronous.analytics import Analytics
from lootkeep_client.synchronous.commands import Commands
from lootkeep_client.synchronous.coupons import Coupons
from lootkeep_client.synchronous.creators import Creators
from lootkeep_client.synchronous.customers import Customers
from lootkeep_client.synchronous.email_campaigns import EmailCampaigns
from lootkeep_client.synchronous.events import Events
from lootkeep_client.synchronous.fraud import Fraud
from lootkeep_client.synchronous.fraud_lists import FraudLists
from lootkeep_client.synchronous.fraud_rules import FraudRules
from lootkeep_client.synchronous.game import Game
from lootkeep_client.synchronous.gift_cards import GiftCards
from lootkeep_client.synchronous.orders import Orders
from lootkeep_client.synchronous.payments import Payments
from lootkeep_client.synchronous.products import Products
from lootkeep_client.synchronous.referrals import Referrals
from lootkeep_client.synchronous.servers import Servers
from lootkeep_client.synchronous.store import Store
from lootkeep_client.synchronous.support_tickets import SupportTickets
from lootkeep_client.synchronous.webhooks import Webhooks


class Api:
    """The root of all methods."""

    def __init__(self, core: Core) -> None:
        self.alerts = Alerts(core)
        self.analytics = Analytics(core)
        self.commands = Commands(core)
        self.coupons = Coupons(core)
        self.creators = Creators(core)
        self.customers = Customers(core)
        self.email_campaigns = EmailCampaigns(core)
        self.events = Events(core)
        self.fraud = Fraud(core)
        self.fraud_lists = FraudLists(core)
        self.fraud_rules = FraudRules(core)
        self.game = Game(core)
        self.gift_cards = GiftCards(core)
        self.orders = Orders(core)
        self.payments = Payments(core)
        self.products = Products(core)
        self.referrals = Referrals(core)
        self.servers = Servers(core)
        self.store = Store(core)
        self.support_tickets = SupportTickets(core)
        self.webhooks = Webhooks(core)
