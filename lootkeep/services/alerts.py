"""Operations on alerts: creating and testing them, and detecting problems that only time shows."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict, replace

from lootkeep.deps import Deps
from lootkeep.domain import alerts as alerts_rules, emails as emails_rules
from lootkeep.domain.alerts import TARGET_PURPOSE, Alert
from lootkeep.kernel.clock import HOUR, MINUTE, Instant
from lootkeep.kernel.errors import existing
from lootkeep.services import receivers
from lootkeep.storage import alerts as alerts_db, emails as emails_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.goods import servers as servers_db
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.storage.webhooks import deliveries as deliveries_db

_LOOKED_FOR = {"receiver_failing", "backlog", "server_silent"}


async def create(deps: Deps, fields: dict[str, Any]) -> Alert:
    fields = _sealed(deps, alerts_rules.checked(fields, deps.webhook_rules))
    async with deps.db.write() as tx:
        await tx.wait_for("alerts")
        alerts_rules.require_room(len(await alerts_db.ROWS.find(tx)))
        now = deps.clock.now()
        return await alerts_db.add(tx, Alert(id=0, **fields, created_at=now, updated_at=now))


async def change(deps: Deps, alert_id: int, changes: dict[str, Any]) -> Alert:
    async with deps.db.write() as tx:
        alert = await _get_for_update(tx, alert_id)
        stored = asdict(alert) | {"target": target(deps, alert), "triggers": alert.trigger_names}
        fields = alerts_rules.checked(stored | changes, deps.webhook_rules)
        after = replace(alert, **_sealed(deps, fields) | {"updated_at": deps.clock.now()})
        return await alerts_db.save(tx, alert, after)


async def delete(deps: Deps, alert_id: int) -> None:
    async with deps.db.write() as tx:
        await alerts_db.remove(tx, await _get_for_update(tx, alert_id))


async def test(deps: Deps, alert_id: int) -> Alert:
    """Queues a message like any other, which counts towards the limit."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        alert = await _get_for_update(tx, alert_id)
        alerts_rules.require_heard(alert, now)
        if alert.channel == "email":
            emails_rules.require_server(deps.sends_emails)
        text = f"This is a test of the alert {alert.name}."
        await alerts_db.add_notice(tx, alert_id, f"test:{now}", text, now)
        return alert


async def look(deps: Deps) -> None:
    """Raises alerts that no operation causes: a receiver that keeps failing, work that is late, a silent server."""
    now = deps.clock.now()
    async with deps.db.read(slow=True) as tx:
        alerts = await alerts_db.ROWS.find(tx)
        if not any(_LOOKED_FOR.intersection(alert.trigger_names) for alert in alerts):
            return
        failing = await receivers.failing(tx, now)
        late = await _late_since(tx, now)
        silent = [server for server in await servers_db.ROWS.find(tx) if server.is_silent(now)]
    if not failing and late is None and not silent:
        return
    async with deps.db.write() as tx:
        for receiver in failing:
            since = receiver.failing_since or now
            minutes = (now - since) // MINUTE
            text = f"{receiver.name} has failed for {minutes} minutes: {receiver.last_answer}"
            key, path = f"webhook:{receiver.id}:{since}", f"/webhooks/{receiver.id}"
            await alerts_db.raise_notice(tx, "receiver_failing", key, text, path, now, minutes=minutes)
        if late is not None:
            minutes = (now - late) // MINUTE
            text = f"Deliveries, e-mails or payment events have waited for {minutes} minutes"
            # Repeated every hour until it is resolved.
            await alerts_db.raise_notice(tx, "backlog", f"backlog:{now // HOUR}", text, "/health", now, minutes=minutes)
        for server in silent:
            text = f"{server.name} has not asked for commands for an hour"
            key = f"server:{server.id}:{server.last_seen_at}"
            await alerts_db.raise_notice(tx, "server_silent", key, text, f"/servers/{server.id}", now)


def target(deps: Deps, alert: Alert) -> str:
    return deps.vault.open(alert.target, TARGET_PURPOSE)


async def _late_since(tx: Transaction, now: Instant) -> Instant | None:
    """Since when the oldest due delivery, e-mail or payment event has been due."""
    _, delivery = await deliveries_db.backlog(tx, now)
    email = await emails_db.QUEUE.next_due(tx)
    payment = await payment_events_db.QUEUE.next_due(tx)
    due = [time for time in (delivery, email, payment) if time is not None and time < now]
    return min(due, default=None)


async def _get_for_update(tx: Transaction, alert_id: int) -> Alert:
    return existing(await alerts_db.ROWS.lock(tx, alert_id), "Alert")


def _sealed(deps: Deps, fields: dict[str, Any]) -> dict[str, Any]:
    return fields | {"target": deps.vault.seal(fields["target"], TARGET_PURPOSE)}
