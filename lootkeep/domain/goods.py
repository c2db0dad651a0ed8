"""Goods: what a paid order hands over, and the keys that a store has in stock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict
from lootkeep.kernel.money import Hundredths

KeyStatus = Literal["available", "assigned", "replaced", "revoked", "withdrawn"]
GoodKind = Literal["key", "file", "command", "gift_card", "manual"]
GoodState = Literal["waiting", "delivered", "failed", "revoked", "replaced", "expired"]

# The limits of one call, and of one key.
MAX_KEYS = 10_000
MAX_KEY_LENGTH = 4_000
MAX_BATCH_NAME = 100
MAX_VALID_DAYS = 3_650
KEY_PURPOSE = "product key"
# How much of a key is shown; a short key shows less, so that most of it stays hidden.
_SHOWN = 4
_MASK = "••••"

KINDS: dict[str, GoodKind] = {
    "keys": "key",
    "file": "file",
    "command": "command",
    "gift_card": "gift_card",
    "manual": "manual",
}
_KEY_STATES: dict[KeyStatus, GoodState] = {"replaced": "replaced", "revoked": "revoked"}


class ProductKey(msgspec.Struct, frozen=True):
    """A key of a product; the key itself is sealed."""

    id: int
    product_id: int
    batch_id: int
    sealed_key: str
    last_four: str
    status: KeyStatus
    order_id: int | None
    item_id: int | None
    assigned_at: Instant | None
    revealed_at: Instant | None
    ended_at: Instant | None
    replaced_by_id: int | None
    replace_reason: str | None
    created_at: Instant

    @property
    def masked_key(self) -> str:
        return _MASK + self.last_four


class KeyBatch(msgspec.Struct, frozen=True):
    id: int
    product_id: int
    # Empty for keys without a batch.
    name: str
    unit_cost: Hundredths | None
    created_at: Instant


class RevokedKey(msgspec.Struct, frozen=True):
    """For the supplier: the whole key, and the batch it came with."""

    key: ProductKey
    value: str
    batch: str


class KeyCount(msgspec.Struct, frozen=True):
    """How many keys of a batch have a status: what the maintained totals count."""

    product_id: int
    batch_id: int
    status: KeyStatus
    quantity: int


class SealedKey(msgspec.Struct, frozen=True):
    """A key on its way into the store."""

    key_hash: str
    sealed_key: str
    last_four: str


class Good(msgspec.Struct, frozen=True):
    """One thing that an order hands over, or will."""

    order_id: int
    item_id: int
    product_id: int
    kind: GoodKind
    state: GoodState
    masked: str | None = None
    # A sealed key, or a URL; only of what is delivered.
    sealed_key: str | None = None
    url: str | None = None
    key_id: int | None = None
    delivered_at: Instant | None = None
    revealed_at: Instant | None = None
    expires_at: Instant | None = None

    @property
    def is_active(self) -> bool:
        return self.state == "delivered"


class Look(msgspec.Struct, frozen=True):
    """A buyer looked at a key, or opened a file, on the page of the order."""

    id: int
    order_id: int
    item_id: int
    key_id: int | None
    at: Instant
    ip_address: str | None
    user_agent: str | None


class OwnedCard(msgspec.Struct, frozen=True):
    """A gift card that was bought in an order."""

    order_id: int
    last_four: str
    revoked_at: Instant | None
    created_at: Instant


class LineGoods(msgspec.Struct, frozen=True):
    """A line of an order with what was handed over for it."""

    order: Order
    item: OrderItem
    keys: Sequence[ProductKey]
    cards: Sequence[OwnedCard]
    file_url: str | None


def cleaned(keys: Iterable[str]) -> list[str]:
    """Without blanks around them, each once."""
    return list(dict.fromkeys(key.strip() for key in keys))


def last_four(key: str) -> str:
    return key[-min(_SHOWN, len(key) // 2) :] if len(key) > 1 else ""


def require_keys_product(delivery_type: str) -> None:
    if delivery_type != "keys":
        raise Conflict("not_a_key_product", "Only products with the delivery type keys have keys.")


def goods_of(lines: Iterable[LineGoods], now: Instant) -> list[Good]:
    """One row for each key, gift card and other line; nothing before the payment."""
    return [good for line in lines if line.order.paid_at is not None for good in _goods(line, now)]


def _goods(line: LineGoods, now: Instant) -> Iterator[Good]:
    item = line.item
    good = Good(item.order_id, item.id, item.product_id, KINDS[item.delivery_type], _state(line.order, item, now))
    good = replace(good, delivered_at=item.delivered_at, expires_at=item.expires_at)
    for key in line.keys:
        state = _KEY_STATES.get(key.status) or _validity(item, now)
        yield replace(
            good,
            state=state,
            masked=key.masked_key,
            sealed_key=key.sealed_key if state == "delivered" else None,
            key_id=key.id,
            delivered_at=key.assigned_at,
            revealed_at=key.revealed_at,
        )
    for card in line.cards:
        card_state: GoodState = "delivered" if card.revoked_at is None else "revoked"
        yield replace(good, state=card_state, masked=_MASK + card.last_four, delivered_at=card.created_at)
    pieces = len(line.cards) + sum(key.status != "replaced" for key in line.keys)
    if pieces < item.quantity:
        # What has no row of its own: the whole line, or the pieces that still wait.
        yield replace(good, url=line.file_url if good.state == "delivered" and good.kind == "file" else None)


def _state(order: Order, item: OrderItem, now: Instant) -> GoodState:
    if order.status == "refunded":
        return "revoked"
    return _validity(item, now) if item.fulfilled_quantity == item.quantity else "waiting"


def _validity(item: OrderItem, now: Instant) -> GoodState:
    return "expired" if item.expires_at is not None and item.expires_at <= now else "delivered"
