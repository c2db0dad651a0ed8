"""Webhooks: how each receiver does, what it was sent, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from lootkeep.console import diagnosis, lists
from lootkeep.console.formats import Formats, plural
from lootkeep.console.labels import label
from lootkeep.console.lists import Choice, Column, ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, change, lock, url
from lootkeep.console.receivers import answer_of
from lootkeep.domain.analytics import zone
from lootkeep.domain.deliveries import Attempt, Delivery, DeliveryStatus
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.domain.webhooks import Webhook
from lootkeep.kernel.clock import DAY, Instant, instant, iso
from lootkeep.kernel.errors import existing, invalid
from lootkeep.services import webhooks as webhooks_service
from lootkeep.storage import order_events
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.webhooks import endpoints, health, log, replays


@dataclass(frozen=True, slots=True)
class Row:
    """A webhook with its last hour."""

    webhook: Webhook
    receiver: health.Receiver

    @property
    def state(self) -> str:
        if not self.webhook.is_active:
            return "off"
        return "failing" if self.receiver.is_failing else "active"


@dataclass(frozen=True, slots=True)
class Sent:
    """A delivery with its last attempt."""

    delivery: Delivery
    attempt: Attempt | None

    @property
    def answer(self) -> str:
        return answer_of(self.attempt) if self.attempt else label(self.delivery.status)

    @property
    def tone(self) -> str:
        if self.delivery.status == "delivered":
            return "ok"
        return "bad" if self.delivery.status == "failed" or self.delivery.failures else "quiet"

    @property
    def last_at(self) -> Instant:
        return self.attempt.started_at if self.attempt else self.delivery.created_at


async def _load_sent(tx: Transaction, deliveries: Sequence[Delivery]) -> list[Sent]:
    attempts = await order_events.last_attempts(tx, deliveries)
    return [Sent(delivery, attempts.get(delivery.id)) for delivery in deliveries]


DELIVERIES = ListPage(
    log.LISTING,
    columns=(
        Column("Event", lambda sent: sent.delivery.event_type),
        Column("Status", lambda sent: label(sent.delivery.status)),
        Column("Answer", lambda sent: sent.answer),
        Column("Took", lambda sent: sent.attempt.latency_ms if sent.attempt else None, is_number=True),
        Column("Attempts", lambda sent: sent.delivery.attempts_count, is_number=True),
        Column("Recorded", lambda sent: iso(sent.delivery.created_at), "created_at", is_number=True),
        Column("Last attempt", lambda sent: iso(sent.last_at), is_number=True),
    ),
    empty="What is sent appears here, as soon as one of its events happens. Send a test to try the receiver now.",
    file="deliveries",
    choices=(
        Choice("status", "Status", {name: label(name) for name in get_args(DeliveryStatus)}, is_open=True),
        Choice("event_type", "Event", {name: name for name in EVENT_TYPES}),
    ),
    load=_load_sent,
)


async def list_webhooks(visit: Visit) -> Answer:
    async def load(tx: Transaction, webhooks: Sequence[Webhook]) -> list[Row]:
        receivers = await health.receivers(tx, webhooks, visit.now)
        return [Row(*pair) for pair in zip(webhooks, receivers, strict=True)]

    spec = ListPage(
        endpoints.LISTING,
        columns=(
            Column("Receiver", lambda row: row.webhook.url, "url"),
            Column("State", lambda row: label(row.state)),
            Column("Last 60 minutes", lambda row: row.receiver.delivered),
            Column("p95", lambda row: row.receiver.p95_ms, is_number=True),
            Column("Waiting", lambda row: row.receiver.waiting, is_number=True),
            Column("Events", lambda row: " ".join(row.webhook.event_types), is_number=True),
        ),
        empty="A webhook sends the store's events to a bot or another system. Create the first one.",
        file="webhooks",
        choices=(
            Choice("is_active", "State", {"yes": "Active", "no": "Off"}, lambda value: value == "yes", is_open=True),
        ),
        has_dates=False,
        load=load,
    )
    return await lists.show(visit, spec)


async def show_webhook(visit: Visit) -> Answer:
    formats = Formats(visit.options.timezone, visit.deps.currency)
    async with visit.deps.db.read() as tx:
        webhook = await _get(tx, visit)
        (receiver,) = await health.receivers(tx, [webhook], visit.now)
        failures, has_worked = await health.failures(tx, webhook.id)
        given_up = diagnosis.first_given_up(await health.first_due(tx, webhook.id), visit.options.retry_delays)
        replay = await replays.latest(tx, webhook.id)
    listed = await lists.show(visit, DELIVERIES, webhook_id=webhook.id)
    if not isinstance(listed, dict):
        return listed
    verdict = diagnosis.diagnose(webhook, receiver, failures, formats, has_worked=has_worked, given_up=given_up)
    most = len(visit.options.retry_delays) + 1
    shown = {"row": Row(webhook, receiver), "diagnosis": verdict, "replay": replay, "max_attempts": most}
    return listed | shown | {"title": receiver.name}


async def show_form(visit: Visit) -> Answer:
    """To create a webhook, or to change the one of the path."""
    webhook = None
    if "id" in visit.request.path_params:
        async with visit.deps.db.read() as tx:
            webhook = await _get(tx, visit)
    chosen = visit.form["events"].split("\n") if visit.form.get("events") else webhook.event_types if webhook else []
    return {"webhook": webhook, "event_types": EVENT_TYPES, "chosen": [] if visit.errors.get("events") else chosen}


async def create(visit: Visit) -> Answer:
    webhook, secret = await webhooks_service.create(visit.deps, visit.form.get("url", "").strip(), _events(visit))
    return _with_secret(webhook, secret, "The webhook is created.", None)


async def edit(visit: Visit) -> Answer:
    before = await lock(visit, endpoints.get_for_update, "Webhook")
    changes = {"url": visit.form.get("url", "").strip(), "events": _events(visit)}
    is_active = visit.form.get("is_active") == "yes"
    after = await webhooks_service.change(visit.deps, visit.id, changes | {"is_active": is_active})
    return Done(_url(after), "Saved.", f"webhook:{after.id}", _audited(before), _audited(after))


async def delete(visit: Visit) -> Answer:
    before = await lock(visit, endpoints.get_for_update, "Webhook")
    await webhooks_service.delete(visit.deps, visit.id)
    return Done(url("/webhooks"), f"{health.name(before.url)} is deleted.", f"webhook:{before.id}", _audited(before))


async def rotate(visit: Visit) -> Answer:
    before = await lock(visit, endpoints.get_for_update, "Webhook")
    webhook, secret = await webhooks_service.rotate_secret(visit.deps, visit.id)
    return _with_secret(webhook, secret, "The secret is rotated. The old one goes on signing for 24 hours.", before)


async def test(visit: Visit) -> Answer:
    result = await webhooks_service.test(visit.deps, visit.id)
    answer = result.reason or f"answered {result.response_code}"
    message = f"Test {'delivered' if result.is_delivered else 'failed'}: {answer}, in {result.latency_ms} ms."
    return Done(url(f"/webhooks/{visit.id}"), message, f"webhook:{visit.id}", after={"test": answer})


async def show_replay(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        webhook = await _get(tx, visit)
    formats = Formats(visit.options.timezone, visit.deps.currency)
    since = f"{formats.local(Instant(visit.now - DAY)):%Y-%m-%dT%H:%M}"
    chosen = visit.form["events"].split("\n") if visit.form.get("events") else webhook.event_types
    return {"webhook": webhook, "name": health.name(webhook.url), "since": since, "chosen": chosen}


async def replay(visit: Visit) -> Answer:
    started = await webhooks_service.replay(visit.deps, visit.id, _since(visit), _events(visit))
    message = f"{plural(started.total, 'event')} will be sent again, in order."
    after = {"since": iso(started.since), "event_types": started.event_types}
    return Done(url(f"/webhooks/{visit.id}"), message, f"webhook:{visit.id}", after=after)


async def show_delivery(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        delivery = existing(await log.get(tx, visit.request.path_params["delivery_id"]), "Delivery")
        attempts = await log.attempts_of(tx, delivery.id)
        webhook = await endpoints.get(tx, delivery.webhook_id)
        event = existing(await order_events.get(tx, delivery.event_id), "Event")
    return {
        "delivery": delivery,
        "attempts": [(attempt, answer_of(attempt)) for attempt in reversed(attempts)],
        "webhook": webhook,
        "receiver": health.name(webhook.url) if webhook else "A webhook that was deleted",
        "event": event,
        "max_attempts": len(visit.options.retry_delays) + 1,
        "title": delivery.event_type,
    }


async def send_again(visit: Visit) -> Answer:
    public_id = visit.request.path_params["delivery_id"]
    delivery = await webhooks_service.redeliver(visit.deps, public_id)
    message = f"{delivery.event_type} is sent again now."
    return Done(url(f"/deliveries/{public_id}"), message, f"delivery:{public_id}", after={"status": delivery.status})


def _events(visit: Visit) -> list[str]:
    chosen = [name for name in visit.form.get("events", "").split("\n") if name]
    if not chosen:
        raise invalid("events", "Choose at least one event.")
    return chosen


def _since(visit: Visit) -> Instant:
    try:
        local = datetime.fromisoformat(visit.form.get("since", ""))
    except ValueError:
        raise invalid("since", "Enter a date and a time, such as 2026-11-15 14:00.") from None
    return instant(local.replace(tzinfo=zone(visit.options.timezone)))


def _with_secret(webhook: Webhook, secret: str, sentence: str, before: Webhook | None) -> Done:
    """The page that shows a secret, once."""
    name, back = health.name(webhook.url), _url(webhook)
    advice = "The receiver checks the signature of every delivery with it."
    shown = {"title": name, "sentence": f"{sentence} {advice}", "secret": secret, "back": back}
    changes = (_audited(before), _audited(webhook)) if before else ({}, _audited(webhook))
    return Done(back, "", f"webhook:{webhook.id}", *changes, shown=shown)


async def _get(tx: Transaction, visit: Visit) -> Webhook:
    return existing(await endpoints.get(tx, visit.id), "Webhook")


def _audited(webhook: Webhook) -> dict[str, object]:
    rotated = webhook.previous_secret_until
    return {
        "url": webhook.url,
        "events": webhook.event_types,
        "is_active": webhook.is_active,
        "previous_secret_until": iso(rotated) if rotated else None,
    }


def _url(webhook: Webhook) -> str:
    return url(f"/webhooks/{webhook.id}")


_FORM = ("webhook_form.html", show_form)
_REPLAY = ("replay.html", show_replay)
_GONE = "It receives nothing more, and what waits to be sent to it is cancelled."
_DELIVERY = "/deliveries/{delivery_id}"

PAGES = (
    Page("GET", "/webhooks", "read_only", "Webhooks", list_webhooks, "webhooks.html", group="Connect"),
    Page("GET", "/webhooks/new", "staff", "Create a webhook", show_form, "webhook_form.html"),
    change("/webhooks/new", "Create a webhook", create, _FORM),
    Page("GET", "/webhooks/{id}", "read_only", "Webhook", show_webhook, "webhook.html"),
    Page("GET", "/webhooks/{id}/edit", "staff", "Change a webhook", show_form, "webhook_form.html"),
    change("/webhooks/{id}/edit", "Change a webhook", edit, _FORM),
    change("/webhooks/{id}/delete", "Delete webhook", delete, confirm=_GONE),
    Page("GET", "/webhooks/{id}/secret", "staff", "Rotate secret", show_form, "rotate.html"),
    change("/webhooks/{id}/secret", "Rotate secret", rotate),
    change("/webhooks/{id}/test", "Send a test", test, is_foreign=True),
    Page("GET", "/webhooks/{id}/replay", "staff", "Replay events", show_replay, "replay.html"),
    change("/webhooks/{id}/replay", "Replay events", replay, _REPLAY),
    Page("GET", _DELIVERY, "read_only", "Delivery", show_delivery, "delivery.html", under="/webhooks"),
    change(f"{_DELIVERY}/send-again", "Send a delivery again", send_again),
)
