"""What the store's own rules may look at: facts of an order by name, each with its type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from lootkeep.domain.fraud.agents import is_bot
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.identity import domain_of

FactType = Literal["money", "number", "duration", "boolean", "text", "country"]
ListKind = Literal["email", "domain", "ip", "device", "instrument", "country", "customer"]


class FactName(NamedTuple):
    """A name in an expression."""

    type: FactType
    # Null is what is not known. A fact without a value of its own can only be looked up in a list.
    value: Callable[[OrderFacts], Any] | None
    # In lists of which kind it can be looked up.
    kind: ListKind | None
    text: str


def _account_age(facts: OrderFacts) -> int | None:
    return None if facts.customer_created_at is None else max(0, facts.at - facts.customer_created_at)


def _email(facts: OrderFacts) -> str | None:
    return facts.email.lower() or None


def _email_domain(facts: OrderFacts) -> str | None:
    return domain_of(facts.email) or None


def _is_bot(facts: OrderFacts) -> bool:
    return bool(facts.user_agent) and is_bot(str(facts.user_agent))


# Stored rules use these names: one is never renamed or removed.
FACTS: dict[str, FactName] = {
    "total": FactName("money", lambda facts: facts.amount, None, "What the items cost, in the order's currency."),
    "quantity": FactName("number", lambda facts: facts.quantity, None, "Pieces ordered."),
    "account_age": FactName("duration", _account_age, None, "Since the account was made."),
    "paid_orders": FactName("number", lambda facts: facts.history.paid_orders, None, "Earlier paid orders."),
    "orders_in_day": FactName(
        "number", lambda facts: facts.history.customer_orders_in_day, None, "Earlier orders of the last 24 hours."
    ),
    "customer": FactName("text", None, "customer", "The customer; lists hold their ids."),
    "email": FactName("text", _email, "email", "A list entry counts for all forms of one mailbox."),
    "email_domain": FactName("text", _email_domain, "domain", "A list entry counts for domains below it too."),
    "is_disposable_email": FactName("boolean", lambda facts: facts.mail.is_disposable, None, "A throw-away mailbox."),
    "is_relay_email": FactName("boolean", lambda facts: facts.mail.is_relay, None, "A forwarding address."),
    "is_tagged_email": FactName("boolean", lambda facts: facts.mail.has_tag, None, "An address with a tag."),
    "mailbox_orders": FactName(
        "number", lambda facts: facts.history.mailbox_orders, None, "Earlier orders of the mailbox in the window."
    ),
    "ip": FactName("text", lambda facts: facts.ip_address, "ip", "Lists hold addresses and networks."),
    "ip_country": FactName("country", lambda facts: facts.network.country, "country", "Where the address is."),
    "ip_orders": FactName(
        "number", lambda facts: facts.history.address_orders, None, "Earlier orders from the address in the window."
    ),
    "ip_accounts_in_hour": FactName(
        "number", lambda facts: facts.history.address_accounts_in_hour, None, "Other accounts there within the hour."
    ),
    "asn": FactName("number", lambda facts: facts.network.asn_number, None, "The number of the network."),
    "is_vpn": FactName("boolean", lambda facts: facts.network.is_vpn, None, "A VPN exit."),
    "is_proxy": FactName("boolean", lambda facts: facts.network.is_proxy, None, "An open proxy."),
    "is_datacenter": FactName("boolean", lambda facts: facts.network.is_datacenter, None, "A hosting provider."),
    "is_tor": FactName("boolean", lambda facts: facts.network.is_tor, None, "A Tor exit."),
    "is_bot": FactName("boolean", _is_bot, None, "The user agent names a program."),
    "billing_country": FactName("country", lambda facts: facts.billing_country, "country", "Of the billing address."),
    "has_device": FactName("boolean", lambda facts: facts.has_device, None, "A device was sent."),
    "device": FactName("text", None, "device", "The device that was sent."),
    "device_accounts": FactName(
        "number", lambda facts: facts.history.device_accounts, None, "Other accounts on the device, 5 at most."
    ),
    "device_accounts_in_hour": FactName(
        "number", lambda facts: facts.history.device_accounts_in_hour, None, "The same within the hour."
    ),
    "instrument": FactName("text", None, "instrument", "The payment provider's fingerprint."),
    "card_country": FactName("country", lambda facts: facts.payment.country, "country", "Where the card was issued."),
    "card_bin": FactName("text", lambda facts: facts.payment.bin, None, "The first digits of the card."),
    "card_funding": FactName(
        "text", lambda facts: facts.payment.funding, None, '`"credit"`, `"debit"`, `"prepaid"` or `"unknown"`.'
    ),
    "three_d_secure": FactName(
        "text", lambda facts: facts.payment.three_d_secure, None, '`"passed"`, `"failed"` or `"not_used"`.'
    ),
    "card_accounts": FactName(
        "number", lambda facts: facts.history.instrument_accounts, None, "Other accounts with the card, 5 at most."
    ),
    "account_cards": FactName(
        "number", lambda facts: facts.history.customer_instruments_in_day, None, "Other cards within 24 hours."
    ),
    "confirmed_frauds": FactName(
        "number", lambda facts: facts.history.confirmed_frauds, None, "Earlier orders found to be fraud."
    ),
}
