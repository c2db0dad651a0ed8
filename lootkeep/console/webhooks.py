"""Webhooks: how each receiver does, what it was sent and what can be done about it; and the feed of events."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from markupsafe import escape

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, BADGE, CODE, COUNT, LABEL, NAME, Cell, Column
from lootkeep.console.formats import badge, options, pretty
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.console.records import DELETED, Record
from lootkeep.console.sendings import Sent, answer_of, last_sent, sendings_of
from lootkeep.domain.deliveries import DeliveryStatus
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.domain.fraud.expressions import MAX_LENGTH
from lootkeep.domain.receivers import diagnose, first_given_up
from lootkeep.domain.webhooks import Webhook
from lootkeep.kernel.clock import DAY, Instant, iso
from lootkeep.kernel.errors import existing
from lootkeep.kernel.wording import plural
from lootkeep.services import receivers as receivers_service, webhooks as webhooks_service
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import lists as event_lists_db, outbox as outbox_db
from lootkeep.storage.orders import events as order_events_db
from lootkeep.storage.orders.events import OrderEvent
from lootkeep.storage.webhooks import (
    endpoints as endpoints_db,
    health as health_db,
    log as log_db,
    replays as replays_db,
)

WEBHOOKS = lists.ListPage(
    listing=endpoints_db.LISTING,
    columns=(
        Column("Receiver", "webhook.url", NAME, "url"),
        Column("State", "state", LABEL),
        Column("Last 60 minutes", "delivered"),
        Column("p95", "p95_ms", COUNT),
        Column("Waiting", "waiting", COUNT),
        Column("Events", "webhook.event_types", Cell(COUNT.html, " ".join, "number")),
    ),
    text="Where the store’s events are sent.",
    links=(lists.Link("/webhooks/new", "Create a webhook"),),
    empty="A webhook sends the store's events to a bot or another system. Create the first one.",
    choices=(lists.Choice("is_active", "State", {"yes": "Active", "no": "Off"}, lists.is_yes, is_open=True),),
    has_dates=False,
    load=lambda visit, tx, webhooks: receivers_service.receivers(tx, [_view(visit, it) for it in webhooks], visit.now),
    live=30,
)
# Of one delivery that its page shows.
_MAX_ATTEMPTS = 30
_ANSWER = Cell(lambda text, sent, _: f'<span class="tone {sent.tone}"><bdi>{escape(text)}</bdi></span>', css="name")


def _attempts(count: int, sent: Sent, visit: Visit) -> str:
    return f"{count} of {len(visit.options.retry_delays) + 1}" if sent.delivery.failures else str(count)


DELIVERIES = lists.ListPage(
    listing=log_db.LISTING,
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
    news="delivery|deliveries",
    empty="Deliveries appear here when one of its events happens. Send a test to try the receiver now.",
    choices=(
        lists.Choice("status", "Status", options(DeliveryStatus), is_open=True),
        lists.Choice("event_type", "Event", {name: name for name in EVENT_TYPES}),
    ),
    load=lambda _, tx, deliveries: last_sent(tx, deliveries),
    bulk="deliveries",
    bulk_path="/webhooks/bulk",
    key=lambda sent: sent.delivery.id,
    fixed=("webhook_id",),
)
_ROTATED = (
    "A new secret is made and shown once. For 24 hours every delivery carries both signatures, so that the receiver "
    "can change over without losing one; then only the new one."
)
_ROTATED_LATELY = f"{_ROTATED} It was rotated less than 24 hours ago: the secret before that stops signing at once."
WEBHOOK = Record[Webhook](
    "Webhook",
    "/webhooks/{id}",
    endpoints_db.ROWS,
    ("url", "event_types", "is_active", "previous_secret_until", "filter", "headers"),
)
_OFF = "While it is off, nothing is sent, and events of that time are not sent later."
_PUBLIC = "An https URL that can be reached from the internet."
_URL = Field("url", "URL", forms.text(2048, "url"), _PUBLIC, is_required=True, placeholder="https://bot.example/in")
_NO_EVENT = "Choose at least one event."
_HEADERS_HINT = "One a line, such as X-Api-Key: secret. Values are never shown again; a name alone keeps its value."
_FILTER_HINT = "Only events that fit are sent, such as amount >= 50 and product in (9, 12). Leave empty for all."


def _read_headers(text: str, _timezone: str) -> dict[str, str | None]:
    pairs = [line.partition(":") for line in text.splitlines() if line.strip()]
    if len({name.strip().lower() for name, *_ in pairs}) < len(pairs) or not all(colon for _, colon, _ in pairs):
        raise ValueError("Write each header once, on its own line, with a colon after its name.")
    return {name.strip(): value.strip() or None for name, _, value in pairs}


_HEADERS = forms.Kind(_read_headers, lambda names, _: ":\n".join([*names, ""]).strip(), "textarea", reads_nothing=True)
NEW = (
    _URL,
    Field("events", "Events", forms.several(EVENT_TYPES, _NO_EVENT)),
    Field("filter", "Filter", forms.text(MAX_LENGTH), _FILTER_HINT),
    Field("headers", "Headers", _HEADERS, _HEADERS_HINT),
)
EDIT = (*NEW, Field("is_active", "Active", forms.switch(), _OFF))
_SHOWN_DATA = 120
# The data of orders has their amounts.
_DATA = Cell(lambda data, row, visit: NAME.html(data[:_SHOWN_DATA], row, visit), css="name muted small", is_money=True)
EVENTS = lists.ListPage(
    listing=event_lists_db.LISTING,
    columns=(
        Column("Event", "event.type", CODE),
        Column("Id", "event.id", Cell(lambda number, *_: str(number), css="number muted")),
        Column("Receivers", "outcome", Cell(lambda outcome, *_: badge("", *outcome), lambda outcome: outcome[0])),
        Column("Data", "event.data", _DATA),
        Column("Recorded", "event.created_at", AGO, "created_at"),
    ),
    link=lambda row: f"/events/{row.event.id}",
    news="event",
    text="What happened in the store, in the order it was recorded.",
    empty="What happens to orders, payments, goods, customers and tickets is recorded here, for receivers to be sent.",
    choices=(lists.Choice("type", "Event", {name: name for name in EVENT_TYPES}),),
    load=lambda _, tx, events: _with_outcomes(tx, events),
)


async def show_webhook(visit: Visit) -> Answer:
    webhook = _view(visit, await WEBHOOK.get(visit))
    async with visit.deps.db.read() as tx:
        (receiver,) = await receivers_service.receivers(tx, [webhook], visit.now)
        given_up = first_given_up(await health_db.first_due(tx, webhook.id), visit.options.retry_delays)
        replay = await replays_db.latest(tx, webhook.id)
    listed = await lists.show(visit, DELIVERIES, webhook_id=webhook.id)
    time = visit.formats.time
    verdict = diagnose(receiver, time, given_up)
    context = {"receiver": receiver, "webhook": webhook, "diagnosis": verdict, "replay": replay, "title": receiver.name}
    return listed | context | {"live": 3 if replay and not replay.finished_at else 30}


def _view(visit: Visit, webhook: Webhook) -> Webhook:
    return webhook if visit.user.may("webhooks:write") else webhook.without_secrets


async def show_secret(visit: Visit) -> Answer:
    webhook = await WEBHOOK.get(visit)
    is_signing = webhook.previous_secret_until is not None and webhook.previous_secret_until > visit.now
    text = _ROTATED_LATELY if is_signing else _ROTATED
    page = {"title": "Rotate the secret", "submit": "Rotate the secret", "back": f"/webhooks/{webhook.id}"}
    return forms.show(visit, (), webhook, **page, text=text)


async def create(visit: Visit) -> Answer:
    values = forms.read(visit, NEW)
    webhook, secret = await webhooks_service.create(visit.deps, values.pop("url"), values.pop("events"), **values)
    return _with_secret(webhook, secret, "The webhook is created.", None)


async def rotate(visit: Visit) -> Answer:
    before = await WEBHOOK.lock(visit)
    webhook, secret = await webhooks_service.rotate_secret(visit.deps, visit.id)
    return _with_secret(webhook, secret, "The secret is rotated. The old one keeps signing for 24 hours.", before)


async def test(visit: Visit) -> Answer:
    result = await webhooks_service.test(visit.deps, visit.id)
    answer = result.reason or f"answered {result.response_code}"
    message = f"Test {'delivered' if result.is_delivered else 'failed'}: {answer}, in {result.latency_ms} ms."
    return WEBHOOK.noted(visit, message, "ok" if result.is_delivered else "bad", test=answer)


def _replay(webhook: Webhook) -> tuple[Field, Field]:
    """The form for a webhook: it can be sent what it is subscribed to."""
    since = "In the store’s time zone. All events recorded from then on."
    events = forms.several(dict.fromkeys(webhook.event_types, ""), _NO_EVENT)
    return Field("since", "Since", forms.time(), since, is_required=True), Field("events", "Events", events)


async def show_replay(visit: Visit) -> Answer:
    webhook = await WEBHOOK.get(visit)
    text = (
        f"To {webhook.name}, in order. A delivery that was made before has the same id and the same bytes, "
        "so that the receiver can recognise it."
    )
    fields = _replay(webhook)
    defaults = {"since": Instant(visit.now - DAY), "events": webhook.events}
    values = {field.name: field.write(defaults[field.name], visit.options.timezone) for field in fields}
    page = {"title": "Replay events", "text": text, "submit": "Send again", "back": f"/webhooks/{webhook.id}"}
    return forms.show(visit, fields, None, **page, values=values)


async def replay(visit: Visit) -> Answer:
    values = forms.read(visit, _replay(await WEBHOOK.get(visit)))
    started = await webhooks_service.replay(visit.deps, visit.id, values["since"], values["events"])
    message = f"{plural(started.total, 'event')} will be sent again, in order."
    return WEBHOOK.noted(visit, message, since=iso(started.since), event_types=started.event_types)


async def show_delivery(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        delivery = existing(
            await log_db.ROWS.find_one(tx, public_id=visit.request.path_params["delivery_id"]), "Delivery"
        )
        attempts = await log_db.attempts_of(tx, delivery.id)
        webhook = await endpoints_db.ROWS.get(tx, delivery.webhook_id)
        event = existing(await order_events_db.EVENTS.get(tx, delivery.event_id), "Event")
    return {
        "delivery": delivery,
        "attempts": [(attempt, answer_of(attempt)) for attempt in attempts[: -_MAX_ATTEMPTS - 1 : -1]],
        "whole": {f"attempt-{attempt.number}": attempt.excerpt or "" for attempt in attempts}
        | {"data": pretty(event.data)},
        "webhook": _view(visit, webhook) if webhook else None,
        "receiver": webhook.name if webhook else "A webhook that was deleted",
        "event": event,
        "max_attempts": len(visit.options.retry_delays) + 1,
        "title": delivery.event_type,
        "live": 5 if delivery.status == "pending" else None,
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
    secret_page = {"title": webhook.name, "sentence": f"{sentence} {advice}", "secret": secret}
    return WEBHOOK.done("", before, webhook, secret_page=secret_page)


_ONCE = "Its secret is shown once, after it is created."
_GONE = "It receives no more events, and waiting deliveries are cancelled."
_DELETE = "/webhooks/{id}/delete"
_EDIT = {"title": "Edit the webhook", "text": "{0.url}", "actions": [(_DELETE, "Delete…", "danger-text")]}
_DELIVERY = "/deliveries/{delivery_id}"


async def _with_outcomes(tx: Transaction, events: Sequence[OrderEvent]) -> list[SimpleNamespace]:
    """Each event with how many of its receivers got it: a text and a tone."""
    statuses: dict[int, list[str]] = {event.id: [] for event in events}
    for delivery in await order_events_db.deliveries_of(tx, list(statuses)):
        statuses[delivery.event_id].append(delivery.status)
    return [SimpleNamespace(event=event, outcome=_outcome(event, statuses[event.id])) for event in events]


def _outcome(event: OrderEvent, statuses: Sequence[str]) -> tuple[str, str]:
    if event.fanned_out_at is None:
        return "Queued", "info"
    if not statuses:
        return "No receiver", "quiet"
    delivered = statuses.count("delivered")
    return f"{delivered} of {len(statuses)} delivered", "ok" if delivered == len(statuses) else "warn"


async def show_event(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        event = existing(await order_events_db.EVENTS.get(tx, visit.id), "Event")
        sendings = await sendings_of(tx, [event])
        request_id = await outbox_db.request_of(tx, event.id)
    what = EVENT_TYPES.get(event.type, "")
    context = {"event": event, "sendings": sendings, "what": what, "request_id": request_id, "title": event.type}
    return context | {"whole": {"data": pretty(event.data)}}


PAGES = (
    lists.page("/webhooks", "webhooks:read", "Webhooks", WEBHOOKS, "Connect", "webhooks.html"),
    *forms.rows("/webhooks/new", "webhooks:write", "Create a webhook", forms.new(NEW, text=_ONCE), create),
    Page("GET", "/webhooks/{id}", "webhooks:read", "Webhook", show_webhook, "webhook.html"),
    *WEBHOOK.edit("/webhooks/{id}/edit", "webhooks:write", "Change a webhook", EDIT, webhooks_service.change, **_EDIT),
    WEBHOOK.change(_DELETE, "webhooks:write", "Delete webhook", webhooks_service.delete, DELETED, _GONE),
    *forms.rows("/webhooks/{id}/secret", "webhooks:write", "Rotate secret", show_secret, rotate),
    change("/webhooks/{id}/test", "webhooks:write", "Send a test", test, is_foreign=True),
    *forms.rows("/webhooks/{id}/replay", "webhooks:write", "Replay events", show_replay, replay, is_foreign=True),
    Page("GET", _DELIVERY, "webhooks:read", "Delivery", show_delivery, "delivery.html", under="/webhooks"),
    change(f"{_DELIVERY}/send-again", "webhooks:write", "Send a delivery again", send_again),
    lists.page("/events", "webhooks:read", "Event feed", EVENTS, "Connect"),
    Page("GET", "/events/{id}", "webhooks:read", "Event", show_event, "event.html"),
)
