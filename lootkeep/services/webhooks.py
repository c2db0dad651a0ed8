"""Operations on webhooks: setting them up, rotating secrets, testing, and sending again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import (
    deliveries as deliveries_rules,
    signing as signing_rules,
    webhook_headers as webhook_headers_rules,
    webhooks as webhooks_rules,
)
from lootkeep.domain.deliveries import AttemptResult, Delivery
from lootkeep.domain.webhooks import (
    MAX_WEBHOOKS,
    SECRET_OVERLAP,
    SECRET_PURPOSE,
    SETTINGS,
    TEST_EVENT,
    Replay,
    Webhook,
    WebhookMode,
)
from lootkeep.kernel.clock import SECOND, Instant, iso
from lootkeep.kernel.errors import Conflict, Unprocessable, existing, invalid
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Database
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.webhooks import endpoints as endpoints_db, log as log_db, replays as replays_db


async def mode(db: Database) -> WebhookMode:
    async with db.read() as tx:
        return await settings_db.get(tx, SETTINGS, WebhookMode)


async def set_mode(deps: Deps, wanted: WebhookMode) -> None:
    if await mode(deps.db) == wanted:
        return
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await settings_db.get_for_update(tx, SETTINGS, WebhookMode, now)
        await settings_db.put(tx, SETTINGS, wanted, now)


async def create(deps: Deps, url: str, event_types: Sequence[str], **options: Any) -> tuple[Webhook, str]:
    """The webhook and its secret, which is shown only once; the options are headers and a filter."""
    fields = webhooks_rules.checked({"url": url, "events": event_types, **options}, deps.webhook_rules)
    fields = _with_sealed_headers(deps, fields, None)
    secret = deps.ids.webhook_secret()
    async with deps.db.write() as tx:
        await tx.wait_for("webhooks")
        if len(await endpoints_db.ROWS.find(tx)) >= MAX_WEBHOOKS:
            raise Unprocessable("too_many_webhooks", f"A store can have at most {MAX_WEBHOOKS} webhooks.")
        sealed = deps.vault.seal(secret, SECRET_PURPOSE)
        new = webhooks_rules.new(sealed_secret=sealed, now=deps.clock.now(), **fields)
        return await endpoints_db.add(tx, new), secret


async def change(deps: Deps, webhook_id: int, changes: dict[str, Any]) -> Webhook:
    if not changes:
        raise Unprocessable("nothing_to_change", "Send at least one of url, events, is_active, headers and filter.")
    changes = webhooks_rules.checked(changes, deps.webhook_rules)
    async with deps.db.write() as tx:
        webhook = existing(await endpoints_db.ROWS.lock(tx, webhook_id), "Webhook")
        webhook_headers_rules.require_known(webhook.url, webhook.headers, changes)
        changes = _with_sealed_headers(deps, changes, webhook)
        return await endpoints_db.save(tx, webhook, replace(webhook, **changes, updated_at=deps.clock.now()))


async def delete(deps: Deps, webhook_id: int) -> None:
    async with deps.db.write() as tx:
        existing(await endpoints_db.ROWS.lock(tx, webhook_id), "Webhook")
        await endpoints_db.remove(tx, webhook_id, deps.clock.now())


async def rotate_secret(deps: Deps, webhook_id: int) -> tuple[Webhook, str]:
    """A new secret, shown only once; the old one also signs for a while."""
    now = deps.clock.now()
    secret = deps.ids.webhook_secret()
    async with deps.db.write() as tx:
        webhook = existing(await endpoints_db.ROWS.lock(tx, webhook_id), "Webhook")
        rotated = replace(
            webhook,
            secret=deps.vault.seal(secret, SECRET_PURPOSE),
            previous_secret=webhook.secret,
            previous_secret_until=Instant(now + SECRET_OVERLAP),
            updated_at=now,
        )
        return await endpoints_db.save(tx, webhook, rotated), secret


async def test(deps: Deps, webhook_id: int) -> AttemptResult:
    """Sends a test immediately, regardless of the subscription; it is not retried."""
    async with deps.db.read() as tx:
        webhook = existing(await endpoints_db.ROWS.get(tx, webhook_id), "Webhook")
    now = deps.clock.now()
    data = msgspec.json.encode({"webhook_id": webhook.id, "message": "This is a test delivery from Lootkeep."}).decode()
    delivery_id = deps.ids.delivery_id()
    body = deliveries_rules.body(delivery_id, TEST_EVENT, iso(now), data).encode()
    return await post(deps, webhook, body, TEST_EVENT, delivery_id, now)


async def trigger(deps: Deps, event_type: str, data: msgspec.Struct) -> int:
    """Records a sample event; returns how many webhooks get it."""
    text = msgspec.json.encode(data).decode()
    async with deps.db.write() as tx:
        await outbox_db.append(tx, event_type, data, deps.clock.now())
        return sum(it.wants(event_type) and it.fits(text) for it in await endpoints_db.ROWS.find(tx))


async def redeliver(deps: Deps, public_id: str) -> Delivery:
    """Sends a delivery again now, with the same id and bytes, and with new retries."""
    async with deps.db.write() as tx:
        delivery = existing(await log_db.ROWS.lock_one(tx, public_id=public_id), "Delivery")
        webhook = await endpoints_db.ROWS.get(tx, delivery.webhook_id)
        if webhook is None or not webhook.is_active:
            raise Conflict("webhook_inactive", "The webhook of this delivery is inactive or deleted.")
        if not webhook.wants(delivery.event_type):
            raise Conflict("not_subscribed", "The webhook is no longer subscribed to the type of this delivery.")
        return await log_db.send_again(tx, delivery.id, deps.clock.now())


async def replay(deps: Deps, webhook_id: int, since: Instant, event_types: Sequence[str] | None) -> Replay:
    """Requests that recorded events are sent again; the worker does it at its own pace."""
    now = deps.clock.now()
    if since > now:
        raise invalid("since", "The since field must not be in the future.")
    async with deps.db.read(slow=True) as tx:
        webhook = existing(await endpoints_db.ROWS.get(tx, webhook_id), "Webhook")
        types = webhooks_rules.checked_replay(webhook, event_types)
        planned = await replays_db.planned(tx, webhook_id, since, types, now)
    async with deps.db.write() as tx:
        webhook = existing(await endpoints_db.ROWS.lock(tx, webhook_id), "Webhook")
        if not webhook.is_active:
            raise Conflict("webhook_inactive", "The webhook is inactive: nothing would be sent.")
        running = await replays_db.latest(tx, webhook_id)
        if running is not None and running.finished_at is None:
            raise Conflict("replay_running", "A replay of this webhook is still running.")
        return await replays_db.ROWS.add(tx, planned)


async def post(
    deps: Deps, webhook: Webhook, body: bytes, event_type: str, delivery_id: str, now: Instant
) -> AttemptResult:
    """One signed request."""
    secrets = secrets_of(deps, webhook, now)
    headers = signing_rules.headers(body, event_type, delivery_id, secrets, now // SECOND, is_test=deps.is_test)
    return await deps.outbound.post(webhook.url, body, _headers_of(deps, webhook) | headers)


def _with_sealed_headers(deps: Deps, fields: dict[str, Any], before: Webhook | None) -> dict[str, Any]:
    """The fields as they are stored; a header without a value keeps the one that it has."""
    if "headers" not in fields:
        return fields
    headers, others = fields["headers"], {name: value for name, value in fields.items() if name != "headers"}
    stored = {name.lower(): value for name, value in _headers_of(deps, before).items()} if before else {}
    values = {name: stored.get(name.lower()) if value is None else value for name, value in headers.items()}
    if None in values.values():
        raise invalid("headers", "The headers field needs a value for each new name.")
    sealed = deps.vault.seal(msgspec.json.encode(values).decode(), webhook_headers_rules.PURPOSE) if values else None
    return others | {"header_names": msgspec.json.encode([*values]).decode(), "sealed_headers": sealed}


def _headers_of(deps: Deps, webhook: Webhook) -> dict[str, str]:
    if webhook.sealed_headers is None:
        return {}
    opened = deps.vault.open(webhook.sealed_headers, webhook_headers_rules.PURPOSE)
    return msgspec.json.decode(opened, type=dict[str, str])


def secrets_of(deps: Deps, webhook: Webhook, now: Instant) -> list[str]:
    """The secrets that currently sign, the newest first."""
    secrets = [deps.vault.open(webhook.secret, SECRET_PURPOSE)]
    if webhook.previous_secret and webhook.previous_secret_until and now < webhook.previous_secret_until:
        secrets.append(deps.vault.open(webhook.previous_secret, SECRET_PURPOSE))
    return secrets
