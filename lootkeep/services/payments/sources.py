"""Operations on payment sources: adding them, and rotating their secrets."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import access as access_rules
from lootkeep.domain.payments import sources as sources_rules
from lootkeep.domain.payments.sources import SECRET_OVERLAP, SECRET_PURPOSE, TEST_SLUG, PaymentSource, Provider
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import existing
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.payments import events as payment_events_db


async def create(deps: Deps, provider: Provider, name: str, secret: str, *, is_test: bool = False) -> PaymentSource:
    access_rules.check_name(name)
    sources_rules.check_secret(provider, secret)
    now = deps.clock.now()
    slug = (TEST_SLUG if deps.is_test else "") + deps.ids.secret()
    sealed = deps.vault.seal(secret, SECRET_PURPOSE)
    async with deps.db.write() as tx:
        await tx.wait_for("payment sources")
        sources_rules.require_room(len(await payment_events_db.SOURCES.find(tx)))
        source = PaymentSource(0, provider, name, slug, sealed, now, now, is_test=is_test)
        return await payment_events_db.SOURCES.add(tx, source)


async def change(deps: Deps, source_id: int, changes: dict[str, Any]) -> PaymentSource:
    """A new secret counts at once; the old one also counts for a while."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        before = await _lock(tx, source_id)
        access_rules.check_name(changes.get("name", before.name))
        if secret := changes.pop("secret", None):
            changes |= _rotated(deps, before, secret, now)
        after = replace(before, **changes)
        return (
            before
            if after == before
            else await payment_events_db.SOURCES.save(tx, before, replace(after, updated_at=now))
        )


async def delete(deps: Deps, source_id: int) -> None:
    """Its events stay, and those that wait are still applied."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        source = await _lock(tx, source_id)
        await payment_events_db.SOURCES.save(tx, source, replace(source, deleted_at=now, updated_at=now))


def _rotated(deps: Deps, source: PaymentSource, secret: str, now: Instant) -> dict[str, Any]:
    sources_rules.check_secret(source.provider, secret)
    if deps.vault.open(source.secret, SECRET_PURPOSE) == secret:
        return {}
    until = Instant(now + SECRET_OVERLAP)
    sealed = deps.vault.seal(secret, SECRET_PURPOSE)
    return {"secret": sealed, "previous_secret": source.secret, "previous_secret_until": until}


async def _lock(tx: Transaction, source_id: int) -> PaymentSource:
    return existing(await payment_events_db.SOURCES.lock(tx, source_id), "Payment source")
