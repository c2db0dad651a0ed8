"""The rows of a store whose orders were judged, exactly as the services would have written them."""

from collections.abc import Coroutine, Iterator
from itertools import islice
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Table

from bench.buyers import BenchBuyer, Purchase, purchases
from bench.people import code
from bench.rows import ITEM, NOW, PRICE, Row, Rows, product
from lootkeep.domain import identity as identity_rules
from lootkeep.domain.addresses import network_key
from lootkeep.domain.fraud import email_addresses
from lootkeep.domain.fraud.facts import NetworkFacts, OrderFacts, Payment
from lootkeep.domain.fraud.flags import flags
from lootkeep.domain.fraud.judgement import Judgement, judgement
from lootkeep.domain.fraud.policy import SETTINGS, FraudAction, Policy
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.domain.fraud.score import ENGINE_VERSION, due_at, expected_loss
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.kernel.search import search_text
from lootkeep.storage import in_memory as in_memory_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.schema import (
    customers,
    fraud_checks,
    fraud_policies,
    fraud_reviews,
    order_items,
    orders,
    products,
    settings,
    sightings,
    users,
)
from lootkeep.toolbox.backtest.reading import PastOrder
from lootkeep.toolbox.backtest.store import ReplayStore

_R = TypeVar("_R")

# This many orders are held in memory at a time.
_CHUNK = 20_000
# The store changes its mind after each third of the orders; the place is the version of its settings.
ACTIONS: tuple[FraudAction, ...] = ("block", "flag", "verify")
POLICIES = tuple(Policy(fraud_action=action) for action in ACTIONS)
OWNER = 1

_OUTCOMES: tuple[ReviewedAs, ...] = ("fraud", "legitimate", "inconclusive")
_NO_NETWORK: Row = {
    **dict.fromkeys(("detected_country", "detected_city", "asn_name", "asn_number")),
    **dict.fromkeys(("is_vpn", "is_proxy", "is_datacenter", "is_tor"), False),
}


class StoreTotals:
    """What the store remembers of its buyers, and maintains next to the rows."""

    def __init__(self, tx: Transaction) -> None:
        self.store = ReplayStore(tx, POLICIES[0])
        self.buyers: dict[int, BenchBuyer] = {}
        # By customer: the times of paid orders. They come in the order of time.
        self.paid: dict[int, list[int]] = {}
        # First and last time, by kind, value and customer.
        self.seen: dict[tuple[str, str, int], list[int]] = {}
        self.reviews = 0

    def see(self, buyer: BenchBuyer, trace: identity_rules.Trace, at: Instant) -> None:
        self.seen.setdefault((trace.kind, trace.value, buyer.id), [at, at])[1] = at

    def meet(self, buyer: BenchBuyer) -> None:
        if buyer.id not in self.buyers:
            self.buyers[buyer.id] = buyer
            self.paid[buyer.id] = []
            self.see(buyer, identity_rules.Trace("mailbox", identity_rules.mailbox(buyer.email)), buyer.created_at)


def version_at(number: int, size: int) -> int:
    """Of the settings under which this order is judged; the first order is number 1."""
    return (number - 1) * len(POLICIES) // size


def outcome_of(number: int, action: str) -> ReviewedAs | None:
    """What a reviewer says in the end: of every third check that was not simply allowed, and of a few others."""
    return _OUTCOMES[number // 3 % 3] if number % (3 if action != "allowed" else 60) == 0 else None


def parts(size: int) -> Iterator[dict[Table, Rows]]:
    """The store's rows by table, a chunk of orders at a time; the maintained totals come last."""
    with in_memory_db.transaction() as tx:
        yield from _parts(StoreTotals(tx), size)


def _parts(books: StoreTotals, size: int) -> Iterator[dict[Table, Rows]]:
    upcoming, done = purchases(size), 0
    while chunk := list(islice(upcoming, _CHUNK)):
        rows: dict[Table, Rows] = {table: [] for table in (orders, order_items, fraud_checks, fraud_reviews)}
        for number, purchase in enumerate(chunk, done + 1):
            _add(rows, books, purchase, number, version_at(number, size))
        done += len(chunk)
        yield rows
    everyone = iter(books.buyers.values())
    while group := list(islice(everyone, _CHUNK)):
        yield {customers: [_customer(buyer, books.paid[buyer.id]) for buyer in group]}
    seen = iter(books.seen.items())
    while some := list(islice(seen, _CHUNK)):
        yield {sightings: [_sighting(key, times) for key, times in some]}
    sold = product(done)
    yield _settings() | {products: [sold], users: [_OWNER_ROW]}


def _add(rows: dict[Table, Rows], books: StoreTotals, purchase: Purchase, number: int, version: int) -> None:
    buyer, at = purchase.buyer, purchase.at
    books.meet(buyer)
    judged = judgement(_facts(books, purchase), POLICIES[version], version)
    rows[orders].append(_order(purchase, number) | {"risk_level": judged.verdict.risk_level})
    rows[order_items].append(ITEM | {"id": number, "order_id": number})
    for trace in identity_rules.traces(buyer.email, purchase.address, purchase.device):
        books.see(buyer, trace, at)
    books.paid[buyer.id].append(at + SECOND)
    outcome = outcome_of(number, judged.verdict.action_taken)
    check = _check(purchase, number, judged, outcome)
    rows[fraud_checks].append(check)
    if outcome:
        books.reviews += 1
        rows[fraud_reviews].append(_review(books.reviews, number, outcome))


def _facts(books: StoreTotals, purchase: Purchase) -> OrderFacts:
    buyer = purchase.buyer
    past = PastOrder(
        order_id="",
        is_fraud=False,
        created_at=purchase.at,
        customer_id=str(buyer.id),
        customer_created_at=buyer.created_at,
        email=buyer.email,
        ip_address=purchase.address,
        device_id=purchase.device,
        total=Hundredths(PRICE),
    )
    _, history = _result(books.store.place(past))
    paid = books.paid[buyer.id]
    return OrderFacts(
        at=purchase.at,
        email=buyer.email,
        customer_id=buyer.id,
        ip_address=purchase.address,
        amount=Hundredths(PRICE),
        quantity=1,
        customer_created_at=buyer.created_at,
        billing_country=purchase.billing_country,
        user_agent=purchase.user_agent,
        has_device=True,
        device=purchase.device,
        network=NetworkFacts(),
        mail=email_addresses.describe(buyer.email, is_disposable=False),
        payment=Payment(),
        history=msgspec.structs.replace(
            history, paid_orders=len(paid), first_paid_at=Instant(paid[0]) if paid else None
        ),
    )


def _result(coroutine: Coroutine[Any, Any, _R]) -> _R:
    """A store in memory never waits."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: _R = done.value
        return result
    raise AssertionError("It waits.")


def _order(purchase: Purchase, number: int) -> Row:
    return {
        "id": number,
        "customer_id": purchase.buyer.id,
        "status": "paid",
        "subtotal": PRICE,
        "discount_total": 0,
        "total": PRICE,
        "gift_card_total": 0,
        "refunded_total": 0,
        "currency": "USD",
        "ip_address": purchase.address,
        "ip_network": network_key(purchase.address),
        "billing_country": purchase.billing_country,
        "user_agent": purchase.user_agent,
        "device_id": purchase.device,
        "metadata": "{}",
        "created_at": purchase.at,
        "updated_at": NOW,
        "paid_at": purchase.at + SECOND,
    }


def _check(purchase: Purchase, number: int, judged: Judgement, outcome: ReviewedAs | None) -> Row:
    verdict = judged.verdict
    return _NO_NETWORK | {
        "id": number,
        "order_id": number,
        "customer_id": purchase.buyer.id,
        "ip_address": purchase.address,
        "email": purchase.buyer.email,
        "user_agent": purchase.user_agent,
        "risk_score": verdict.risk_score,
        "risk_level": verdict.risk_level,
        "action_taken": verdict.action_taken,
        "signals": msgspec.json.encode(verdict.signals).decode(),
        "billing_country": purchase.billing_country,
        **msgspec.structs.asdict(flags(judged.facts, judged.policy)),
        "is_reviewed": outcome is not None,
        "reviewed_by": OWNER if outcome else None,
        "reviewed_at": NOW if outcome else None,
        "review_outcome": outcome,
        "review_notes": None,
        "facts": msgspec.json.encode(judged.facts).decode(),
        "policy_version": judged.policy_version,
        "engine_version": ENGINE_VERSION,
        "rule_hits": "[]",
        "is_latest": True,
        "truth": None if outcome == "inconclusive" else outcome,
        "truth_source": "review" if outcome in ("fraud", "legitimate") else None,
        "truth_at": NOW if outcome in ("fraud", "legitimate") else None,
        "owner_id": None,
        "due_at": due_at(verdict.action_taken, judged.policy, purchase.at),
        "expected_loss": expected_loss(verdict.risk_score, Hundredths(PRICE)),
        "created_at": purchase.at,
    }


def _review(number: int, check_id: int, outcome: ReviewedAs) -> Row:
    review = {"outcome": outcome, "notes": None, "reviewed_by": OWNER, "created_at": NOW}
    return {"id": number, "check_id": check_id, **review}


def _customer(buyer: BenchBuyer, paid: list[int]) -> Row:
    return {
        "id": buyer.id,
        "email": buyer.email,
        "name": buyer.name,
        "status": "active",
        "accepts_marketing": False,
        "email_status": "ok",
        "referral_code": code(buyer.id),
        "orders_count": len(paid),
        "total_spent": len(paid) * PRICE,
        "first_order_at": paid[0],
        "last_order_at": paid[-1],
        "tags": "[]",
        "search_text": search_text(buyer.name, buyer.email),
        "created_at": buyer.created_at,
        "updated_at": buyer.created_at,
    }


def _sighting(key: tuple[str, str, int], times: list[int]) -> Row:
    kind, value, customer_id = key
    return {
        "kind": kind,
        "value": value,
        "customer_id": customer_id,
        "first_seen_at": times[0],
        "last_seen_at": times[1],
    }


def _settings() -> dict[Table, Rows]:
    documents = [msgspec.json.encode(policy).decode() for policy in POLICIES]
    last = len(POLICIES) - 1
    current: list[dict[str, Any]] = [
        {"version": version, "document": documents[version], "created_at": NOW} for version in range(1, last + 1)
    ]
    return {
        settings: [{"name": SETTINGS, "version": last, "value": documents[last], "updated_at": NOW}],
        fraud_policies: current,
    }


_OWNER_ROW: Row = {"id": OWNER, "email": "owner@localhost", "name": "Owner", "is_owner": True, "created_at": NOW}
