"""Campaigns: written, previewed, sent now or later, watched while they go out, and what came of them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from lootkeep.console import campaign_editor, forms, lists
from lootkeep.console.campaign_editor import AUDIENCES, CONDITIONS, MAIL
from lootkeep.console.columns import AGO, COUNT, NAME, Cell, Column
from lootkeep.console.formats import badge, label, long, options
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Page, Visit, change
from lootkeep.console.records import DELETED, Record
from lootkeep.domain import campaigns as campaigns_rules, inputs as inputs_rules
from lootkeep.domain.campaigns import Campaign, CampaignStatus, audience_of
from lootkeep.kernel.clock import MINUTE
from lootkeep.kernel.errors import InvalidFields
from lootkeep.kernel.wording import duration, percent, plural
from lootkeep.services import campaign_previews as campaign_previews_service, campaigns as campaigns_service
from lootkeep.services.campaign_markdown import with_bodies
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
    news="campaign",
    links=(lists.Link("/campaigns/new", "New campaign"),),
    empty="A campaign is one e-mail to many customers. Write the first one with New campaign.",
    choices=(lists.Choice("status", "Status", options(CampaignStatus), is_open=True),),
    search="Name or subject",
)
_LOGGED = (*(field.name for field in MAIL), "audience", "status", "scheduled_at")
CAMPAIGN = Record[Campaign]("Campaign", "/campaigns/{id}", campaigns_db.ROWS, _LOGGED)
# Of Gmail.
MAX_SHOWN_KB = 102
SEND = (Field("scheduled_at", "When", forms.time(), "Leave empty to send now. The time is in the store’s time zone."),)
TEST = (
    Field("email", "To", forms.EMAIL, "Any mailbox. Opens and clicks of a test are not counted.", is_required=True),
)


async def show_campaign(visit: Visit) -> Answer:
    campaign = await CAMPAIGN.get(visit)
    audience = audience_of(campaign)
    preview = None
    test = await _test(visit)
    if campaign.status in ("draft", "scheduled", "failed"):
        async with visit.deps.db.read(slow=True) as tx:
            preview = await audiences_db.preview(tx, audience)
    values = campaign_editor.values(visit, campaign)
    return {
        "checks": await _checks(visit, campaign, preview.total) if preview else (),
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


class Check(NamedTuple):
    """What a campaign needs before it is sent."""

    tone: str
    text: str


async def _checks(visit: Visit, campaign: Campaign, total: int) -> list[Check]:
    checks = [] if visit.deps.sends_emails else [Check("bad", "No mail server is set.")]
    try:
        written = await with_bodies(visit.deps, campaign, campaign.scheduled_at or visit.now)
    except InvalidFields as wrong:
        sentences = [sentence for group in (wrong.fields or {}).values() for sentence in group]
        return [*checks, *(Check("bad", sentence) for sentence in dict.fromkeys(sentences))]
    if not campaign.has_body:
        return [*checks, Check("bad", "There is no text yet.")]
    checks.append(Check("ok", "Every placeholder, product and coupon is known."))
    size = len((written.body_html or written.body_text or "").encode()) // 1024 + 1
    cut = f"Of {size} KB; Gmail cuts off an e-mail of more than {MAX_SHOWN_KB} KB, and the unsubscribe link with it."
    whole = f"The unsubscribe link is in it; with {size} KB it is shown whole."
    checks.append(Check("warn", cut) if size > MAX_SHOWN_KB else Check("ok", whole))
    if visit.deps.store.postal_address is None:
        checks.append(Check("warn", "Many countries require the store’s postal address, which is not set."))
    who = f"It goes to {plural(total, 'customer')}, {_takes(visit, total)}."
    return [*checks, Check("ok", who) if total else Check("bad", "Nobody in the audience can receive e-mails.")]


def _takes(visit: Visit, total: int) -> str:
    pace = visit.deps.settings.value.campaign_mails_per_minute
    time = duration(max(MINUTE, -(-total // pace) * MINUTE))
    return f"in about {time} at {plural(pace, 'e-mail')} a minute"


async def _question(visit: Visit) -> tuple[str, str]:
    """Names how many get it, when, and how long that takes; what cannot be sent is refused at once."""
    campaign = await CAMPAIGN.lock(visit)
    campaigns_rules.require_sendable(campaign)
    at = forms.read(visit, SEND)["scheduled_at"]
    if at is not None:
        campaigns_rules.require_in_time(at, visit.now)
    await with_bodies(visit.deps, campaign, at or visit.now)
    async with visit.deps.db.read(slow=True) as tx:
        total = (await audiences_db.preview(tx, audience_of(campaign))).total
    if not total:
        raise campaigns_rules.no_audience()
    when = "now" if at is None else f"on {visit.formats.time(at)}"
    who = plural(total, "customer")
    last = "This cannot be undone." if at is None else "The recipients are fixed then; until then it can be cancelled."
    return f"Send campaign? It is sent to {who} {when}, {_takes(visit, total)}. {last}", f"Send to {who}"


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


async def show_edit(visit: Visit) -> Answer:
    return await campaign_editor.show_edit(visit, await CAMPAIGN.get(visit))


async def create(visit: Visit) -> Answer:
    campaign = await campaigns_service.create(visit.deps, campaign_editor.read(visit, None))
    return CAMPAIGN.done(f"{campaign.name} is saved as a draft. Nothing was sent yet.", None, campaign)


async def edit(visit: Visit) -> Answer:
    before = await CAMPAIGN.lock(visit)
    after = await campaigns_service.change(visit.deps, visit.id, campaign_editor.read(visit, before))
    return CAMPAIGN.saved(visit, (), f"{after.name} is saved.", before, after)


async def send(visit: Visit) -> Answer:
    before = await CAMPAIGN.lock(visit)
    after = await campaigns_service.send(visit.deps, visit.id, forms.read(visit, SEND)["scheduled_at"])
    if after.status == "scheduled":
        return CAMPAIGN.done(f"{after.name} is scheduled.", before, after)
    return CAMPAIGN.done(f"{after.name} goes out to {plural(after.recipients_count, 'customer')} now.", before, after)


async def send_test(visit: Visit) -> Answer:
    email = forms.read(visit, TEST)["email"]
    # What leaves as an e-mail is not masked any more.
    reader = campaign_previews_service.SAMPLE_READER if visit.user.permissions.masks_emails else None
    _, email_id = await campaign_previews_service.send_test(visit.deps, visit.id, email, reader=reader)
    done = CAMPAIGN.noted(visit, "", test=email)
    return replace(done, to=f"{done.to}?test={email_id}")


async def duplicate(visit: Visit) -> Answer:
    campaign = await campaigns_service.duplicate(visit.deps, visit.id, None)
    return CAMPAIGN.done(f"{campaign.name} is a new draft.", None, campaign)


_NO_MORE = "{0.name} is cancelled. It sends no more e-mails."
_CANCELLED = "No more e-mails are sent. A cancelled campaign cannot be resumed, but it can be duplicated."
_DELETED = "The draft is deleted with its text and audience. This cannot be undone."

PAGES = (
    lists.page("/campaigns", "email-campaigns:read", "Campaigns", CAMPAIGNS, "Grow"),
    Page(
        "GET", "/campaigns/new", "email-campaigns:write", "New campaign", campaign_editor.show_new, "campaign_form.html"
    ),
    change("/campaigns/new", "email-campaigns:write", "Create campaign", create, is_foreign=True),
    Page(
        "POST",
        "/campaigns/preview",
        "email-campaigns:write",
        "Preview of a draft",
        campaign_editor.show_preview,
        is_preview=True,
    ),
    Page("GET", "/campaigns/{id}", "email-campaigns:read", "Campaign", show_campaign, "campaign.html"),
    Page("GET", "/campaigns/{id}/mail", "email-campaigns:read", "Preview of a campaign", campaign_editor.show_mail),
    Page("GET", "/campaigns/{id}/edit", "email-campaigns:write", "Edit campaign", show_edit, "campaign_form.html"),
    change("/campaigns/{id}/edit", "email-campaigns:write", "Edit campaign", edit, is_foreign=True),
    change("/campaigns/{id}/send", "email-campaigns:write", "Send campaign", send, _question),
    CAMPAIGN.change(
        "/campaigns/{id}/cancel",
        "email-campaigns:write",
        "Cancel campaign",
        campaigns_service.cancel,
        _NO_MORE,
        _CANCELLED,
    ),
    change("/campaigns/{id}/test", "email-campaigns:write", "Send a test e-mail", send_test, is_foreign=True),
    change("/campaigns/{id}/duplicate", "email-campaigns:write", "Duplicate campaign", duplicate),
    CAMPAIGN.change(
        "/campaigns/{id}/delete",
        "email-campaigns:write",
        "Delete campaign",
        campaigns_service.delete,
        DELETED,
        _DELETED,
    ),
)
