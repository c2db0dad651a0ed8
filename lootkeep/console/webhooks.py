"""Webhooks: how each receiver does, what it was sent, and what can be done about it."""

from __future__ import annotations

from markupsafe import escape

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, BADGE, CODE, COUNT, LABEL, NAME, Cell, Column
from lootkeep.console.forms import Field
from lootkeep.console.labels import options
from lootkeep.console.lists import Choice, Link, ListPage, is_yes
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.console.records import Record
from lootkeep.console.sendings import Sent, answer_of, last_sent
from lootkeep.domain.deliveries import DeliveryStatus
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.domain.receivers import diagnose, first_given_up
from lootkeep.domain.webhooks import Webhook
from lootkeep.kernel.clock import DAY, Instant, iso
from lootkeep.kernel.errors import existing
from lootkeep.kernel.wording import plural
from lootkeep.services import webhooks as webhooks_service
from lootkeep.storage import order_events
from lootkeep.storage.webhooks import endpoints, health, log, replays

WEBHOOKS = ListPage(
    listing=endpoints.LISTING,
    columns=(
        Column("Receiver", "webhook.url", NAME, "url"),
        Column("State", "state", LABEL),
        Column("Last 60 minutes", "delivered"),
        Column("p95", "p95_ms", COUNT),
        Column("Waiting", "waiting", COUNT),
        Column("Events", "webhook.event_types", Cell(COUNT.html, " ".join, "number")),
    ),
    text="Where the store’s events are sent.",
    links=(Link("/webhooks/new", "Create a webhook"),),
    empty="A webhook sends the store's events to a bot or another system. Create the first one.",
    file="webhooks",
    choices=(Choice("is_active", "State", {"yes": "Active", "no": "Off"}, is_yes, is_open=True),),
    has_dates=False,
    load=lambda visit, tx, webhooks: health.receivers(tx, webhooks, visit.now),
)
_ANSWER = Cell(lambda text, sent, _: f'<span class="tone {sent.tone}"><bdi>{escape(text)}</bdi></span>', css="name")


def _attempts(count: int, sent: Sent, visit: Visit) -> str:
    return f"{count} of {len(visit.options.retry_delays) + 1}" if sent.delivery.failures else str(count)


DELIVERIES = ListPage(
    listing=log.LISTING,
    columns=(
        Column("Event", "delivery.event_type", CODE),
        Column("Status", "delivery.status", BADGE),
        Column("Answer", "answer", _ANSWER),
        Column("Took", "took", Cell(lambda took, *_: f"{took} ms" if took is not None else "–", css="number")),
        Column("Attempts", "delivery.attempts_count", Cell(_attempts, css="number")),
        Column("Recorded", "delivery.created_at", AGO, "created_at"),
        Column("Last attempt", "last_at", AGO),
    ),
    link=lambda sent: f"/deliveries/{sent.delivery.public_id}",
    empty="What is sent appears here, as soon as one of its events happens. Send a test to try the receiver now.",
    file="deliveries",
    choices=(
        Choice("status", "Status", options(DeliveryStatus), is_open=True),
        Choice("event_type", "Event", {name: name for name in EVENT_TYPES}),
    ),
    load=lambda _, tx, deliveries: last_sent(tx, deliveries),
)
_ROTATED = (
    "A new secret is made and shown once. For 24 hours every delivery carries both signatures, so that the receiver "
    "can change over without losing one; then only the new one."
)
_ROTATED_LATELY = f"{_ROTATED} It was rotated less than 24 hours ago: the secret before that stops signing at once."
WEBHOOK = Record("Webhook", "/webhooks/{id}", endpoints, ("url", "event_types", "is_active", "previous_secret_until"))
_OFF = "Nothing is sent while it is off, and what happens meanwhile is not sent later."
_PUBLIC = "An https address that can be reached from the internet."
_URL = Field("url", "Address", forms.text(2048, "url"), _PUBLIC, is_required=True, placeholder="https://bot.example/in")
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
    time = visit.formats.time
    verdict = diagnose(receiver, failures, time, has_worked=has_worked, given_up=given_up)
    shown = {"receiver": receiver, "webhook": webhook, "diagnosis": verdict, "replay": replay, "title": receiver.name}
    return listed | shown


async def show_edit(visit: Visit) -> Answer:
    webhook = await WEBHOOK.get(visit)
    page = {"title": "Edit the webhook", "text": webhook.url, "back": f"/webhooks/{webhook.id}"}
    delete = (f"/webhooks/{webhook.id}/delete", "Delete…", "danger-text")
    return forms.show(visit, EDIT, webhook, **page, actions=[delete])


async def show_secret(visit: Visit) -> Answer:
    webhook = await WEBHOOK.get(visit)
    is_signing = webhook.previous_secret_until is not None and webhook.previous_secret_until > visit.now
    text = _ROTATED_LATELY if is_signing else _ROTATED
    page = {"title": "Rotate the secret", "submit": "Rotate the secret", "back": f"/webhooks/{webhook.id}"}
    return forms.show(visit, (), webhook, **page, text=text)


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
    return WEBHOOK.done(f"{before.name} is deleted.", before, None)


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
        f"To {webhook.name}, in order. A delivery that was made before has the same id and the same bytes, "
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
        "receiver": webhook.name if webhook else "A webhook that was deleted",
        "event": event,
        "max_attempts": len(visit.options.retry_delays) + 1,
        "title": delivery.event_type,
    }


async def send_again(visit: Visit) -> Answer:
    public_id = visit.request.path_params["delivery_id"]
    delivery = await webhooks_service.redeliver(visit.deps, public_id)
    message = f"{delivery.event_type} is sent again now."
    # The page of an order sends again, too.
    order = visit.text("order")
    to = f"/orders/{order}" if order else f"/deliveries/{public_id}"
    return Done(url(to), message, f"delivery:{public_id}", after={"status": delivery.status})


def _with_secret(webhook: Webhook, secret: str, sentence: str, before: Webhook | None) -> Done:
    """The page that shows a secret, once."""
    advice = "The receiver checks the signature of every delivery with it."
    back = url(f"/webhooks/{webhook.id}")
    shown = {"title": webhook.name, "sentence": f"{sentence} {advice}", "secret": secret, "back": back}
    return WEBHOOK.done("", before, webhook, shown=shown)


_ONCE = "Its secret is shown once, after it is created."
_NEW = forms.new(NEW, title="Create a webhook", text=_ONCE, back="/webhooks")
_GONE = "It receives nothing more, and what waits to be sent to it is cancelled."
_DELIVERY = "/deliveries/{delivery_id}"

PAGES = (
    lists.page("/webhooks", "Webhooks", WEBHOOKS, "Connect", "webhooks.html"),
    *forms.rows("/webhooks/new", "Create a webhook", _NEW, create),
    Page("GET", "/webhooks/{id}", "read_only", "Webhook", show_webhook, "webhook.html"),
    *forms.rows("/webhooks/{id}/edit", "Change a webhook", show_edit, edit),
    change("/webhooks/{id}/delete", "Delete webhook", delete, confirm=_GONE),
    *forms.rows("/webhooks/{id}/secret", "Rotate secret", show_secret, rotate),
    change("/webhooks/{id}/test", "Send a test", test, is_foreign=True),
    *forms.rows("/webhooks/{id}/replay", "Replay events", show_replay, replay),
    Page("GET", _DELIVERY, "read_only", "Delivery", show_delivery, "delivery.html", under="/webhooks"),
    change(f"{_DELIVERY}/send-again", "Send a delivery again", send_again),
)
