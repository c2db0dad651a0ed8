"""The cases that `lootkeep webhooks certify` sends, created and signed like deliveries of the service."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from lootkeep.domain import deliveries as deliveries_rules, signing as signing_rules
from lootkeep.domain.receiving import TOLERANCE
from lootkeep.kernel.clock import HOUR, MINUTE, SECOND, Instant, iso
from lootkeep.kernel.ids import Ids
from lootkeep.views.order_events import ItemData, OrderData

# The largest order that a store accepts: this many lines, with names this long, of characters with four bytes.
_MAX_LINES = 100
_MAX_NAME = 255


class SignedRequest(NamedTuple):
    body: bytes
    headers: dict[str, str]


class CertifyCase(NamedTuple):
    """What is sent, whether a receiver should accept it, and what to do if it does not behave so."""

    name: str
    is_good: bool
    requests: list[SignedRequest]
    advice: str


_ADVICE = {
    "correct delivery": "Verify the raw body, before anything parses it, with the given secret, and respond with 200.",
    "duplicate": "Respond with 200 to an id that was already handled, and do nothing: any other status is retried.",
    "out of order": "Accept events in any order, and compare created_at or read the order from the API.",
    "unknown event type": "Respond with 200 to event types that you do not know: new versions may add types.",
    "large body": "Raise the limit of your framework or proxy to 1 MiB: large orders have large bodies.",
    "rotated secret": "Split webhook-signature at spaces and accept the delivery if any of its signatures matches.",
    "wrong signature": "Compute the signature with your secret, compare in constant time, and respond with 401 if "
    "it differs.",
    "no signature": "Respond with 401 if the signature header is missing: anyone can post to your URL.",
    "changed body": "Compute the signature over the exact bytes that were received, and respond with 401 if it "
    "differs.",
    "old timestamp": "Verify webhook-signature, which covers webhook-timestamp, and reject requests older than "
    f"{TOLERANCE // MINUTE} minutes: they may be replays.",
}


def cases(secret: str, ids: Ids, now: Instant) -> list[CertifyCase]:
    """In the order in which they are sent."""
    post, stranger = _Post(secret, ids, now), _Post(ids.webhook_secret(), ids, now)
    order, unsigned, changed = (post.signed("order.paid", _paid()) for _ in range(3))
    good = {
        "correct delivery": [order],
        "duplicate": [order],
        "out of order": post.backwards(),
        "unknown event type": [post.signed("wishlist.created", {"wishlist_id": 7})],
        "large body": [post.signed("order.paid", _paid(_MAX_LINES, "🐉" * _MAX_NAME))],
        "rotated secret": [post.signed("order.paid", _paid(), other_secret=ids.webhook_secret())],
    }
    bare = {name: value for name, value in unsigned.headers.items() if "signature" not in name.lower()}
    bad = {
        "wrong signature": [stranger.signed("order.paid", _paid())],
        "no signature": [SignedRequest(unsigned.body, bare)],
        "changed body": [SignedRequest(changed.body.replace(b'"59.97"', b'"09.97"'), changed.headers)],
        "old timestamp": [post.signed("order.paid", _paid(), age=HOUR)],
    }
    return [
        *(CertifyCase(name, True, requests, _ADVICE[name]) for name, requests in good.items()),
        *(CertifyCase(name, False, requests, _ADVICE[name]) for name, requests in bad.items()),
    ]


class _Post:
    """Creates deliveries like the service."""

    def __init__(self, secret: str, ids: Ids, now: Instant) -> None:
        self._now = now
        self._secret = secret
        self._ids = ids

    def signed(
        self, event_type: str, data: object, *, age: int = 0, created_before: int = 0, other_secret: str | None = None
    ) -> SignedRequest:
        """`age` is how long ago it was signed, `made` how long ago the event happened."""
        delivery_id = self._ids.delivery_id()
        text = msgspec.json.encode(data).decode()
        body = deliveries_rules.body(
            delivery_id, event_type, iso(Instant(self._now - age - created_before)), text
        ).encode()
        secrets = [self._secret, other_secret] if other_secret else [self._secret]
        return SignedRequest(
            body, signing_rules.headers(body, event_type, delivery_id, secrets, (self._now - age) // SECOND)
        )

    def backwards(self) -> list[SignedRequest]:
        """One order's refund, payment and creation: the latest arrives first."""
        order = msgspec.structs.asdict(_paid())
        created = order | {"status": "pending", "created_at": iso(Instant(self._now - 2 * MINUTE))}
        refund = order | {
            "status": "refunded",
            "refund_id": 3,
            "refund_amount": "59.97",
            "refunded_total": "59.97",
            "is_partial": False,
            "reason": None,
            "refunded_at": iso(self._now),
        }
        return [
            self.signed("order.refunded", refund),
            self.signed("order.paid", _paid(), created_before=MINUTE),
            self.signed("order.created", created, created_before=2 * MINUTE),
        ]


def _paid(lines: int = 1, name: str = "Dragon Sword") -> OrderData:
    return OrderData(
        order_id=123,
        order_number="ORD-000123",
        customer_email="mira@example.com",
        customer_name="Mira Okafor",
        total="59.97",
        currency="USD",
        status="paid",
        items=[ItemData(product_id=12, product_name=name, quantity=3, price="19.99")] * lines,
    )
