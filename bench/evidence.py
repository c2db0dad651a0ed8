"""What a store of judged orders has learned since: cards, declined payments, disputes with their labels, and a list."""

from collections.abc import Iterator
from itertools import islice

from sqlalchemy import Table

from bench.buyers import RUSH_DEVICE, Purchase, purchases
from bench.judged import OWNER
from bench.people import END
from bench.rows import Row, Rows
from lootkeep.domain import identity as identity_rules
from lootkeep.domain.addresses import network_key
from lootkeep.domain.fraud.labels import Label, fraud_labels
from lootkeep.kernel.clock import SECOND
from lootkeep.storage.schema import disputes, fraud_list_entries, fraud_lists, labels, payment_attempts, sightings

# One order of this many was disputed, and the payment of one was declined first.
_ORDERS_PER_DISPUTE = 250
_ORDERS_PER_DECLINE = 20
_CHUNK = 20_000
# The list that the rules of `bench.rules` ask about.
_LIST = "free_mail"
_LIST_ENTRIES = 10_000


def instrument(customer_id: int, device: str) -> str:
    """A card per customer, but for those who buy in a rush: they all use one."""
    return f"card {RUSH_DEVICE}" if device == RUSH_DEVICE else f"card {customer_id}"


def parts(size: int) -> Iterator[dict[Table, Rows]]:
    """The rows by table. Disputes become known after the last order, so no verdict depends on them."""
    seen: dict[tuple[str, int], list[int]] = {}
    upcoming, done = purchases(size), 0
    while chunk := list(enumerate(islice(upcoming, _CHUNK), done + 1)):
        done += len(chunk)
        disputed = [(number, purchase) for number, purchase in chunk if number % _ORDERS_PER_DISPUTE == 0]
        declined = [(number, purchase) for number, purchase in chunk if _is_declined(number, purchase)]
        for _, purchase in chunk:
            key = (instrument(purchase.buyer.id, purchase.device), purchase.buyer.id)
            seen.setdefault(key, [purchase.at, purchase.at])[1] = purchase.at
        yield {
            payment_attempts: [_decline(number, purchase) for number, purchase in declined],
            disputes: [_dispute(number) for number, _ in disputed],
            labels: [_label(label, number) for number, purchase in disputed for label in _labels(purchase)],
        }
    pairs = iter(seen.items())
    while some := list(islice(pairs, _CHUNK)):
        yield {sightings: [_sighting(value, customer_id, times) for (value, customer_id), times in some]}
    yield {fraud_lists: [{"id": 1, "name": _LIST, "kind": "domain", "note": None, "created_at": END}]}
    yield {fraud_list_entries: [_entry(number) for number in range(1, _LIST_ENTRIES + 1)]}


def _is_declined(number: int, purchase: Purchase) -> bool:
    return number % _ORDERS_PER_DECLINE == 0 or purchase.device == RUSH_DEVICE


def _decline(number: int, purchase: Purchase) -> Row:
    return {
        "order_id": number,
        "customer_id": purchase.buyer.id,
        "device_id": purchase.device,
        "ip_network": network_key(purchase.address),
        "reason": "insufficient_funds",
        "at": purchase.at + SECOND // 2,
    }


def _dispute(number: int) -> Row:
    return {"order_id": number, "kind": "dispute", "reason": "fraudulent", "at": END, "created_at": END}


def _labels(purchase: Purchase) -> list[Label]:
    account = str(purchase.buyer.id)
    links = fraud_labels(
        END,
        customer=account,
        instrument=instrument(purchase.buyer.id, purchase.device),
        mailbox=identity_rules.mailbox(purchase.buyer.email),
        device=purchase.device,
        player=None,
    )
    return [*links, Label("disputed", account, END)]


def _label(label: Label, number: int) -> Row:
    return {"kind": label.kind, "value": label.value, "since": label.since, "order_id": number}


def _sighting(value: str, customer_id: int, times: list[int]) -> Row:
    return {
        "kind": "instrument",
        "value": value,
        "customer_id": customer_id,
        "first_seen_at": times[0],
        "last_seen_at": times[1],
    }


def _entry(number: int) -> Row:
    return {"list_id": 1, "value": f"free{number}.example", "added_by": OWNER, "created_at": END}
