"""Identifies the key that sealed the stored secrets: by its fingerprint, or by sample seals in an older database."""

from __future__ import annotations

import msgspec
from sqlalchemy import select

from lootkeep.kernel.clock import Instant
from lootkeep.storage import settings
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import gift_cards, mails, product_keys, webhooks

_SETTINGS = "secret_key"
_NEWEST_SEALS = {
    table.name: Query(select(table.c[column]).order_by(table.c.id.desc()).limit(1))
    for table, column in (
        (webhooks, "secret"),
        (gift_cards, "sealed_code"),
        (mails, "body"),
        (product_keys, "sealed_key"),
    )
}


class KeyMark(msgspec.Struct, frozen=True):
    """Empty in a database that was never started with a key."""

    fingerprint: str = ""


async def fingerprint(tx: Transaction) -> str:
    return (await settings.get(tx, _SETTINGS, KeyMark)).fingerprint


async def set_fingerprint(tx: Transaction, value: str, now: Instant) -> str:
    """Sets it unless another process was first; returns the current one."""
    mark = await settings.get_for_update(tx, _SETTINGS, KeyMark, now)
    if mark.fingerprint:
        return mark.fingerprint
    await settings.put(tx, _SETTINGS, KeyMark(value), now)
    return value


async def newest_seals(tx: Transaction) -> dict[str, str]:
    """The newest sealed value of each table that has any."""
    return {name: sealed for name, query in _NEWEST_SEALS.items() for (sealed,) in await tx.all(query)}
