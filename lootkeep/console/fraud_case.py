"""One case of fraud review: why it waits, who else is linked to its buyer, and what a decision would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lootkeep.console.orders import bars, reviews
from lootkeep.domain.customers import Customer
from lootkeep.domain.fraud.calibration import SETTINGS as BASE_ODDS, BaseOdds
from lootkeep.domain.fraud.checks import CheckDetail, FraudCheck
from lootkeep.domain.fraud.comparison import facts_of
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.linked import MAX_HUB, LinkedAccount, LinkKind
from lootkeep.domain.fraud.review import consequence, label as signal_label
from lootkeep.domain.fraud.score import probability
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import existing
from lootkeep.kernel.wording import duration, plural
from lootkeep.storage import (
    customers as customers_db,
    fraud_checks as fraud_checks_db,
    fraud_queue as fraud_queue_db,
    linked_accounts as linked_accounts_db,
    order_details as order_details_db,
    settings as settings_db,
)
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud_queue import Decision

# Earlier reviews are compared as far back.
PRECEDENT_DAYS = 90
# The accounts that are drawn, the most telling ones first; the rest are counted.
_DRAWN = 6
# The height of an account, and of a thing with what is written under it.
_ACCOUNT, _THING = 34, 60
_MAX_NAME, _MAX_THING = 20, 36


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that a buyer shares with other accounts, and where it is drawn."""

    y: int
    text: str
    accounts: Sequence[LinkedAccount]


@dataclass(frozen=True, slots=True)
class Node:
    """An account, or several that are not drawn one by one, with the things it shares."""

    y: int
    name: str
    fate: str
    tone: str
    things: Sequence[Thing]
    customer_id: int | None = None


def version(check: FraudCheck, order: Order) -> int:
    """A form that shows an older state is refused: the order may have moved on, or someone has decided."""
    return max(order.updated_at, check.reviewed_at or 0)


async def load(tx: Transaction, check_id: int, decisions: Sequence[Decision]) -> dict[str, Any]:
    """Everything that a reviewer sees of a check."""
    check = existing(await fraud_checks_db.get(tx, check_id), "Fraud check")
    sale = existing(await order_details_db.get(tx, check.order_id), "Order")
    referrer_id = sale.customer.referred_by_id
    referrer = await customers_db.get(tx, referrer_id) if referrer_id is not None else None
    reasons = await bars(tx, check)
    return {
        "check": check,
        "sale": sale,
        "version": version(check, sale.order),
        "bars": reasons,
        "facts": list(_facts(check, facts_of(check))),
        "graph": draw(await _shared_things(tx, sale.customer.id)),
        "if_approved": _if_approved(sale, referrer),
        "if_rejected": _if_rejected(sale.order),
        "precedents": _precedents([bar["name"] for bar in reasons], decisions),
        "reviews": await reviews(tx, check),
        # Of fraud, by the score and the base odds of this store.
        "probability": probability(check.risk_score, (await settings_db.get(tx, BASE_ODDS, BaseOdds)).odds),
    }


async def decisions(tx: Transaction, now: Instant) -> list[Decision]:
    return await fraud_queue_db.decisions(tx, Instant(now - PRECEDENT_DAYS * DAY))


async def _shared_things(tx: Transaction, customer_id: int) -> list[tuple[str, list[LinkedAccount]]]:
    """What the buyer has in common with other accounts, and with which; what many share comes without accounts."""
    linked = await linked_accounts_db.walk(tx, customer_id)
    near = {account.id: account for account in linked.accounts if account.depth == 1}
    buyers = [(edge.kind, edge.value) for edge in linked.edges if edge.customer_id == customer_id]
    sharing: dict[tuple[LinkKind, str], list[LinkedAccount]] = {thing: [] for thing in buyers}
    for edge in linked.edges:
        if (edge.kind, edge.value) in sharing and edge.customer_id in near:
            sharing[edge.kind, edge.value].append(near[edge.customer_id])
    links = [(_thing(kind, value, customer_id), accounts) for (kind, value), accounts in sharing.items()]
    hubs = [f"{_thing(hub.kind, hub.value, customer_id)}: more than {MAX_HUB} accounts" for hub in linked.hubs]
    return links + [(hub, []) for hub in hubs]


def _thing(kind: LinkKind, value: str, customer_id: int) -> str:
    if kind == "referral":
        return "brought by the buyer" if value == str(customer_id) else "referred by"
    # Of a means of payment only a hash is known, which says nothing to anyone.
    return "means of payment" if kind == "instrument" else f"{kind} {value}"


def draw(links: Sequence[tuple[str, Sequence[LinkedAccount]]]) -> dict[str, Any] | None:
    """Things and accounts in two columns, each account once; None when there is nobody else."""
    accounts = {account.id: account for _, sharing in links for account in sharing}
    if not accounts:
        return None
    telling = sorted(accounts.values(), key=lambda account: (not account.is_bad, -account.orders_count))
    shown, rest = telling[:_DRAWN], telling[_DRAWN:]
    rows = len(shown) + bool(rest)
    height = max(rows * _ACCOUNT, len(links) * _THING, 2 * _ACCOUNT)
    things = [
        Thing(_y(index, len(links), height) - 6, _short(thing, _MAX_THING), sharing)
        for index, (thing, sharing) in enumerate(links)
    ]
    nodes = []
    for index, account in enumerate(shown):
        name, shared = _short(account.name, _MAX_NAME), _shared(things, [account])
        nodes.append(Node(_y(index, rows, height), name, *account.fate, shared, account.id))
    if rest:
        bad = sum(account.is_bad for account in rest)
        fate = (f"{bad} of them blocked or fraud", "bad") if bad else ("none of them blocked", "quiet")
        nodes.append(Node(_y(rows - 1, rows, height), plural(len(rest), "other"), *fate, _shared(things, rest)))
    return {"things": things, "nodes": nodes, "height": height, "middle": height // 2}


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _y(index: int, count: int, height: int) -> int:
    """The middle of one of as many equal parts."""
    return (2 * index + 1) * height // (2 * count)


def _shared(things: Sequence[Thing], accounts: Sequence[LinkedAccount]) -> list[Thing]:
    ids = {account.id for account in accounts}
    return [thing for thing in things if ids & {account.id for account in thing.accounts}]


def _facts(check: CheckDetail, facts: OrderFacts) -> Iterator[tuple[str, str]]:
    """What was known when the order was placed."""
    history, network = facts.history, facts.network
    if facts.customer_created_at is not None:
        age = duration(facts.at - facts.customer_created_at)
        earlier = f"{plural(history.paid_orders, 'paid order')} before" if history.paid_orders else "a first order"
        yield "Account", f"signed up {age} before ordering, {earlier}"
    if facts.ip_address:
        kinds = [name for name in ("vpn", "proxy", "datacenter", "tor") if getattr(network, f"is_{name}")]
        origin = [name for name in (network.city, network.country, network.asn_name) if name]
        yield "IP address", ", ".join([facts.ip_address, *origin, *(_KINDS.get(kind, kind) for kind in kinds)])
    if facts.billing_country:
        yield "Billing country", facts.billing_country
    marks = [name for name in ("disposable", "relay") if getattr(facts.mail, f"is_{name}")]
    yield "E-mail", ", ".join([check.email, *(_KINDS.get(mark, mark) for mark in marks)])
    if facts.has_device:
        lately = f", {history.device_accounts_in_hour} within the hour" if history.device_accounts_in_hour else ""
        others = plural(history.device_accounts, "other account")
        yield "Device", f"{others} on it{lately}" if history.device_accounts else "no other account on it"
    if facts.payment.country:
        yield "Card", ", ".join(word for word in (facts.payment.country, facts.payment.funding) if word)
    yield "Browser", facts.user_agent or "not reported"


# What people read, where it is not the name itself.
_KINDS = {"vpn": "VPN", "tor": "Tor", "relay": "forwarding"}


def _if_approved(sale: OrderDetails, referrer: Customer | None) -> str:
    order = sale.order
    if order.status == "on_hold":
        text = (
            "The order is released, and its buyer can pay."
            if order.money_total
            else "The order is released and paid at once: nothing is left to pay."
        )
    elif order.status == "pending":
        text = "The order goes on: it waits for its payment and was never stopped."
    elif order.status == "cancelled":
        text = "The order stays cancelled; its buyer has to order again."
    else:
        return f"The order is {order.status.replace('_', ' ')} already; only the review is recorded."
    if referrer is not None and sale.customer.first_order_at is None and order.status != "cancelled":
        text += f" {referrer.name}’s referral counts with the payment."
    return text


def _if_rejected(order: Order) -> str:
    is_cancelled = consequence("fraud", order.status) == "cancel"
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
