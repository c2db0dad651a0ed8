"""Goods: what a paid order hands over, and the keys that a store has in stock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from lootkeep.domain.commands import DELIVERING, Command, first_sent
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order
from lootkeep.domain.players import Player
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict
from lootkeep.kernel.money import Hundredths

KeyStatus = Literal["available", "assigned", "replaced", "revoked", "withdrawn"]
GoodKind = Literal["key", "file", "command", "gift_card", "manual"]
GoodState = Literal["waiting", "delivered", "failed", "revoked", "replaced", "expired"]
# What a good is the row of: a key, a gift card, a command with its repeats, or a line, or what is left of it.
PieceKind = Literal["key", "gift_card", "command", "line"]
Piece = tuple[PieceKind, int]

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
    piece: Piece
    masked: str | None = None
    # A sealed key, or a URL; only of what is delivered.
    sealed_key: str | None = None
    url: str | None = None
    key_id: int | None = None
    # Why a key was replaced.
    reason: str | None = None
    delivered_at: Instant | None = None
    revealed_at: Instant | None = None
    # When the store first read what the line had delivered.
    handed_at: Instant | None = None
    expires_at: Instant | None = None
    # The server that gives it, and the command: the first that was done, else the newest repeat.
    server: str | None = None
    command: Command | None = None
    # The newest repeat of a command that was done.
    repeat: Command | None = None

    @property
    def command_id(self) -> int | None:
        return self.command.id if self.command else None

    @property
    def acknowledged_at(self) -> Instant | None:
        """When the server reported that the command was done; staff may have declared it delivered without that."""
        return self.command.finished_at if self.command and self.command.status == "done" else None

    @property
    def output(self) -> str | None:
        return self.command.reason if self.command else None

    @property
    def player(self) -> Player | None:
        return self.command.player if self.command else None

    @property
    def needs_player_online(self) -> bool:
        return self.command is not None and self.command.needs_player_online


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

    id: int
    order_id: int
    last_four: str
    revoked_at: Instant | None
    expires_at: Instant | None
    created_at: Instant


class ServerCommand(msgspec.Struct, frozen=True):
    """A command, and the name of its server."""

    command: Command
    server: str


class LineGoods(msgspec.Struct, frozen=True):
    """A line of an order with what was handed over for it."""

    order: Order
    item: OrderItem
    keys: Sequence[ProductKey]
    cards: Sequence[OwnedCard]
    commands: Sequence[ServerCommand]
    file_url: str | None
    # When the subscription ends that the order is a period of.
    subscription_ends_at: Instant | None

    @property
    def expires_at(self) -> Instant | None:
        """A server takes back what a subscription gave; keys, files and cards stay the buyer's."""
        is_taken_back = self.item.delivery_type == "command" and self.subscription_ends_at is not None
        return self.subscription_ends_at if is_taken_back else self.item.expires_at


def looks_by_good(looks: Iterable[Look]) -> dict[tuple[int, int | None], list[Look]]:
    """By line and key: a good without a look has none."""
    by_good: dict[tuple[int, int | None], list[Look]] = defaultdict(list)
    for look in looks:
        by_good[look.item_id, look.key_id].append(look)
    return by_good


def cleaned(keys: Iterable[str]) -> list[str]:
    """Without blanks around them, each once."""
    return list(dict.fromkeys(key.strip() for key in keys))


def last_four(key: str) -> str:
    return key[-min(_SHOWN, len(key) // 2) :] if len(key) > 1 else ""


def require_keys_product(delivery_type: str) -> None:
    if delivery_type != "keys":
        raise Conflict("not_a_key_product", "Only products with the delivery type keys have keys.")


def goods_of(lines: Iterable[LineGoods], now: Instant) -> list[Good]:
    """One row for each key, gift card, command and other line; nothing before the payment."""
    return [good for line in lines if line.order.paid_at is not None for good in _goods(line, now)]


def _goods(line: LineGoods, now: Instant) -> Iterator[Good]:
    item = line.item
    kind, state = KINDS[item.delivery_type], _state(line, now)
    good = Good(item.order_id, item.id, item.product_id, kind, state, ("line", item.id))
    good = replace(good, delivered_at=item.delivered_at, handed_at=item.handed_at, expires_at=line.expires_at)
    for key in line.keys:
        # A key that came later, to wait for or to replace another, was not there yet.
        was_there = key.assigned_at is not None and item.handed_at is not None and key.assigned_at <= item.handed_at
        state = _KEY_STATES.get(key.status) or _validity(item.expires_at, now)
        yield replace(
            good,
            state=state,
            piece=("key", key.id),
            masked=key.masked_key,
            sealed_key=key.sealed_key if state == "delivered" else None,
            key_id=key.id,
            reason=key.replace_reason,
            delivered_at=key.assigned_at,
            revealed_at=key.revealed_at,
            handed_at=item.handed_at if was_there else None,
        )
    for card in line.cards:
        state = "revoked" if card.revoked_at is not None else _validity(card.expires_at, now)
        times = {"delivered_at": card.created_at, "expires_at": card.expires_at}
        yield replace(good, state=state, piece=("gift_card", card.id), masked=_MASK + card.last_four, **times)
    commands = list(_commands(line, good, now))
    yield from commands
    pieces = len(line.cards) + sum(key.status != "replaced" for key in line.keys)
    if pieces < item.quantity and not commands:
        # What has no row of its own: the whole line, or the pieces that still wait.
        yield replace(good, url=line.file_url if good.state == "delivered" and good.kind == "file" else None)


def _commands(line: LineGoods, good: Good, now: Instant) -> Iterator[Good]:
    """One row for each command that hands over; its repeats are part of it."""
    sent: dict[int, list[ServerCommand]] = {}
    delivering = [it for it in line.commands if it.command.cause in DELIVERING]
    first = first_sent(it.command for it in delivering)
    for it in delivering:
        sent.setdefault(first[it.command.id], []).append(it)
    for first_id, repeats in sent.items():
        newest = repeats[-1].command
        done = next((it.command for it in repeats if it.command.status == "done"), None)
        state = good.state
        if state == "waiting":
            # The line is not whole: another command of it is missing, or this one.
            state = _validity(line.expires_at, now) if done else "waiting" if newest.is_open else "failed"
        yield replace(
            good,
            state=state,
            piece=("command", first_id),
            delivered_at=done.finished_at if done else good.delivered_at,
            server=repeats[0].server,
            command=done or newest,
            repeat=newest if done and newest is not done else None,
        )


def _state(line: LineGoods, now: Instant) -> GoodState:
    if line.order.status == "refunded":
        return "revoked"
    is_whole = line.item.fulfilled_quantity == line.item.quantity
    return _validity(line.expires_at, now) if is_whole else "waiting"


def _validity(expires_at: Instant | None, now: Instant) -> GoodState:
    return "expired" if expires_at is not None and expires_at <= now else "delivered"
