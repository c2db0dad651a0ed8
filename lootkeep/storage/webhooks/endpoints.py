"""The configuration of webhooks."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, insert, select, update

from lootkeep.domain.webhooks import Webhook, WebhookVersion
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.lists import Listing, Sort, equals
from lootkeep.storage.schema import webhook_versions, webhooks

_WEBHOOK = [webhooks.c[name] for name in Webhook.__struct_fields__]
_ALIVE = webhooks.c.deleted_at.is_(None)
_THIS = (webhooks.c.id == bindparam("webhook"), _ALIVE)
_SET_VALUES: dict[str, Any] = {
    name: bindparam(name)
    for name in ("url", "events", "is_active", "secret", "previous_secret", "previous_secret_until")
}

_ALL = Query(select(*_WEBHOOK).where(_ALIVE).order_by(webhooks.c.id), Webhook)
_GET = Query(select(*_WEBHOOK).where(*_THIS), Webhook)
_LOCK = Query(select(*_WEBHOOK).where(*_THIS).with_for_update(), Webhook)
_ADD = Query(
    insert(webhooks)
    .values(
        url=bindparam("url"),
        events=bindparam("events"),
        is_active=True,
        secret=bindparam("secret"),
        created_at=bindparam("now"),
        updated_at=bindparam("now"),
    )
    .returning(*_WEBHOOK),
    Webhook,
)
_SET = Query(
    update(webhooks).where(*_THIS).values(**_SET_VALUES, updated_at=bindparam("now")).returning(*_WEBHOOK), Webhook
)
_REMOVE = Query(
    update(webhooks)
    .where(*_THIS)
    .values(deleted_at=bindparam("now"), updated_at=bindparam("now"), is_active=False)
    .returning(webhooks.c.id)
)
_RECORD = Query(
    insert(webhook_versions)
    .values(
        webhook_id=bindparam("webhook"),
        since=bindparam("now"),
        events=bindparam("events"),
        is_active=bindparam("is_active"),
    )
    .inline()
)
_VERSION_AT = Query(
    select(webhook_versions.c.events, webhook_versions.c.is_active)
    .where(webhook_versions.c.webhook_id == bindparam("webhook"), webhook_versions.c.since <= bindparam("moment"))
    .order_by(webhook_versions.c.since.desc(), webhook_versions.c.id.desc())
    .limit(1),
    WebhookVersion,
)

LISTING = Listing(
    webhooks,
    Webhook,
    {"is_active": equals(webhooks.c.is_active, "is_active", None)},
    {"created_at": Sort(webhooks.c.id), "url": Sort(webhooks.c.url)},
    always=(_ALIVE,),
)


async def all_webhooks(tx: Transaction) -> list[Webhook]:
    return await tx.all(_ALL)


async def get(tx: Transaction, webhook_id: int) -> Webhook | None:
    return await tx.one(_GET, webhook=webhook_id)


async def get_for_update(tx: Transaction, webhook_id: int) -> Webhook | None:
    return await tx.one(_LOCK, webhook=webhook_id)


async def add(tx: Transaction, url: str, events: str, secret: str, now: Instant) -> Webhook:
    (webhook,) = await tx.all(_ADD, url=url, events=events, secret=secret, now=now)
    await _record(tx, webhook, now)
    return webhook


async def save(tx: Transaction, webhook: Webhook, now: Instant) -> Webhook:
    values = {name: getattr(webhook, name) for name in _SET_VALUES}
    (saved,) = await tx.all(_SET, webhook=webhook.id, now=now, **values)
    await _record(tx, saved, now)
    return saved


async def remove(tx: Transaction, webhook_id: int, now: Instant) -> bool:
    """False if there is none. The row stays for the deliveries that refer to it."""
    return await tx.one(_REMOVE, webhook=webhook_id, now=now) is not None


async def version_at(tx: Transaction, webhook_id: int, moment: Instant) -> WebhookVersion | None:
    """The subscription of a webhook at that time; None if it was not recorded."""
    return await tx.one(_VERSION_AT, webhook=webhook_id, moment=moment)


async def _record(tx: Transaction, webhook: Webhook, now: Instant) -> None:
    await tx.run(_RECORD, webhook=webhook.id, now=now, events=webhook.events, is_active=webhook.is_active)
