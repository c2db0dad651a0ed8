"""All groups of methods; written by `python -m tools.write_clients`."""

from __future__ import annotations

from lootkeep_client.asynchronous.alerts import Alerts
from lootkeep_client.asynchronous.analytics import Analytics
from lootkeep_client.asynchronous.commands import Commands
from lootkeep_client.asynchronous.coupons import Coupons
from lootkeep_client.asynchronous.creators import Creators
from lootkeep_client.asynchronous.customers import Customers
from lootkeep_client.asynchronous.email_campaigns import EmailCampaigns
from lootkeep_client.asynchronous.events import Events
from lootkeep_client.asynchronous.fraud import Fraud
from lootkeep_client.asynchronous.fraud_lists import FraudLists
from lootkeep_client.asynchronous.fraud_rules import FraudRules
from lootkeep_client.asynchronous.game import Game
from lootkeep_client.asynchronous.gift_cards import GiftCards
from lootkeep_client.asynchronous.orders import Orders
from lootkeep_client.asynchronous.payments import Payments
from lootkeep_client.asynchronous.products import Products
from lootkeep_client.asynchronous.referrals import Referrals
from lootkeep_client.asynchronous.servers import Servers
from lootkeep_client.asynchronous.store import Store
from lootkeep_client.asynchronous.support_tickets import SupportTickets
from lootkeep_client.asynchronous.webhooks import Webhooks
from lootkeep_client.cores import AsyncCore


class Api:
    """The root of all methods."""

    def __init__(self, core: AsyncCore) -> None:
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
