"""Webhooks: how each receiver does, what it was sent, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, CODE, COUNT, LABEL, NAME, Column
from lootkeep.console.forms import Field
from lootkeep.console.labels import options
from lootkeep.console.lists import Choice, Link, ListPage, is_yes
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.console.records import Record
from lootkeep.domain.deliveries import DeliveryStatus
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.domain.receivers import Receiver, diagnose, first_given_up
from lootkeep.domain.webhooks import Webhook
from lootkeep.kernel.clock import DAY, Instant, iso
from lootkeep.kernel.errors import existing
from lootkeep.kernel.wording import plural
from lootkeep.services import webhooks as webhooks_service
from lootkeep.services.sendings import answer_of, last_sent
from lootkeep.storage import order_events
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.webhooks import endpoints, health, log, replays


@dataclass(frozen=True, slots=True)
class Row:
    """A webhook with its last hour."""

    webhook: Webhook
    receiver: Receiver

    @property
    def state(self) -> str:
        if not self.webhook.is_active:
            return "off"
        return "failing" if self.receiver.is_failing else "active"

    @property
    def events(self) -> str:
        return " ".join(self.webhook.event_types)


async def _load_rows(visit: Visit, tx: Transaction, webhooks: Sequence[Webhook]) -> list[Row]:
    receivers = await health.receivers(tx, webhooks, visit.now)
    return [Row(*pair) for pair in zip(webhooks, receivers, strict=True)]


WEBHOOKS = ListPage(
    listing=endpoints.LISTING,
    columns=(
        Column("Receiver", "webhook.url", NAME, "url"),
        Column("State", "state", LABEL),
        Column("Last 60 minutes", "receiver.delivered"),
        Column("p95", "receiver.p95_ms", COUNT),
        Column("Waiting", "receiver.waiting", COUNT),
        Column("Events", "events", COUNT),
    ),
    text="Where the store’s events are sent.",
    links=(Link("/webhooks/new", "Create a webhook"),),
    empty="A webhook sends the store's events to a bot or another system. Create the first one.",
    file="webhooks",
    choices=(Choice("is_active", "State", {"yes": "Active", "no": "Off"}, is_yes, is_open=True),),
    has_dates=False,
    load=_load_rows,
)
DELIVERIES = ListPage(
    listing=log.LISTING,
    columns=(
        Column("Event", "delivery.event_type", CODE),
        Column("Status", "delivery.status", LABEL),
        Column("Answer", "answer", NAME),
        Column("Took", "took", COUNT),
        Column("Attempts", "delivery.attempts_count", COUNT),
        Column("Recorded", "delivery.created_at", AGO, "created_at"),
        Column("Last attempt", "last_at", AGO),
    ),
    empty="What is sent appears here, as soon as one of its events happens. Send a test to try the receiver now.",
    file="deliveries",
    choices=(
        Choice("status", "Status", options(DeliveryStatus), is_open=True),
        Choice("event_type", "Event", {name: name for name in EVENT_TYPES}),
    ),
    load=lambda _, tx, deliveries: last_sent(tx, deliveries),
)
WEBHOOK = Record(
    "Webhook",
    "/webhooks/{id}",
    endpoints.get,
    endpoints.get_for_update,
    ("url", "event_types", "is_active", "previous_secret_until"),
)
_OFF = "Nothing is sent while it is off, and what happens meanwhile is not sent later."
_URL = Field(
    "url",
    "Address",
    forms.text(2048, "url"),
    "An https address that can be reached from the internet.",
    is_required=True,
    placeholder="https://shop.example/hooks/lootkeep",
)
_NO_EVENT = "Choose at least one event."
NEW = (_URL, Field("events", "Events", forms.several(EVENT_TYPES, _NO_EVENT)))
EDIT = (*NEW, Field("is_active", "Active", forms.switch(), _OFF))


async def show_webhook(visit: Visit) -> Answer:
    webhook = await WEBHOOK.get(visit)
    async with visit.deps.db.read() as tx:
        (receiver,) = await health.receivers(tx, [webhook], visit.now)
        failures, has_worked = await health.failures(tx, webhook.id)
        given_up = first_given_up(await health.first_due(tx, webhook.id), visit.options.retry_delays)
        replay = await replays.latest(tx, webhook.id)
    listed = await lists.show(visit, DELIVERIES, webhook_id=webhook.id)
    if not isinstance(listed, dict):
        return listed
    time = visit.formats.time
    verdict = diagnose(webhook, receiver, failures, time, has_worked=has_worked, given_up=given_up)
    shown = {"row": Row(webhook, receiver), "diagnosis": verdict, "replay": replay, "title": receiver.name}
    return listed | shown | {"max_attempts": len(visit.options.retry_delays) + 1}


async def show_new(visit: Visit) -> Answer:
    text = "Its secret is shown once, after it is created."
    return forms.show(visit, NEW, None, title="Create a webhook", text=text, submit="Create", back="/webhooks")


async def show_edit(visit: Visit) -> Answer:
    webhook = await WEBHOOK.get(visit)
    page = {"title": "Edit the webhook", "text": webhook.url, "back": f"/webhooks/{webhook.id}"}
    return forms.show(visit, EDIT, webhook, **page, webhook=webhook)


async def show_secret(visit: Visit) -> Answer:
    return {"webhook": await WEBHOOK.get(visit)}


async def create(visit: Visit) -> Answer:
    values = forms.read(visit, NEW)
    webhook, secret = await webhooks_service.create(visit.deps, values["url"], values["events"])
    return _with_secret(webhook, secret, "The webhook is created.", None)


async def edit(visit: Visit) -> Answer:
    before = await WEBHOOK.lock(visit)
    after = await webhooks_service.change(visit.deps, visit.id, forms.read(visit, EDIT))
    return WEBHOOK.done("Saved.", before, after)


async def delete(visit: Visit) -> Answer:
    before = await WEBHOOK.lock(visit)
    await webhooks_service.delete(visit.deps, visit.id)
    return WEBHOOK.done(f"{health.name(before.url)} is deleted.", before, None)


async def rotate(visit: Visit) -> Answer:
    before = await WEBHOOK.lock(visit)
    webhook, secret = await webhooks_service.rotate_secret(visit.deps, visit.id)
    return _with_secret(webhook, secret, "The secret is rotated. The old one goes on signing for 24 hours.", before)


async def test(visit: Visit) -> Answer:
    result = await webhooks_service.test(visit.deps, visit.id)
    answer = result.reason or f"answered {result.response_code}"
    message = f"Test {'delivered' if result.is_delivered else 'failed'}: {answer}, in {result.latency_ms} ms."
    return Done(url(f"/webhooks/{visit.id}"), message, WEBHOOK.key(visit.id), after={"test": answer})


def _replay(webhook: Webhook) -> tuple[Field, Field]:
    """The form for a webhook: it can be sent what it is subscribed to."""
    since = "In the store’s zone. Everything that was recorded from then on."
    events = forms.several(dict.fromkeys(webhook.event_types, ""), _NO_EVENT)
    return Field("since", "Since", forms.time(), since, is_required=True), Field("events", "Events", events)


async def show_replay(visit: Visit) -> Answer:
    webhook = await WEBHOOK.get(visit)
    text = (
        f"To {health.name(webhook.url)}, in order. A delivery that was made before has the same id and the same bytes, "
        "so that the receiver can recognise it."
    )
    fields = _replay(webhook)
    shown = {"since": Instant(visit.now - DAY), "events": webhook.events}
    values = {field.name: field.write(shown[field.name], visit.options.timezone) for field in fields}
    page = {"title": "Replay events", "text": text, "submit": "Send again", "back": f"/webhooks/{webhook.id}"}
    return forms.show(visit, fields, None, **page, values=values)


async def replay(visit: Visit) -> Answer:
    values = forms.read(visit, _replay(await WEBHOOK.get(visit)))
    started = await webhooks_service.replay(visit.deps, visit.id, values["since"], values["events"])
    message = f"{plural(started.total, 'event')} will be sent again, in order."
    after = {"since": iso(started.since), "event_types": started.event_types}
    return Done(url(f"/webhooks/{visit.id}"), message, WEBHOOK.key(visit.id), after=after)


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


def _with_secret(webhook: Webhook, secret: str, sentence: str, before: Webhook | None) -> Done:
    """The page that shows a secret, once."""
    advice = "The receiver checks the signature of every delivery with it."
    back = url(f"/webhooks/{webhook.id}")
    shown = {"title": health.name(webhook.url), "sentence": f"{sentence} {advice}", "secret": secret, "back": back}
    return WEBHOOK.done("", before, webhook, shown=shown)


_GONE = "It receives nothing more, and what waits to be sent to it is cancelled."
_DELIVERY = "/deliveries/{delivery_id}"

PAGES = (
    lists.page("/webhooks", "Webhooks", WEBHOOKS, "Connect", "webhooks.html"),
    Page("GET", "/webhooks/new", "staff", "Create a webhook", show_new, "form.html"),
    change("/webhooks/new", "Create a webhook", create, ("form.html", show_new)),
    Page("GET", "/webhooks/{id}", "read_only", "Webhook", show_webhook, "webhook.html"),
    Page("GET", "/webhooks/{id}/edit", "staff", "Change a webhook", show_edit, "webhook_form.html"),
    change("/webhooks/{id}/edit", "Change a webhook", edit, ("webhook_form.html", show_edit)),
    change("/webhooks/{id}/delete", "Delete webhook", delete, confirm=_GONE),
    Page("GET", "/webhooks/{id}/secret", "staff", "Rotate secret", show_secret, "rotate.html"),
    change("/webhooks/{id}/secret", "Rotate secret", rotate),
    change("/webhooks/{id}/test", "Send a test", test, is_foreign=True),
    Page("GET", "/webhooks/{id}/replay", "staff", "Replay events", show_replay, "form.html"),
    change("/webhooks/{id}/replay", "Replay events", replay, ("form.html", show_replay)),
    Page("GET", _DELIVERY, "read_only", "Delivery", show_delivery, "delivery.html", under="/webhooks"),
    change(f"{_DELIVERY}/send-again", "Send a delivery again", send_again),
)
