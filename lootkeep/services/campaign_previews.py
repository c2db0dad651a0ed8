"""The e-mail of a campaign before it is sent: as one recipient would get it, on a page or in a mailbox."""

from __future__ import annotations

import asyncio

from lootkeep.deps import Deps
from lootkeep.domain import emails as emails_rules
from lootkeep.domain.campaign_emails import TrackingLinks, filled
from lootkeep.domain.campaigns import Campaign, EmailPreview, Reader, audience_of
from lootkeep.domain.customers import known_customer
from lootkeep.domain.emails import NewEmail, one_line
from lootkeep.kernel.errors import RateLimited, existing
from lootkeep.services import campaigns as campaigns_service
from lootkeep.services.campaign_markdown import with_bodies
from lootkeep.storage import emails as emails_db
from lootkeep.storage.campaigns import audiences as audiences_db, rows as campaigns_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.views.emails import campaign_template

# For all users together: a test shows how an e-mail looks, it must not be a way to send many.
TESTS_PER_MINUTE = 10
TEST_KIND = "campaign_test"
# For an empty audience.
SAMPLE_READER = Reader(None, "Jun Park", "jun@example.com", "JUNPARK1")


async def preview(deps: Deps, campaign_id: int, customer_id: int | None = None) -> EmailPreview:
    """As the customer, or someone in the audience, would get it; nothing in it is counted."""
    return await preview_of(deps, await _campaign(deps, campaign_id), customer_id)


async def preview_of(deps: Deps, campaign: Campaign, customer_id: int | None = None) -> EmailPreview:
    """The same of a campaign that may not be stored; what was sent is shown as it was sent."""
    async with deps.db.read(slow=True) as tx:
        if customer_id is None:
            reader = await audiences_db.someone(tx, audience_of(campaign)) or SAMPLE_READER
        else:
            customer = known_customer(await customers_db.ROWS.get(tx, customer_id))
            reader = Reader(customer.id, customer.name, customer.email, customer.referral_code)
    return await _as_read_by(deps, campaign, reader)


async def send_test(
    deps: Deps, campaign_id: int, email: str, *, reader: Reader | None = None
) -> tuple[EmailPreview, int]:
    """Queues the preview as an e-mail to any address; returns the id of the e-mail, too."""
    campaign = await _campaign(deps, campaign_id)
    email_preview = await (_as_read_by(deps, campaign, reader) if reader else preview_of(deps, campaign))
    emails_rules.require_server(deps.sends_emails)
    now = deps.clock.now()
    state = await deps.limiter.hit("campaign-tests", TESTS_PER_MINUTE, now)
    if not state.is_allowed:
        seconds = state.retry_after(now)
        raise RateLimited("too_many_tests", f"Too many test e-mails. Try again in {seconds} seconds.", seconds)
    message = NewEmail(
        kind=TEST_KIND,
        to_email=email,
        to_name="",
        subject=f"[Test] {email_preview.subject}",
        text=email_preview.text,
        html=email_preview.html,
        from_name=email_preview.from_name,
        reply_to=email_preview.reply_to,
    )
    async with deps.db.write() as tx:
        return email_preview, await emails_db.add(tx, message, deps.vault.seal, now)


async def _campaign(deps: Deps, campaign_id: int) -> Campaign:
    async with deps.db.read(slow=True) as tx:
        return existing(await campaigns_db.ROWS.get(tx, campaign_id), "Email campaign")


async def _as_read_by(deps: Deps, campaign: Campaign, reader: Reader) -> EmailPreview:
    if campaign.status in ("draft", "scheduled", "failed"):
        campaign = await with_bodies(deps, campaign, campaign.scheduled_at or deps.clock.now())
    return await asyncio.to_thread(_rendered, deps, campaign, reader)


def _rendered(deps: Deps, campaign: Campaign, reader: Reader) -> EmailPreview:
    compiled = campaign_template(campaign, deps.store, is_tracked=False)
    values = {"name": reader.name, "email": reader.email, "referral_code": reader.referral_code}
    nobody = deps.vault.sign(str(campaigns_service.NOBODY), campaigns_service.UNSUBSCRIBE)
    links = TrackingLinks(f"{deps.store.public_url}/u/{nobody}", deps.store.referral_link(reader.referral_code))
    subject, text, html = filled(compiled, values, links)
    from_name = None if campaign.from_name is None else one_line(campaign.from_name)
    return EmailPreview(reader, from_name, campaign.reply_to, subject, text, html)
