"""What each signal saw in an order, as the text after its label: numbers, and the time they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lootkeep.domain.codes import countries
from lootkeep.domain.fraud.facts import ENOUGH_ACCOUNTS, ENOUGH_ORDERS, OrderFacts
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.identity import domain_of
from lootkeep.kernel.money import text
from lootkeep.kernel.wording import plural, spelled

Sentence = Callable[[OrderFacts, Policy], str]

_MAX_USER_AGENT = 60


def sentences(names: Iterable[str], facts: OrderFacts, policy: Policy) -> dict[str, str]:
    """By signal; rules, and signals that were removed from the table, have none."""
    return {name: SENTENCES[name](facts, policy) for name in names if name in SENTENCES}


def _vpn(facts: OrderFacts, policy: Policy) -> str:
    return f"{_ip(facts)} is on a list of VPN exits"


def _proxy(facts: OrderFacts, policy: Policy) -> str:
    return f"{_ip(facts)} is on a list of open proxies"


def _datacenter(facts: OrderFacts, policy: Policy) -> str:
    return f"{_ip(facts)} belongs to {facts.network.asn_name or 'a hosting provider'}"


def _tor(facts: OrderFacts, policy: Policy) -> str:
    age = facts.network.tor_list_days
    return f"{_ip(facts)} is a Tor exit" + (f", by a list that was {plural(age, 'day')} old" if age else "")


def _countries(facts: OrderFacts, policy: Policy) -> str:
    """For each signal about where the buyer is."""
    seen, billed = facts.network.country, facts.billing_country
    if seen and seen == billed:
        return f"{_ip(facts)} and bill from {_country(seen)}"
    parts = (f"{_ip(facts)} from {_country(seen)}" if seen else "", f"bill from {_country(billed)}" if billed else "")
    return ", ".join(part for part in parts if part)


def _velocity_ip(facts: OrderFacts, policy: Policy) -> str:
    orders = _orders(facts.history.address_orders)
    return f"{orders} from {_ip(facts)} {_window(policy)}, the limit is {policy.fraud_velocity_limit_orders_per_ip}"


def _velocity_email(facts: OrderFacts, policy: Policy) -> str:
    orders = _orders(facts.history.mailbox_orders)
    return f"{orders} of this mailbox {_window(policy)}, the limit is {policy.fraud_velocity_limit_orders_per_email}"


def _order_burst(facts: OrderFacts, policy: Policy) -> str:
    return f"{_orders(facts.history.customer_orders_in_day)} within 24 hours, none older than a week"


def _large_order(facts: OrderFacts, policy: Policy) -> str:
    usual = facts.history.large_from
    return f"{text(facts.amount)}, nine of ten orders of 90 days were at most {text(usual) if usual else 'lower'}"


def _disposable_email(facts: OrderFacts, policy: Policy) -> str:
    if facts.mail.is_payer_disposable:
        return "the mailbox of who paid lasts for minutes"
    return f"mailboxes{_at_domain(facts)} last for minutes"


def _relay_email(facts: OrderFacts, policy: Policy) -> str:
    return f"mailboxes{_at_domain(facts)} forward to another one"


def _tagged_email(facts: OrderFacts, policy: Policy) -> str:
    tag = facts.email.partition("@")[0].partition("+")[2]
    return f"“+{tag}” before the @" if tag else "a tag before the @"


def _account_age(facts: OrderFacts, policy: Policy) -> str:
    since = facts.at if facts.customer_created_at is None else facts.customer_created_at
    return f"signed up {spelled(facts.at - since)} before"


def _device_reuse(facts: OrderFacts, policy: Policy) -> str:
    return f"{_accounts(facts.history.device_accounts)} in the last 730 days"


def _device_newcomer(facts: OrderFacts, policy: Policy) -> str:
    return f"{_accounts(facts.history.device_accounts_before)} used it before this one signed up"


def _device_velocity(facts: OrderFacts, policy: Policy) -> str:
    return f"{_accounts(facts.history.device_accounts_in_hour)} in 60 minutes"


def _ip_accounts(facts: OrderFacts, policy: Policy) -> str:
    return f"{_accounts(facts.history.address_accounts_in_hour)} at {_ip(facts)}"


def _player_accounts(facts: OrderFacts, policy: Policy) -> str:
    return f"{_accounts(facts.history.player_accounts)} ordered for {facts.player or 'it'} in the last 730 days"


def _user_agent_missing_or_bot(facts: OrderFacts, policy: Policy) -> str:
    agent = facts.user_agent
    return f"it calls itself {agent[:_MAX_USER_AGENT]}" if agent else "no user agent was sent"


def _referral_abuse(facts: OrderFacts, policy: Policy) -> str:
    return "the referrer has the same mailbox, device or card, or was referred by this customer"


def _confirmed_fraud(facts: OrderFacts, policy: Policy) -> str:
    history = facts.history
    if history.confirmed_frauds:
        return f"{_counted(history.confirmed_frauds, ENOUGH_ORDERS, 'earlier order')} of this customer"
    if history.instrument_fraud or history.mailbox_fraud:
        return f"an order {'paid with this card' if history.instrument_fraud else 'of this mailbox'}"
    return "an order from this device" if history.device_fraud else "an order for this player"


def _card_accounts(facts: OrderFacts, policy: Policy) -> str:
    return f"{_accounts(facts.history.instrument_accounts)} paid with it in the last 730 days"


def _account_cards(facts: OrderFacts, policy: Policy) -> str:
    return f"{_counted(facts.history.customer_instruments_in_day, ENOUGH_ACCOUNTS, 'other card')} in 24 hours"


def _card_testing(facts: OrderFacts, policy: Policy) -> str:
    declines = _counted(facts.history.declined_payments, ENOUGH_ORDERS, "declined payment")
    return f"{declines} {_window(policy)}, the limit is {policy.fraud_velocity_limit_declines}"


def _card_country_mismatch(facts: OrderFacts, policy: Policy) -> str:
    return f"card from {_country(facts.payment.country)}, bill from {_country(facts.billing_country)}"


def _prepaid(facts: OrderFacts, policy: Policy) -> str:
    country = facts.payment.country
    return f"issued in {_country(country)}" if country else "as the payment provider reports"


def _three_d_secure(facts: OrderFacts, policy: Policy) -> str:
    return "the bank asked the buyer, who confirmed the payment"


def _trusted_customer(facts: OrderFacts, policy: Policy) -> str:
    history = facts.history
    since = facts.at if history.first_paid_at is None else history.first_paid_at
    return f"{plural(history.paid_orders, 'paid order')}, the first {spelled(facts.at - since)} before"


def _ip(facts: OrderFacts) -> str:
    """Erased with the buyer's personal data."""
    return facts.ip_address or "the address"


def _at_domain(facts: OrderFacts) -> str:
    domain = domain_of(facts.email) if "@" in facts.email else ""
    return f" at {domain}" if domain else ""


def _country(code: str | None) -> str:
    return countries().get(code or "") or code or "an unknown country"


def _window(policy: Policy) -> str:
    return f"in {plural(policy.fraud_velocity_window_minutes, 'minute')}"


def _orders(earlier: int) -> str:
    """With the order itself."""
    return _counted(earlier + 1, ENOUGH_ORDERS + 1, "order")


def _accounts(count: int) -> str:
    return _counted(count, ENOUGH_ACCOUNTS, "other account")


def _counted(count: int, most: int, noun: str) -> str:
    """History is counted up to a limit."""
    return plural(count, noun) if count < most else f"{most} or more {noun}s"


# One row for each row of SIGNALS.
SENTENCES: dict[str, Sentence] = {
    "vpn": _vpn,
    "proxy": _proxy,
    "datacenter": _datacenter,
    "tor": _tor,
    "sanctioned_country": _countries,
    "blocked_country": _countries,
    "high_risk_country": _countries,
    "geo_mismatch": _countries,
    "velocity_ip": _velocity_ip,
    "velocity_email": _velocity_email,
    "order_burst": _order_burst,
    "large_order": _large_order,
    "disposable_email": _disposable_email,
    "relay_email": _relay_email,
    "tagged_email": _tagged_email,
    "account_age": _account_age,
    "device_reuse": _device_reuse,
    "device_newcomer": _device_newcomer,
    "device_velocity": _device_velocity,
    "ip_accounts": _ip_accounts,
    "player_accounts": _player_accounts,
    "user_agent_missing_or_bot": _user_agent_missing_or_bot,
    "referral_abuse": _referral_abuse,
    "confirmed_fraud": _confirmed_fraud,
    "card_accounts": _card_accounts,
    "account_cards": _account_cards,
    "card_testing": _card_testing,
    "card_country_mismatch": _card_country_mismatch,
    "prepaid": _prepaid,
    "three_d_secure": _three_d_secure,
    "trusted_customer": _trusted_customer,
}
