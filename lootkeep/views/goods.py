"""Keys and goods in public: masked, except where a whole key is asked for."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Annotated

import msgspec

from lootkeep.domain.goods import Good, GoodKind, GoodState, KeyBatch, KeyStatus, ProductKey, RevokedKey
from lootkeep.domain.orders import order_number
from lootkeep.kernel.clock import iso, utc
from lootkeep.kernel.spreadsheet import plain_cell
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import optional_text, view_of

_Mask = Annotated[str, field("The key with all but its end hidden.", "••••7QK2")]


class ProductKeyView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the key.", 7)]
    masked_key: _Mask
    status: Annotated[KeyStatus, field("Whether it can be sold, or what became of it.", "assigned")]
    batch: Annotated[str | None, field("The batch it was added with.", "October")]
    order_id: Annotated[int | None, field("The order it was sold in.", 123)]
    item_id: Annotated[int | None, field("The line of that order.", 41)]
    assigned_at: Annotated[Moment | None, field("When it was sold.", "2026-11-15T10:30:00Z")]
    revealed_at: Annotated[Moment | None, field("When the buyer first looked at it.", None)]
    created_at: Time


class KeysAddedView(msgspec.Struct, frozen=True):
    added: Annotated[int, field("How many keys are new.", 46)]
    already_known: Annotated[int, field("How many were skipped: the product had them, or they came twice.", 4)]
    stock: Annotated[int, field("The stock afterwards.", 69)]


class KeyBatchView(msgspec.Struct, frozen=True):
    batch: Annotated[str | None, field("The batch; null for keys that were added without one.", "October")]
    unit_cost: Annotated[str | None, field("What one key cost, in the product's currency.", "18.00")]
    added: Annotated[int, field("All keys of the batch.", 100)]
    available: Annotated[int, field("Those that can be sold.", 26)]
    assigned: Annotated[int, field("Those that buyers have.", 72)]
    replaced: Annotated[int, field("Those that were replaced by another.", 1)]
    revoked: Annotated[int, field("Those of refunded and fraudulent orders.", 1)]
    withdrawn: Annotated[int, field("Those taken back before they were sold.", 0)]
    created_at: Time


class AssignedKeyView(msgspec.Struct, frozen=True):
    key_id: Annotated[int, field("The key.", 7)]
    order_id: Annotated[int, field("The order of the buyer who has it.", 123)]


class KeysWithdrawnView(msgspec.Struct, frozen=True):
    withdrawn: Annotated[int, field("How many were taken from the stock.", 26)]
    already_assigned: Annotated[list[AssignedKeyView], field("Those that buyers already have.", [])]


class RevealedKeyView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the key.", 7)]
    key: Annotated[str, field("The whole key.", "EMB4T-9QWXA-7LM2P")]


class ReplacedKeyView(msgspec.Struct, frozen=True):
    replaced_key_id: Annotated[int, field("The key that does not work.", 7)]
    key_id: Annotated[int, field("The key that was given instead.", 8)]


class GoodView(msgspec.Struct, frozen=True):
    item_id: Annotated[int, field("The line of the order.", 41)]
    product_id: Annotated[int, field("The product.", 9)]
    kind: Annotated[GoodKind, field("What it is.", "key")]
    state: Annotated[GoodState, field("What became of it.", "delivered")]
    masked: Annotated[str | None, field("The end of a key or of a gift card's code.", "••••7QK2")]
    delivered_at: Annotated[Moment | None, field("When it was delivered.", "2026-11-15T10:30:00Z")]
    revealed_at: Annotated[Moment | None, field("When the buyer first looked at it.", None)]
    expires_at: Annotated[Moment | None, field("When it ends; null means never.", None)]
    server: Annotated[str | None, field("The game server that gives it, if one does.", None)]
    needs_player_online: Annotated[bool, field("Whether the server gives it only while the player is online.", False)]


class OrderGoodView(GoodView, frozen=True):
    command_id: Annotated[int | None, field("The command that gives it, if one does.", None)]
    output: Annotated[str | None, field("What the server answered.", None)]


class OwnedGoodView(GoodView, frozen=True):
    order_id: Annotated[int, field("The order it was bought in.", 123)]


class HandedGoodView(GoodView, frozen=True):
    value: Annotated[
        str | None, field("The key, or the URL of the file; null unless it is delivered.", "EMB4T-9QWXA-7LM2P")
    ]


_key = view_of(ProductKeyView, ProductKey, "batch")
_handed = view_of(HandedGoodView, Good, "value")

good = view_of(OrderGoodView, Good)
owned = view_of(OwnedGoodView, Good)


def product_key(key: ProductKey, batch: str) -> ProductKeyView:
    return _key(key, batch=batch or None)


def batch(record: KeyBatch, counts: dict[str, int]) -> KeyBatchView:
    by_status = {name: counts.get(name, 0) for name in ("available", "assigned", "replaced", "revoked", "withdrawn")}
    return KeyBatchView(
        batch=record.name or None,
        unit_cost=optional_text(record.unit_cost),
        added=sum(by_status.values()),
        created_at=utc(record.created_at),
        **by_status,
    )


def supplier_file(keys: Iterable[RevokedKey]) -> bytes:
    """Revoked keys as CSV."""
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(("key", "batch", "order", "revoked_at"))
    for revoked in keys:
        ended, order_id = revoked.key.ended_at, revoked.key.order_id
        cells = (revoked.value, revoked.batch, order_number(order_id or 0), iso(ended) if ended is not None else "")
        rows.writerow([plain_cell(cell) for cell in cells])
    return file.getvalue().encode()


def handed(record: Good, value: str | None) -> HandedGoodView:
    return _handed(record, value=value)
