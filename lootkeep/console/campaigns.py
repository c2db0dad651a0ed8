"""Campaigns: written, previewed, sent now or later, watched while they go out, and what came of them."""

from __future__ import annotations

from typing import Any, get_args

from starlette.responses import Response

from lootkeep.console import campaign_form, lists
from lootkeep.console.formats import plural
from lootkeep.console.forms import Form
from lootkeep.console.labels import label
from lootkeep.console.lists import Choice, Column, ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, url
from lootkeep.domain.campaign_emails import PLACEHOLDERS, written
from lootkeep.domain.campaigns import Campaign, CampaignStatus, audience_of
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import existing
from lootkeep.services import campaign_previews
from lootkeep.services import campaigns as campaigns_service
from lootkeep.storage import audiences
from lootkeep.storage import campaigns as campaigns_db
from lootkeep.views import campaigns as campaigns_views

CAMPAIGNS = ListPage(
    campaigns_db.LISTING,
    columns=(
        Column("Name", lambda campaign: campaign.name, "name"),
        Column("Status", lambda campaign: label(campaign.status)),
        Column("Recipients", lambda campaign: campaign.recipients_count, is_number=True),
        Column("Sent", lambda campaign: campaign.sent_count, is_number=True),
        Column("Opened", lambda campaign: campaign.opened_count, is_number=True),
        Column("Clicked", lambda campaign: campaign.clicked_count, is_number=True),
        Column("Created", lambda campaign: iso(campaign.created_at), "created_at", is_number=True),
    ),
    empty="A campaign is one e-mail to many customers. Write the first one with New campaign.",
    file="campaigns",
    choices=(Choice("status", "Status", {name: label(name) for name in get_args(CampaignStatus)}, is_open=True),),
    search="Name or subject",
)
# A mail is shown as it is sent, so its own styles count; it can load, send and execute nothing.
_MAIL_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
_MAX_AUDITED = 200


async def list_campaigns(visit: Visit) -> Answer:
    return await lists.show(visit, CAMPAIGNS)


async def show_campaign(visit: Visit) -> Answer:
    campaign = await _get(visit)
    preview = None
    if campaign.status in ("draft", "scheduled"):
        async with visit.deps.db.read(slow=True) as tx:
            preview = await audiences.preview(tx, audience_of(campaign))
    audience = audience_of(campaign)
    return {
        "campaign": campaign,
        "stats": campaigns_views.stats(campaign),
        "preview": preview,
        "audience": campaign_form.AUDIENCES[audience.type],
        "conditions": _conditions(visit, campaign),
        "title": campaign.name,
    }


def _conditions(visit: Visit, campaign: Campaign) -> list[tuple[str, str]]:
    shown = campaign_form.values(campaign, visit.options.timezone)
    return [(condition.label, shown[name]) for name, condition in campaign_form.CONDITIONS.items()]


async def show_mail(visit: Visit) -> Answer:
    """The mail as one of its readers would get it."""
    shown = await campaign_previews.preview(visit.deps, visit.id)
    headers = {"content-security-policy": _MAIL_POLICY, "x-frame-options": "SAMEORIGIN"}
    return Response(shown.html, headers=headers, media_type="text/html")


async def send_test(visit: Visit) -> Answer:
    form = Form(visit)
    form.required("email")
    email = form.email("email")
    form.check()
    assert email is not None
    await campaign_previews.send_test(visit.deps, visit.id, email)
    return Done(
        url(f"/campaigns/{visit.id}"), "The test e-mail is on its way.", f"campaign:{visit.id}", after={"test": email}
    )


async def show_new(visit: Visit) -> Answer:
    return _form({}, "New campaign", "/campaigns/new")


async def show_edit(visit: Visit) -> Answer:
    campaign = await _get(visit)
    values = campaign_form.values(campaign, visit.options.timezone)
    return _form(values | {"version": str(campaign.updated_at)}, f"Edit {campaign.name}", f"/campaigns/{campaign.id}")


def _form(values: dict[str, str], title: str, path: str) -> dict[str, Any]:
    return {
        "values": values,
        "title": title,
        "back": "/campaigns" if path.endswith("/new") else path,
        "conditions": campaign_form.CONDITIONS,
        "audiences": campaign_form.AUDIENCES,
        "placeholders": [written(name) for name in PLACEHOLDERS],
    }


async def create(visit: Visit) -> Answer:
    fields = campaign_form.read(visit.form, visit.options.timezone)
    campaign = await campaigns_service.create(visit.deps, fields)
    return _done(campaign, f"{campaign.name} is saved as a draft. Nothing was sent yet.", None)


async def change(visit: Visit) -> Answer:
    before = await _get(visit)
    visit.check_unchanged(f"campaign:{before.id}", before.updated_at)
    after = await campaigns_service.change(visit.deps, visit.id, campaign_form.read(visit.form, visit.options.timezone))
    return _done(after, f"{after.name} is saved.", before)


async def send(visit: Visit) -> Answer:
    before = await _get(visit)
    visit.check_unchanged(f"campaign:{before.id}", before.updated_at)
    at = campaign_form.send_time(visit.text("scheduled_at"), visit.options.timezone)
    after = await campaigns_service.send(visit.deps, visit.id, at)
    if after.status == "scheduled":
        return _done(after, f"{after.name} is scheduled.", before)
    return _done(after, f"{after.name} goes out to {plural(after.recipients_count, 'customer')} now.", before)


async def cancel(visit: Visit) -> Answer:
    before = await _get(visit)
    after = await campaigns_service.cancel(visit.deps, visit.id)
    return _done(after, f"{after.name} is cancelled; nobody more is written to.", before)


async def duplicate(visit: Visit) -> Answer:
    campaign = await campaigns_service.duplicate(visit.deps, visit.id, None)
    return _done(campaign, f"{campaign.name} is a new draft.", None)


async def delete(visit: Visit) -> Answer:
    before = await _get(visit)
    await campaigns_service.delete(visit.deps, visit.id)
    return Done(url("/campaigns"), f"{before.name} is deleted.", f"campaign:{before.id}", _audited(before), None)


async def _get(visit: Visit) -> Campaign:
    async with visit.deps.db.read() as tx:
        return existing(await campaigns_db.get(tx, visit.id), "Campaign")


def _done(after: Campaign, message: str, before: Campaign | None) -> Done:
    record = f"campaign:{after.id}"
    return Done(url(f"/campaigns/{after.id}"), message, record, _audited(before) if before else None, _audited(after))


def _audited(campaign: Campaign) -> dict[str, Any]:
    """What was decided; of the bodies, which may be half a megabyte, only how they begin."""
    names = ("name", "subject", "preview_text", "from_name", "reply_to", "audience", "status", "scheduled_at")
    bodies = {name: (getattr(campaign, name) or "")[:_MAX_AUDITED] for name in ("body_html", "body_text")}
    return {name: getattr(campaign, name) for name in names} | bodies


_HERE = "/campaigns/{id}"
_SENT = "The mail goes out to everyone in the audience who can be written to. What was sent cannot be called back."
_CANCELLED = "Nobody more is written to. A cancelled campaign cannot go on; it can be duplicated."

PAGES = (
    Page("GET", "/campaigns", "read_only", "Campaigns", list_campaigns, "campaigns.html", group="Grow"),
    Page("GET", "/campaigns/new", "staff", "New campaign", show_new, "campaign_form.html", under="/campaigns"),
    Page(
        "POST",
        "/campaigns/new",
        "staff",
        "Create campaign",
        create,
        "campaign_form.html",
        under="/campaigns",
        again=show_new,
        is_foreign=True,
    ),
    Page("GET", _HERE, "read_only", "Campaign", show_campaign, "campaign.html", under="/campaigns"),
    Page("GET", f"{_HERE}/mail", "read_only", "Preview of a campaign", show_mail),
    Page("GET", f"{_HERE}/edit", "staff", "Edit campaign", show_edit, "campaign_form.html", under="/campaigns"),
    Page(
        "POST",
        f"{_HERE}/edit",
        "staff",
        "Edit campaign",
        change,
        "campaign_form.html",
        under="/campaigns",
        again=show_edit,
        is_foreign=True,
    ),
    Page(
        "POST",
        f"{_HERE}/send",
        "staff",
        "Send campaign",
        send,
        "campaign.html",
        under="/campaigns",
        confirm=_SENT,
        again=show_campaign,
    ),
    Page(
        "POST",
        f"{_HERE}/cancel",
        "staff",
        "Cancel campaign",
        cancel,
        "campaign.html",
        under="/campaigns",
        confirm=_CANCELLED,
        again=show_campaign,
    ),
    Page(
        "POST",
        f"{_HERE}/test",
        "staff",
        "Send a test e-mail",
        send_test,
        "campaign.html",
        under="/campaigns",
        again=show_campaign,
        is_foreign=True,
    ),
    Page("POST", f"{_HERE}/duplicate", "staff", "Duplicate campaign", duplicate, under="/campaigns"),
    Page(
        "POST",
        f"{_HERE}/delete",
        "staff",
        "Delete campaign",
        delete,
        under="/campaigns",
        confirm="The draft is gone for good, with its text and its audience.",
    ),
)
