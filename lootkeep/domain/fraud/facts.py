"""Everything a signal may look at: gathered first, then judged, then stored with the check."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from lootkeep.domain.fraud.amounts import WEEK
from lootkeep.kernel.clock import DAY, HOUR, Instant
from lootkeep.kernel.money import Hundredths

Funding = Literal["credit", "debit", "prepaid", "unknown"]
ThreeDSecure = Literal["passed", "failed", "not_used"]

# How long the users of a device are remembered: the risk does not fall with time.
DEVICE_MEMORY = 730 * DAY
# The period for several accounts on one device or IP address.
SHORT_MEMORY = HOUR
# A buyer with this many orders that were paid this long ago is known to the store.
TRUSTED_AFTER = 60 * DAY
ENOUGH_OLD_ORDERS = 3
# The period of a burst of orders, and the age of an order that makes its customer a known one.
BURST = DAY
KNOWN_AFTER = WEEK
# Accounts are counted up to this number: a little above what any signal needs.
ENOUGH_ACCOUNTS = 5
# The same for orders and declines: no signal needs more than 100.
ENOUGH_ORDERS = 101
# A device may have thousands of accounts: only the latest ones are checked for being first.
MAX_ASKED = 50


class NetworkFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What local data says about an IP address; null and false if no list knows it."""

    country: str | None = None
    city: str | None = None
    asn_number: int | None = None
    asn_name: str | None = None
    is_vpn: bool = False
    is_proxy: bool = False
    is_datacenter: bool = False
    is_tor: bool = False
    # An old list of Tor exits counts less, because exits move.
    tor_list_days: int | None = None


class Payment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the payment provider reports about the payment method, without card data."""

    # The provider's fingerprint, hashed with the store's key.
    instrument: str | None = None
    bin: str | None = None
    country: str | None = None
    funding: Funding | None = None
    three_d_secure: ThreeDSecure | None = None
    # Who paid, if the provider says so; not stored with the order.
    payer_email: str | None = None

    @property
    def columns(self) -> dict[str, Any]:
        """As orders store it: only what is known."""
        values = {f"payment_{name}": getattr(self, name) for name in STORED_WITH_ORDERS}
        return {name: value for name, value in values.items() if value is not None}


STORED_WITH_ORDERS = ("instrument", "bin", "country", "funding", "three_d_secure")
UNKNOWN = Payment()


class EmailFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an e-mail address shows."""

    # The buyer's, or else the payer's.
    is_disposable: bool = False
    is_payer_disposable: bool = False
    # An e-mail address that forwards to another one, such as Apple's and Firefox's.
    is_relay: bool = False
    has_tag: bool = False


class History(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The store's history at the time of the order; counts stop a little above what any signal needs."""

    # Orders within the policy's window, without this one.
    address_orders: int = 0
    mailbox_orders: int = 0
    # The customer's own orders within a day, without this one, and whether there is one older than a week.
    customer_orders_in_day: int = 0
    has_older_order: bool = False
    # Other accounts seen with the same value: in the long history, and within the last hour.
    device_accounts: int = 0
    # Of these, the ones that used the device before this account was created, and not within the last hour.
    device_accounts_before: int = 0
    device_accounts_in_hour: int = 0
    address_accounts_in_hour: int = 0
    # Other accounts that were seen with this instrument, and other instruments that paid for this account within a day.
    instrument_accounts: int = 0
    customer_instruments_in_day: int = 0
    # Other accounts that ordered for this player.
    player_accounts: int = 0
    # Payments declined within the policy's window: the highest number of this customer, this device or this IP
    # address, which counts only if it is new to the customer.
    declined_payments: int = 0
    # Earlier orders of the customer that were fraud, and whether there was one of any customer with the same
    # instrument, mailbox, device or player.
    confirmed_frauds: int = 0
    instrument_fraud: bool = False
    mailbox_fraud: bool = False
    device_fraud: bool = False
    player_fraud: bool = False
    # Whether a payment of the customer was disputed, for any reason, and not won.
    has_dispute: bool = False
    # Paid orders of the customer before this one, and when the first was paid.
    paid_orders: int = 0
    first_paid_at: Instant | None = None
    # Those that were paid more than 60 days ago and not refunded in full, counted up to three.
    old_paid_orders: int = 0
    # Since when the customer has used the device and the instrument of this order; null if it is new to them.
    device_known_since: Instant | None = None
    instrument_known_since: Instant | None = None
    # The amount that nine of ten orders of the last 90 days do not exceed; null if there are too few.
    large_from: Hundredths | None = None
    has_refused_referral: bool = False


class OrderFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An order as the engine sees it. Stored with its check, so the check can be reproduced."""

    at: Instant
    email: str
    customer_id: int | None = None
    ip_address: str | None = None
    amount: Hundredths = Hundredths(0)
    quantity: int = 0
    customer_created_at: Instant | None = None
    billing_country: str | None = None
    user_agent: str | None = None
    # False if nobody could have known it, as in old records: its absence then says nothing.
    is_user_agent_asked: bool = True
    has_device: bool = False
    device: str | None = None
    # Who gets it, if the order says so.
    player: str | None = None
    network: NetworkFacts = NetworkFacts()
    mail: EmailFacts = EmailFacts()
    payment: Payment = Payment()
    history: History = History()
    # Whether the order is on each list that a rule uses, by `fact@list`: lists change, but a check must not.
    lists: dict[str, bool] = {}

    def without_person(self, pseudonym: str) -> OrderFacts:
        """What remains when the buyer's personal data is erased; missing data says nothing."""
        network = replace(self.network, city=None)
        payment = replace(self.payment, bin=None, payer_email=None)
        gone = {"ip_address": None, "user_agent": None, "is_user_agent_asked": False, "device": None, "player": None}
        return replace(self, email=pseudonym, network=network, payment=payment, **gone)
