"""Campaigns: written, previewed, sent now or later, watched while they go out, and what came of them."""

from __future__ import annotations

from starlette.responses import Response

from lootkeep.console import campaign_form, forms, lists
from lootkeep.console.columns import AGO, COUNT, NAME, Cell, Column
from lootkeep.console.forms import Field
from lootkeep.console.labels import badge, label, options
from lootkeep.console.lists import Choice, Link, ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.console.records import Record
from lootkeep.domain.campaign_emails import PLACEHOLDERS
from lootkeep.domain.campaign_emails import written as placeholder
from lootkeep.domain.campaigns import Campaign, CampaignStatus, audience_of
from lootkeep.kernel.wording import percent, plural
from lootkeep.services import campaign_previews
from lootkeep.services import campaigns as campaigns_service
from lootkeep.storage import audiences
from lootkeep.storage import campaigns as campaigns_db
from lootkeep.views import campaigns as campaigns_views


def _status(campaign: Campaign, _row: Campaign, visit: Visit) -> str:
    shown = badge(campaign.status)
    if campaign.status != "scheduled" or campaign.scheduled_at is None:
        return shown
    return f'{shown} <span class="muted small">{visit.formats.time(campaign.scheduled_at)}</span>'


# Of the e-mails that were sent.
_SHARE = Cell(lambda count, campaign, _visit: percent(count, campaign.sent_count), css="number")
CAMPAIGNS = ListPage(
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
    link=lambda campaign: f"/campaigns/{campaign.id}",
    links=(Link("/campaigns/new", "New campaign"),),
    empty="A campaign is one e-mail to many customers. Write the first one with New campaign.",
    file="campaigns",
    choices=(Choice("status", "Status", options(CampaignStatus), is_open=True),),
    search="Name or subject",
)
_TEXTS = ("name", "subject", "preview_text", "from_name", "reply_to", "body_html", "body_text")
CAMPAIGN = Record("Campaign", "/campaigns/{id}", campaigns_db, (*_TEXTS, "audience", "status", "scheduled_at"))
SEND = (Field("scheduled_at", "When", forms.time(), "Now when empty; in the store’s zone."),)
TEST = (Field("email", "To", forms.EMAIL, "To any mailbox; nothing in it is counted.", is_required=True),)
# A mail is shown as it is sent, so its own styles count; it can load, send and execute nothing.
_MAIL_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"


async def show_campaign(visit: Visit) -> Answer:
    campaign = await CAMPAIGN.get(visit)
    audience = audience_of(campaign)
    preview = None
    if campaign.status in ("draft", "scheduled"):
        async with visit.deps.db.read(slow=True) as tx:
            preview = await audiences.preview(tx, audience)
    shown = campaign_form.written(visit, campaign)
    return {
        "campaign": campaign,
        "stats": campaigns_views.stats(campaign),
        "preview": preview,
        "audience": campaign_form.AUDIENCES[audience.type],
        "conditions": [(field.label, shown[field.name]) for field in campaign_form.CONDITIONS],
        "forms": {"send": SEND, "test": TEST},
        "title": campaign.name,
    }


async def show_mail(visit: Visit) -> Answer:
    """The mail as one of its readers would get it."""
    shown = await campaign_previews.preview(visit.deps, visit.id)
    headers = {"content-security-policy": _MAIL_POLICY, "x-frame-options": "SAMEORIGIN"}
    return Response(shown.html, headers=headers, media_type="text/html")


_PLACEHOLDERS = ", ".join(placeholder(name) for name in PLACEHOLDERS)
_FORM = {
    "text": f"Nothing is sent by saving. Filled in for each reader: {_PLACEHOLDERS}.",
    "submit": "Save and preview",
}


async def show_edit(visit: Visit) -> Answer:
    campaign = await CAMPAIGN.get(visit)
    page = {"title": f"Edit {campaign.name}", "back": f"/campaigns/{campaign.id}", **_FORM}
    return forms.show(visit, campaign_form.CARDS, campaign, **page, values=campaign_form.written(visit, campaign))


async def create(visit: Visit) -> Answer:
    campaign = await campaigns_service.create(visit.deps, campaign_form.read(visit))
    return CAMPAIGN.done(f"{campaign.name} is saved as a draft. Nothing was sent yet.", None, campaign)


async def edit(visit: Visit) -> Answer:
    before = await CAMPAIGN.lock(visit)
    after = await campaigns_service.change(visit.deps, visit.id, campaign_form.read(visit))
    return CAMPAIGN.done(f"{after.name} is saved.", before, after)


async def send(visit: Visit) -> Answer:
    before = await CAMPAIGN.lock(visit)
    after = await campaigns_service.send(visit.deps, visit.id, forms.read(visit, SEND)["scheduled_at"])
    if after.status == "scheduled":
        return CAMPAIGN.done(f"{after.name} is scheduled.", before, after)
    return CAMPAIGN.done(f"{after.name} goes out to {plural(after.recipients_count, 'customer')} now.", before, after)


async def send_test(visit: Visit) -> Answer:
    email = forms.read(visit, TEST)["email"]
    await campaign_previews.send_test(visit.deps, visit.id, email)
    to = url(f"/campaigns/{visit.id}")
    return Done(to, "The test e-mail is on its way.", CAMPAIGN.key(visit.id), after={"test": email})


async def cancel(visit: Visit) -> Answer:
    before = await CAMPAIGN.lock(visit)
    after = await campaigns_service.cancel(visit.deps, visit.id)
    return CAMPAIGN.done(f"{after.name} is cancelled; nobody more is written to.", before, after)


async def duplicate(visit: Visit) -> Answer:
    campaign = await campaigns_service.duplicate(visit.deps, visit.id, None)
    return CAMPAIGN.done(f"{campaign.name} is a new draft.", None, campaign)


async def delete(visit: Visit) -> Answer:
    before = await CAMPAIGN.lock(visit)
    await campaigns_service.delete(visit.deps, visit.id)
    return CAMPAIGN.done(f"{before.name} is deleted.", before, None)


_NEW = forms.new(campaign_form.CARDS, title="New campaign", back="/campaigns", **_FORM)
_CAMPAIGN = ("campaign.html", show_campaign)
_SENT = "The mail goes out to everyone in the audience who can be written to. What was sent cannot be called back."
_CANCELLED = "Nobody more is written to. A cancelled campaign cannot go on; it can be duplicated."
_DELETED = "The draft is gone for good, with its text and its audience."

PAGES = (
    lists.page("/campaigns", "Campaigns", CAMPAIGNS, "Grow"),
    *forms.rows("/campaigns/new", "New campaign", _NEW, create, "Create campaign", is_foreign=True),
    Page("GET", "/campaigns/{id}", "read_only", "Campaign", show_campaign, "campaign.html"),
    Page("GET", "/campaigns/{id}/mail", "read_only", "Preview of a campaign", show_mail),
    *forms.rows("/campaigns/{id}/edit", "Edit campaign", show_edit, edit, is_foreign=True),
    change("/campaigns/{id}/send", "Send campaign", send, _CAMPAIGN, _SENT),
    change("/campaigns/{id}/cancel", "Cancel campaign", cancel, _CAMPAIGN, _CANCELLED),
    change("/campaigns/{id}/test", "Send a test e-mail", send_test, _CAMPAIGN, is_foreign=True),
    change("/campaigns/{id}/duplicate", "Duplicate campaign", duplicate),
    change("/campaigns/{id}/delete", "Delete campaign", delete, confirm=_DELETED),
)
