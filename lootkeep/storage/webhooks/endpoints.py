"""The configuration of webhooks."""

from __future__ import annotations

from sqlalchemy import bindparam, select, update

from lootkeep.domain.webhooks import Webhook, WebhookVersion
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import equals
from lootkeep.storage.lists import Listing, Sort
from lootkeep.storage.rows import Rows, columns_of, insertion
from lootkeep.storage.schema import webhook_versions, webhooks

_ALIVE = webhooks.c.deleted_at.is_(None)
ROWS = Rows(webhooks, Webhook, _ALIVE)

# The row stays for the deliveries that refer to it.
_REMOVE = Query(
    update(webhooks)
    .where(webhooks.c.id == bindparam("webhook"))
    .values(deleted_at=bindparam("now"), updated_at=bindparam("now"), is_active=False)
)
_RECORD = insertion(webhook_versions, "webhook_id", "since", "events", "is_active", "filter")
_VERSION_AT = Query(
    select(*columns_of(webhook_versions, WebhookVersion))
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


async def add(tx: Transaction, webhook: Webhook) -> Webhook:
    return await _record(tx, await ROWS.add(tx, webhook))


async def save(tx: Transaction, before: Webhook, after: Webhook) -> Webhook:
    tx.wake("webhooks")
    return await _record(tx, await ROWS.save(tx, before, after))


async def remove(tx: Transaction, webhook_id: int, now: Instant) -> None:
    await tx.run(_REMOVE, webhook=webhook_id, now=now)


async def version_at(tx: Transaction, webhook_id: int, moment: Instant) -> WebhookVersion | None:
    """The subscription of a webhook at that time; None if it was not recorded."""
    return await tx.one(_VERSION_AT, webhook=webhook_id, moment=moment)


async def _record(tx: Transaction, webhook: Webhook) -> Webhook:
    """From now on this is what it is subscribed to."""
    values = {"events": webhook.events, "is_active": webhook.is_active, "filter": webhook.filter}
    await tx.run(_RECORD, webhook_id=webhook.id, since=webhook.updated_at, **values)
    return webhook
