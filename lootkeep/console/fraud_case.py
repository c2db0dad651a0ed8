"""One case of fraud review: why it waits, who else is linked to its buyer, and what a decision would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lootkeep.console import fraud_links
from lootkeep.console.formats import Formats, browser, country, label
from lootkeep.console.orders import bars, reviews
from lootkeep.domain.customers import Customer
from lootkeep.domain.declined_payments import PaymentAttempt
from lootkeep.domain.fraud.calibration import SETTINGS as BASE_ODDS, BaseOdds
from lootkeep.domain.fraud.checks import CheckDetail, FraudCheck
from lootkeep.domain.fraud.comparison import facts_of
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.review import consequence, label as signal_label
from lootkeep.domain.fraud.score import probability
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import existing
from lootkeep.kernel.wording import duration, plural
from lootkeep.storage import settings as settings_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import checks as fraud_checks_db, queue as fraud_queue_db
from lootkeep.storage.fraud.queue import Decision
from lootkeep.storage.orders import details as order_details_db, payment_attempts as payment_attempts_db

# Earlier reviews are compared as far back.
PRECEDENT_DAYS = 90


def version(check: FraudCheck, order: Order) -> int:
    """A form that shows an older state is refused: the order may have moved on, or someone has decided."""
    return max(order.updated_at, check.reviewed_at or 0)


async def load(tx: Transaction, check_id: int, decisions: Sequence[Decision], formats: Formats) -> dict[str, Any]:
    """Everything that a reviewer sees of a check."""
    check = existing(await fraud_checks_db.get(tx, check_id), "Fraud check")
    details = existing(await order_details_db.get(tx, check.order_id), "Order")
    referrer_id = details.customer.referred_by_id
    referrer = await customers_db.ROWS.get(tx, referrer_id) if referrer_id is not None else None
    reasons, facts = await bars(tx, check), facts_of(check)
    return {
        "check": check,
        "details": details,
        "version": version(check, details.order),
        "bars": reasons,
        "facts": list(_facts(check, facts)),
        "payment": list(
            _payment(details.order, facts, await payment_attempts_db.of_order(tx, details.order.id), formats)
        ),
        **await fraud_links.load(tx, details.customer.id, formats.money),
        "if_approved": _if_approved(details, referrer),
        "if_rejected": _if_rejected(details.order),
        "precedents": _precedents([bar["name"] for bar in reasons], decisions),
        "reviews": await reviews(tx, check),
        # Of fraud, by the score and the base odds of this store.
        "probability": probability(check.risk_score, (await settings_db.get(tx, BASE_ODDS, BaseOdds)).odds),
    }


async def decisions(tx: Transaction, now: Instant) -> list[Decision]:
    return await fraud_queue_db.decisions(tx, Instant(now - PRECEDENT_DAYS * DAY))


def _facts(check: CheckDetail, facts: OrderFacts) -> Iterator[tuple[str, str]]:
    """What was known when the order was placed."""
    history, network = facts.history, facts.network
    if facts.customer_created_at is not None:
        age = duration(facts.at - facts.customer_created_at)
        earlier = plural(history.paid_orders, "paid order") if history.paid_orders else "a first order"
        yield "Account", f"signed up {age} before, {earlier}"
    if facts.ip_address:
        kinds = [name for name in ("vpn", "proxy", "datacenter", "tor") if getattr(network, f"is_{name}")]
        origin = [name for name in (network.city, country(network.country), network.asn_name) if name]
        yield "IP address", ", ".join([facts.ip_address, *origin, *(_KINDS.get(kind, kind) for kind in kinds)])
    if facts.billing_country and facts.billing_country != network.country:
        yield "Billing country", country(facts.billing_country)
    marks = [name for name in ("disposable", "relay") if getattr(facts.mail, f"is_{name}")]
    yield "E-mail", ", ".join([check.email, *(_KINDS.get(mark, mark) for mark in marks)])
    if facts.has_device:
        lately = f", {history.device_accounts_in_hour} within the hour" if history.device_accounts_in_hour else ""
        others = plural(history.device_accounts, "other account")
        yield "Device", f"{others} on it{lately}" if history.device_accounts else "no other account on it"
    yield "Browser", browser(facts.user_agent) if facts.user_agent else "not reported"


def _payment(
    order: Order, facts: OrderFacts, declined: Sequence[PaymentAttempt], formats: Formats
) -> Iterator[tuple[str, str]]:
    """How it is paid, with which instrument, and what the bank said."""
    payment, history = facts.payment, facts.history
    method = label(order.payment_method or "")
    paid = f"paid {formats.time(order.paid_at)}" if order.paid_at is not None else "not paid yet"
    yield "Method", f"{method}, {paid}" if method else paid
    number = f"{payment.bin} ••" if payment.bin else ""
    if card := [word for word in (number, payment.funding, country(payment.country)) if word]:
        yield "Card", ", ".join(card)
    if payment.instrument:
        others = history.instrument_accounts
        yield "This card elsewhere", plural(others, "other account") if others else "no other account"
    yield "3-D Secure", (payment.three_d_secure or "not reported").replace("_", " ")
    if declined:
        last = declined[-1]
        reason = f": {last.reason}" if last.reason else ""
        yield "Declined", f"{plural(len(declined), 'time')}, last {formats.time(last.at)}{reason}"
    else:
        yield "Declined", "never"


# By what a user agent has in it; the first that fits is the most telling.
# What people read, where it is not the name itself.
_KINDS = {"vpn": "VPN", "tor": "Tor", "relay": "forwarding"}


def _if_approved(details: OrderDetails, referrer: Customer | None) -> str:
    order = details.order
    if order.payment_held_at is not None:
        text = "The order is paid and released: it is delivered and announced like any other."
    elif order.status == "on_hold":
        text = (
            "The order is released, and its buyer can pay."
            if order.money_total
            else "The order is released and paid at once: nothing is left to pay."
        )
    elif order.status == "pending":
        text = "The order continues: it is waiting for payment and was not stopped."
    elif order.status == "cancelled":
        text = "The order stays cancelled; its buyer has to order again."
    else:
        return f"The order is {order.status.replace('_', ' ')} already; only the review is recorded."
    if referrer is not None and details.customer.first_order_at is None and order.status != "cancelled":
        text += f" {referrer.name}’s referral counts with the payment."
    return text


def _if_rejected(order: Order) -> str:
    is_cancelled = consequence("fraud", order) == "cancel"
    if order.payment_held_at is not None:
        first = "The order stays held until it is refunded: its money has arrived."
        return f"{first} Later orders of this buyer count as those of a confirmed fraud."
    first = "The order is cancelled." if is_cancelled else f"The order stays {order.status.replace('_', ' ')}."
    return f"{first} Later orders of this buyer count as those of a confirmed fraud."


def _precedents(names: Sequence[str], decisions: Sequence[Decision]) -> str:
    """How the same reasons turned out before; where there is no such case, the heaviest of them."""
    same = [decision for decision in decisions if decision.names == set(names)]
    what = "the same reasons"
    if not same and names:
        same = [decision for decision in decisions if names[0] in decision.names]
        what = f"“{signal_label(names[0])}”"
    if not same:
        return f"Nobody has reviewed an order with these reasons in the last {PRECEDENT_DAYS} days."
    approved = [decision for decision in same if decision.outcome == "legitimate"]
    refunded = sum(decision.order_status in ("refunded", "partially_refunded") for decision in approved)
    share = f"Of {plural(len(same), 'review')} of orders with {what} in the last {PRECEDENT_DAYS} days,"
    if not approved:
        return f"{share} none ended with an approval."
    later = f"{refunded} of those were refunded later" if refunded else "none of those was refunded later"
    return f"{share} {len(approved)} ended with an approval ({100 * len(approved) // len(same)} %), and {later}."
