"""Campaigns: written, previewed, sent now or later, watched while they go out, and what came of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from starlette.responses import Response

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, COUNT, NAME, Cell, Column
from lootkeep.console.formats import badge, label, long, options
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Page, Visit, change
from lootkeep.console.records import DELETED, Record
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.campaign_emails import PLACEHOLDERS, written as placeholder
from lootkeep.domain.campaigns import (
    MAX_BODY,
    MAX_CUSTOMERS,
    Audience,
    Campaign,
    CampaignStatus,
    SegmentFilters,
    audience_of,
)
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.wording import percent, plural
from lootkeep.services import campaign_previews as campaign_previews_service, campaigns as campaigns_service
from lootkeep.storage import emails as emails_db
from lootkeep.storage.campaigns import audiences as audiences_db, rows as campaigns_db
from lootkeep.views import campaigns as campaigns_views


def _status(campaign: Campaign, _row: Campaign, visit: Visit) -> str:
    status = badge(campaign.status)
    if campaign.status != "scheduled" or campaign.scheduled_at is None:
        return status
    return f'{status} <span class="muted small">{visit.formats.time(campaign.scheduled_at)}</span>'


# Of the e-mails that were sent.
_SHARE = Cell(lambda count, campaign, _visit: percent(count, campaign.sent_count), css="number")
CAMPAIGNS = lists.ListPage(
    listing=campaigns_db.LISTING,
    columns=(
        Column("Name", "name", NAME, "name"),
        Column("Status", "itself", Cell(_status, lambda campaign: label(campaign.status))),
        Column("Recipients", "recipients_count", COUNT),
        Column("Sent", "sent_count", COUNT),
        Column("Opened", "opened_count", _SHARE),
        Column("Clicked", "clicked_count", _SHARE),
        Column("Created", "created_at", AGO, "created_at"),
    ),
    exported=(Column("Id", "id"), Column("Subject", "subject")),
    link=lambda campaign: f"/campaigns/{campaign.id}",
    links=(lists.Link("/campaigns/new", "New campaign"),),
    empty="A campaign is one e-mail to many customers. Write the first one with New campaign.",
    choices=(lists.Choice("status", "Status", options(CampaignStatus), is_open=True),),
    search="Name or subject",
)
_MAX_ID_LENGTH = 18
_MAX_TAG_LENGTH = 64
_MAX_WORDS = 1000
_MAX_ORDERS = 10**15 - 1
AUDIENCES = {
    "all": "Everyone who accepts marketing",
    "segment": "A segment: everyone who meets all conditions",
    "customers": "Customers by their ids",
}
MAIL = (
    Field("name", "Name", forms.text(), "Only staff see it.", is_required=True),
    Field("subject", "Subject", forms.text(), is_required=True),
    Field("preview_text", "Preview text", forms.text(), "What mail programs show next to the subject."),
    Field("body_html", "HTML", forms.text(MAX_BODY, "tall")),
    Field("body_text", "Plain text", forms.text(MAX_BODY, "textarea"), "Leave empty to create it from the HTML."),
    Field("from_name", "From", forms.text(), "Leave empty for the store’s name."),
    Field("reply_to", "Reply to", forms.EMAIL),
)
_CUSTOMERS = "Ids of customers, separated by commas."
_PRODUCTS = forms.words(_MAX_WORDS, _MAX_ID_LENGTH, forms.ID)
_REACHED = "Only customers who accept marketing and have a working mailbox receive it."
AUDIENCE = (
    Field("audience", "Audience", forms.choice(AUDIENCES), _REACHED, default="all"),
    Field("customer_ids", "Customer ids", forms.words(MAX_CUSTOMERS, _MAX_ID_LENGTH, forms.ID), _CUSTOMERS),
)
CONDITIONS = (
    Field("countries", "Countries", forms.words(_MAX_WORDS, 2, forms.COUNTRY), "Codes such as DE, AT"),
    Field("tags", "Tags", forms.words(_MAX_WORDS, _MAX_TAG_LENGTH), "With one of these, separated by commas"),
    Field("min_orders", "Paid orders, at least", forms.whole(0, _MAX_ORDERS)),
    Field("min_total_spent", "Spent, at least", forms.amount()),
    Field("product_ids", "Bought one of the products", _PRODUCTS, "Ids, separated by commas"),
    Field("last_order_before", "Last order before", forms.day()),
    Field("last_order_after", "Last order on or after", forms.day()),
    Field("registered_from", "Signed up on or after", forms.day()),
    Field("registered_to", "Signed up before the end of", forms.day()),
    Field("is_referrer", "Has referred someone", forms.yes_or_no("Yes", "No", "Does not matter")),
)
CARDS = {"The e-mail": MAIL, "Whom it is for": AUDIENCE, "Conditions of a segment": CONDITIONS}
_LOGGED = (*(field.name for field in MAIL), "audience", "status", "scheduled_at")
CAMPAIGN = Record[Campaign]("Campaign", "/campaigns/{id}", campaigns_db.ROWS, _LOGGED)
SEND = (Field("scheduled_at", "When", forms.time(), "Leave empty to send now. The time is in the store’s time zone."),)
TEST = (
    Field("email", "To", forms.EMAIL, "Any mailbox. Opens and clicks of a test are not counted.", is_required=True),
)
# A mail is shown as it is sent, so its own styles count; it can load, send and execute nothing.
_MAIL_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"


async def show_campaign(visit: Visit) -> Answer:
    campaign = await CAMPAIGN.get(visit)
    audience = audience_of(campaign)
    preview = None
    test = await _test(visit)
    if campaign.status in ("draft", "scheduled", "failed"):
        async with visit.deps.db.read(slow=True) as tx:
            preview = await audiences_db.preview(tx, audience)
    values = _written(visit, campaign)
    return {
        "campaign": campaign,
        "stats": campaigns_views.stats(campaign),
        "preview": preview,
        "audience": AUDIENCES[audience.type],
        "conditions": [(field.label, long(values[field.name], field.name, 4000)) for field in CONDITIONS],
        "whole": values,
        "forms": {"send": SEND, "test": TEST},
        "title": campaign.name,
        "test": test,
        "live": 2 if test and test.tone == "info" else {"sending": 3, "scheduled": 30}.get(campaign.status),
    }


class Test(NamedTuple):
    """What came of a test e-mail."""

    tone: str
    text: str


async def _test(visit: Visit) -> Test | None:
    """Of the test that the address names; other e-mails are nobody's business here."""
    async with visit.deps.db.read() as tx:
        email = await emails_db.ROWS.get(tx, inputs_rules.integer(visit.query.get("test", "")) or 0)
    if email is None or email.kind != campaign_previews_service.TEST_KIND:
        return None
    to = f"The test e-mail to {email.to_email}"
    if email.status == "sent":
        return Test("ok", f"{to} was accepted by the mail server.")
    if email.status == "outbox" or email.reason:
        again = " It is tried again." if email.status == "queued" else ""
        return Test("bad", f"{to} was not sent: {email.reason or 'no mail server is configured'}.{again}")
    return Test("info", f"{to} is being sent.")


async def show_mail(visit: Visit) -> Answer:
    """The mail as one of its readers would get it."""
    preview = await campaign_previews_service.preview(visit.deps, visit.id)
    headers = {"content-security-policy": _MAIL_POLICY, "x-frame-options": "SAMEORIGIN"}
    return Response(preview.html, headers=headers, media_type="text/html")


_PLACEHOLDERS = ", ".join(placeholder(name) for name in PLACEHOLDERS)
_TEXT = f"Saving sends nothing. Placeholders: {_PLACEHOLDERS}."
_FORM = {"text": _TEXT, "submit": "Save and preview"}
show_new = forms.new(CARDS, **_FORM)


async def show_edit(visit: Visit) -> Answer:
    campaign = await CAMPAIGN.get(visit)
    page = {"title": f"Edit {campaign.name}", "back": f"/campaigns/{campaign.id}", **_FORM}
    return forms.show(visit, CARDS, campaign, **page, values=_written(visit, campaign))


async def create(visit: Visit) -> Answer:
    campaign = await campaigns_service.create(visit.deps, _read(visit, None))
    return CAMPAIGN.done(f"{campaign.name} is saved as a draft. Nothing was sent yet.", None, campaign)


async def edit(visit: Visit) -> Answer:
    before = await CAMPAIGN.lock(visit)
    after = await campaigns_service.change(visit.deps, visit.id, _read(visit, before))
    return CAMPAIGN.done(f"{after.name} is saved.", before, after)


async def send(visit: Visit) -> Answer:
    before = await CAMPAIGN.lock(visit)
    after = await campaigns_service.send(visit.deps, visit.id, forms.read(visit, SEND)["scheduled_at"])
    if after.status == "scheduled":
        return CAMPAIGN.done(f"{after.name} is scheduled.", before, after)
    return CAMPAIGN.done(f"{after.name} goes out to {plural(after.recipients_count, 'customer')} now.", before, after)


async def send_test(visit: Visit) -> Answer:
    email = forms.read(visit, TEST)["email"]
    _, email_id = await campaign_previews_service.send_test(visit.deps, visit.id, email)
    done = CAMPAIGN.noted(visit, "", test=email)
    return replace(done, to=f"{done.to}?test={email_id}")


async def duplicate(visit: Visit) -> Answer:
    campaign = await campaigns_service.duplicate(visit.deps, visit.id, None)
    return CAMPAIGN.done(f"{campaign.name} is a new draft.", None, campaign)


def _read(visit: Visit, stored: Campaign | None) -> dict[str, Any]:
    """The fields of the campaign, or everything that is wrong with them; what is kept is as it was stored."""
    visit.form = {"audience": "all"} | dict(visit.form)
    kind = visit.form["audience"]
    asked = {"segment": CONDITIONS, "customers": AUDIENCE[1:]}.get(kind, ())
    values = forms.read(visit, [*MAIL, AUDIENCE[0], *asked])
    kept = audience_of(stored) if stored else Audience()
    filters = {field.name: values.get(field.name, getattr(kept.filters, field.name)) for field in CONDITIONS}
    if kind == "segment" and not any(value is not None for value in filters.values()):
        raise invalid("audience", "A segment needs at least one condition.")
    ids = values.get("customer_ids", kept.customer_ids)
    if kind == "customers" and not ids:
        raise invalid("customer_ids", f"Name 1 to {MAX_CUSTOMERS:,} customers.")
    # The service takes what the kind of audience looks at.
    audience = Audience(values["audience"], ids or (), SegmentFilters(**filters))
    return {field.name: values[field.name] for field in MAIL if field.name in values} | {"audience": audience}


def _written(visit: Visit, campaign: Campaign) -> dict[str, str]:
    """What the form shows of a campaign."""
    audience = audience_of(campaign)
    values = forms.written(visit, MAIL, campaign) | forms.written(visit, CONDITIONS, audience.filters)
    if campaign.is_text_derived:
        values["body_text"] = ""
    ids = ", ".join(str(customer_id) for customer_id in audience.customer_ids)
    return values | {"audience": audience.type, "customer_ids": ids}


_SENT = "The e-mail is sent to everyone in the audience who accepts e-mail. This cannot be undone."
_NO_MORE = "{0.name} is cancelled; nobody more is written to."
_CANCELLED = "No more e-mails are sent. A cancelled campaign cannot be resumed, but it can be duplicated."
_DELETED = "The draft is deleted with its text and audience. This cannot be undone."

PAGES = (
    lists.page("/campaigns", "Campaigns", CAMPAIGNS, "Grow"),
    *forms.rows("/campaigns/new", "New campaign", show_new, create, "Create campaign", is_foreign=True),
    Page("GET", "/campaigns/{id}", "read_only", "Campaign", show_campaign, "campaign.html"),
    Page("GET", "/campaigns/{id}/mail", "read_only", "Preview of a campaign", show_mail),
    *forms.rows("/campaigns/{id}/edit", "Edit campaign", show_edit, edit, is_foreign=True),
    change("/campaigns/{id}/send", "Send campaign", send, _SENT),
    CAMPAIGN.change("/campaigns/{id}/cancel", "Cancel campaign", campaigns_service.cancel, _NO_MORE, _CANCELLED),
    change("/campaigns/{id}/test", "Send a test e-mail", send_test, is_foreign=True),
    change("/campaigns/{id}/duplicate", "Duplicate campaign", duplicate),
    CAMPAIGN.change("/campaigns/{id}/delete", "Delete campaign", campaigns_service.delete, DELETED, _DELETED),
)
