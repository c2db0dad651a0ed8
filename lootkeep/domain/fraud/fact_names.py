"""The facts of an order that the store's own rules can use, by name, each with its type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from lootkeep.domain.fraud.agents import is_bot
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.identity import domain_of

FactType = Literal["money", "number", "duration", "boolean", "text", "country"]
ListKind = Literal["email", "domain", "ip", "device", "instrument", "player", "country", "customer"]


# What an expression is about.
F = TypeVar("F")


class FactName(NamedTuple, Generic[F]):
    """A name in an expression."""

    type: FactType
    # The function returns None for an unknown value. A fact without a function can only be looked up in a list.
    value: Callable[[F], Any] | None
    # The kind of list it can be looked up in.
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


# Stored rules use these names: never rename or remove one.
FACTS: dict[str, FactName[OrderFacts]] = {
    "total": FactName("money", lambda facts: facts.amount, None, "What the items cost, in the order's currency."),
    "quantity": FactName("number", lambda facts: facts.quantity, None, "Number of pieces ordered."),
    "account_age": FactName("duration", _account_age, None, "Time since the account was created."),
    "paid_orders": FactName("number", lambda facts: facts.history.paid_orders, None, "Earlier paid orders."),
    "orders_in_day": FactName(
        "number",
        lambda facts: facts.history.customer_orders_in_day,
        None,
        "Earlier orders in the last 24 hours, 101 at most.",
    ),
    "customer": FactName("text", None, "customer", "The customer; lists contain customer ids."),
    "email": FactName("text", _email, "email", "A list entry matches all spellings of one mailbox."),
    "email_domain": FactName("text", _email_domain, "domain", "A list entry also matches subdomains."),
    "is_disposable_email": FactName("boolean", lambda facts: facts.mail.is_disposable, None, "A disposable mailbox."),
    "is_relay_email": FactName("boolean", lambda facts: facts.mail.is_relay, None, "A forwarding e-mail address."),
    "is_tagged_email": FactName("boolean", lambda facts: facts.mail.has_tag, None, "An e-mail address with a tag."),
    "mailbox_orders": FactName(
        "number",
        lambda facts: facts.history.mailbox_orders,
        None,
        "Earlier orders of the mailbox in the window, 101 at most.",
    ),
    "ip": FactName("text", lambda facts: facts.ip_address, "ip", "Lists contain IP addresses and networks."),
    "ip_country": FactName("country", lambda facts: facts.network.country, "country", "The country of the IP address."),
    "ip_orders": FactName(
        "number",
        lambda facts: facts.history.address_orders,
        None,
        "Earlier orders from the IP address in the window, 101 at most.",
    ),
    "ip_accounts_in_hour": FactName(
        "number",
        lambda facts: facts.history.address_accounts_in_hour,
        None,
        "Other accounts at the IP address in the last hour, 5 at most.",
    ),
    "asn": FactName("number", lambda facts: facts.network.asn_number, None, "The autonomous system number."),
    "is_vpn": FactName("boolean", lambda facts: facts.network.is_vpn, None, "A VPN exit."),
    "is_proxy": FactName("boolean", lambda facts: facts.network.is_proxy, None, "An open proxy."),
    "is_datacenter": FactName("boolean", lambda facts: facts.network.is_datacenter, None, "A hosting provider."),
    "is_tor": FactName("boolean", lambda facts: facts.network.is_tor, None, "A Tor exit."),
    "is_bot": FactName("boolean", _is_bot, None, "The user agent is a bot."),
    "billing_country": FactName(
        "country", lambda facts: facts.billing_country, "country", "The country of the billing address."
    ),
    "has_device": FactName("boolean", lambda facts: facts.has_device, None, "A device was sent."),
    "device": FactName("text", None, "device", "The device that was sent."),
    "device_accounts": FactName(
        "number", lambda facts: facts.history.device_accounts, None, "Other accounts on the device, 5 at most."
    ),
    "device_accounts_in_hour": FactName(
        "number",
        lambda facts: facts.history.device_accounts_in_hour,
        None,
        "Other accounts on the device in the last hour, 5 at most.",
    ),
    "instrument": FactName("text", None, "instrument", "The payment provider's fingerprint."),
    "card_country": FactName(
        "country", lambda facts: facts.payment.country, "country", "The country that issued the card."
    ),
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
        "number",
        lambda facts: facts.history.customer_instruments_in_day,
        None,
        "Other cards that paid for the account in the last 24 hours, 5 at most.",
    ),
    "player": FactName("text", None, "player", "The player who gets it, such as `steam:76561198000000000`."),
    "player_accounts": FactName(
        "number", lambda facts: facts.history.player_accounts, None, "Other accounts that ordered for it, 5 at most."
    ),
    "confirmed_frauds": FactName(
        "number", lambda facts: facts.history.confirmed_frauds, None, "Earlier orders confirmed as fraud, 101 at most."
    ),
}
