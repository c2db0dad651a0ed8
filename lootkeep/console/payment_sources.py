"""Payment sources: accounts at providers that report here, with their URL and their secret."""

from __future__ import annotations

from typing import Any

from lootkeep.console import forms, lists
from lootkeep.console.columns import NAME, YES_OR_NO, Cell, Column
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.console.records import DELETED, Record
from lootkeep.domain.payments.sources import PROVIDER_NAMES, PaymentSource
from lootkeep.services import payments as payments_service
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.views import payments as payments_views

_PROVIDER = Cell(lambda provider, *_: PROVIDER_NAMES[provider], lambda provider: PROVIDER_NAMES[provider])
_LAST = Cell(lambda at, _, visit: visit.formats.ago(at, visit.now) if at else "–", css="number muted", is_time=True)
SOURCES = lists.ListPage(
    listing=payment_events_db.SOURCE_LISTING,
    columns=(
        Column("Name", "name", NAME),
        Column("Provider", "provider", _PROVIDER),
        Column("Active", "is_active", YES_OR_NO),
        Column("Test mode", "is_test", YES_OR_NO),
        Column("Last event", "last_event_at", _LAST),
    ),
    link=lambda source: f"/payment-sources/{source.id}",
    text="Accounts at payment providers that send their events here.",
    links=(lists.Link("/payment-sources/new", "Add a source"),),
    empty="A source lets Stripe or PayPal report payments, refunds and disputes. Add the first one.",
    has_dates=False,
)
SOURCE = Record[PaymentSource](
    "Payment source",
    "/payment-sources/{id}",
    payment_events_db.SOURCES,
    ("name", "provider", "is_active", "is_test", "previous_secret_until"),
)
_NAME = Field("name", "Name", forms.text(), "For staff, such as Main account.", is_required=True)
_HINT = "Stripe: the signing secret, whsec_…. PayPal: the webhook id. Stored sealed and never shown."
_SECRET = forms.text(255, "password")
_TEST = Field(
    "is_test", "Apply events of the test mode", forms.switch(), "Otherwise they are ignored. Not for a live store."
)
NEW = (
    Field("provider", "Provider", forms.choice(PROVIDER_NAMES)),
    _NAME,
    Field("secret", "Secret", _SECRET, _HINT, is_required=True),
    _TEST,
)
_OFF = "While it is off, its events are refused; providers send them again for up to three days."
EDIT = (
    _NAME,
    Field("secret", "New secret", _SECRET, f"{_HINT} The old one is accepted for 24 hours, too."),
    _TEST,
    Field("is_active", "Active", forms.switch(), _OFF),
)


async def show_source(visit: Visit) -> Answer:
    source = await SOURCE.get(visit)
    return {
        "source": source,
        "provider": PROVIDER_NAMES[source.provider],
        "inbox_url": payments_views.url(source, visit.deps.store),
        "title": source.name,
    }


async def create(visit: Visit) -> Answer:
    source = await payments_service.create(visit.deps, **forms.read(visit, NEW))
    return SOURCE.done("The source is added. Enter its URL at the provider.", None, source)


_GONE = "New events are refused. What was received stays."
_DELETE = "/payment-sources/{id}/delete"
_EDIT: dict[str, Any] = {"actions": [(_DELETE, "Delete…", "danger-text")], "kept": ("secret",)}

PAGES = (
    Page(
        "GET",
        "/payment-sources/{id}",
        "payments:read",
        "Payment source",
        show_source,
        "payment_source.html",
        under="/payments",
    ),
    *forms.rows(
        "/payment-sources/new",
        "payments:write",
        "Add a payment source",
        forms.new(NEW, submit="Add the source"),
        create,
    ),
    *SOURCE.edit(
        "/payment-sources/{id}/edit",
        "payments:write",
        "Change a payment source",
        EDIT,
        payments_service.change,
        **_EDIT,
    ),
    SOURCE.change(_DELETE, "payments:write", "Delete payment source", payments_service.delete, DELETED, _GONE),
    lists.page("/payment-sources", "payments:read", "Payment sources", SOURCES),
)
