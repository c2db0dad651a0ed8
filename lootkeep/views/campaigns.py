"""E-mail campaigns in public: the list, details, statistics, and a preview of recipients."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lootkeep.domain.audiences import Audience, AudienceType, SegmentFilters
from lootkeep.domain.campaigns import Campaign, CampaignEntry, CampaignStatus, EmailPreview, Preview, audience_of, rate
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of

OptionalTime = Annotated[Moment | None, field("The time, in UTC; null until then.", None)]


class FiltersView(msgspec.Struct, frozen=True):
    countries: Annotated[tuple[str, ...] | None, field("Customers of these countries.", ["DE", "AT"])]
    min_total_spent: Annotated[str | None, field("Customers who spent at least this amount.", "50.00")]
    min_orders: Annotated[int | None, field("Customers with at least this many paid orders.", 2)]
    last_order_before: Annotated[Moment | None, field("Customers whose last order is before this time.", None)]
    last_order_after: Annotated[Moment | None, field("Customers whose last order is at or after this time.", None)]
    registered_from: Annotated[Moment | None, field("Customers who signed up at or after this time.", None)]
    registered_to: Annotated[Moment | None, field("Customers who signed up at or before this time.", None)]
    product_ids: Annotated[tuple[int, ...] | None, field("Customers who bought one of these products.", None)]
    tags: Annotated[tuple[str, ...] | None, field("Customers with one of these tags.", None)]
    is_referrer: Annotated[bool | None, field("Customers who have, or have not, referred someone.", None)]


class AudienceView(msgspec.Struct, frozen=True):
    type: Annotated[AudienceType, field("Everyone, a segment, or a list of customers.", "segment")]
    customer_ids: Annotated[list[int], field("For the type customers.", [])]
    filters: Annotated[FiltersView, field("For the type segment; all given filters must match.", {"countries": ["DE"]})]


class CampaignListView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the campaign.", 7)]
    name: Annotated[str, field("The name, for the staff.", "Winter sale")]
    subject: Annotated[str, field("The subject of the e-mails.", "20% off until Sunday, {{ name }}")]
    preview_text: Annotated[str | None, field("What mail programs show next to the subject.", "Only this week")]
    from_name: Annotated[str | None, field("The sender name; null means that of the store.", "Dragon Shop")]
    reply_to: Annotated[str | None, field("Where replies go.", "help@shop.example")]
    audience: Annotated[AudienceView, field("The audience.", {"type": "all"})]
    status: Annotated[CampaignStatus, field("Its status.", "sending")]
    scheduled_at: OptionalTime
    recipients_count: Annotated[int, field("The number of recipients; fixed when it starts.", 1200)]
    sent_count: Annotated[int, field("E-mails that the mail server accepted.", 800)]
    failed_count: Annotated[int, field("E-mails that the mail server rejected.", 3)]
    skipped_count: Annotated[int, field("Recipients who unsubscribed before their e-mail was sent.", 1)]
    outbox_count: Annotated[int, field("E-mails that were not sent because there is no mail server.", 0)]
    error: Annotated[str | None, field("What prevents sending, or why it failed.", None)]
    started_at: OptionalTime
    completed_at: OptionalTime
    duplicated_from_id: Annotated[int | None, field("The campaign it was copied from.", None)]
    created_at: Time
    updated_at: Time


class CampaignView(CampaignListView, frozen=True):
    body_html: Annotated[str | None, field("The e-mail.", "<p>Hello {{ name }}!</p>")]
    body_text: Annotated[
        str | None, field("The e-mail as plain text; by default generated from the HTML.", "Hello {{ name }}!")
    ]
    body_markdown: Annotated[
        str | None,
        field("The e-mail in Markdown; HTML and text are generated when it is sent.", "# Hello {{ name }}!"),
    ]


class CampaignStatsView(msgspec.Struct, frozen=True):
    recipients: Annotated[int, field("The number of recipients.", 1200)]
    pending: Annotated[int, field("Recipients who are still waiting.", 396)]
    sent: Annotated[int, field("E-mails that the mail server accepted.", 800)]
    failed: Annotated[int, field("E-mails that the mail server rejected.", 3)]
    skipped: Annotated[int, field("Recipients who unsubscribed before their e-mail was sent.", 1)]
    outbox: Annotated[int, field("E-mails that were not sent because there is no mail server.", 0)]
    perhaps_twice: Annotated[int, field("E-mails that were sent again because it is unknown whether they arrived.", 0)]
    opened: Annotated[int, field("Recipients who opened it, as far as mail programs report it.", 320)]
    clicked: Annotated[int, field("Recipients who clicked a link.", 96)]
    unsubscribed: Annotated[int, field("Recipients who unsubscribed through it.", 4)]
    referral_clicks: Annotated[int, field("How often referral links in it were clicked, by anyone.", 31)]
    progress: Annotated[int | float, field("Percentage of the recipients that are finished.", 67.0)]
    failure_rate: Annotated[int | float, field("Percentage of sent and failed.", 0.37)]
    open_rate: Annotated[int | float, field("Percentage of sent.", 40.0)]
    click_rate: Annotated[int | float, field("Percentage of sent.", 12.0)]
    unsubscribe_rate: Annotated[int | float, field("Percentage of sent.", 0.5)]


class ExcludedView(msgspec.Struct, frozen=True):
    not_opted_in: Annotated[int, field("Customers who did not opt in.", 310)]
    unsubscribed: Annotated[int, field("Customers who unsubscribed or complained.", 25)]
    bounced: Annotated[int, field("Customers whose mailbox does not exist.", 8)]
    blocked: Annotated[int, field("Customers whom the store has blocked.", 2)]


class SampleView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("The customer.", 12)]
    name: Annotated[str, field("The recipient's name.", "Ann")]
    email: Annotated[str, field("Their e-mail address.", "ann@mail.example")]


class RecipientsPreviewView(msgspec.Struct, frozen=True):
    total: Annotated[int, field("Customers who would get the e-mail.", 1200)]
    excluded: Annotated[ExcludedView, field("Excluded customers, each counted once.", {"not_opted_in": 310})]
    sample: Annotated[
        list[SampleView], field("Up to ten of them.", [{"id": 12, "name": "Ann", "email": "ann@example.com"}])
    ]


class ReaderView(msgspec.Struct, frozen=True):
    id: Annotated[int | None, field("The customer; null if the audience is empty.", 12)]
    name: Annotated[str, field("The recipient's name.", "Ann")]
    email: Annotated[str, field("Their e-mail address.", "ann@mail.example")]


class EmailPreviewView(msgspec.Struct, frozen=True):
    reader: Annotated[ReaderView, field("The recipient it is rendered for.", {"id": 12, "name": "Ann"})]
    from_name: Annotated[str | None, field("The sender name; null means that of the store.", "Dragon Shop")]
    reply_to: Annotated[str | None, field("Where replies go.", "help@shop.example")]
    subject: Annotated[str, field("The rendered subject.", "20% off until Sunday, Ann")]
    html: Annotated[str, field("The rendered HTML.", "<p>Hello Ann!</p>")]
    text: Annotated[str, field("The rendered plain text.", "Hello Ann!")]


class TestEmailView(msgspec.Struct, frozen=True):
    sent_to: Annotated[str, field("The e-mail address.", "me@shop.example")]
    subject: Annotated[str, field("The subject.", "[Test] 20% off until Sunday, Ann")]


_ENTRY = view_of(CampaignListView, CampaignEntry, "audience")
_CAMPAIGN = view_of(CampaignView, Campaign, "audience")
_FILTERS = view_of(FiltersView, SegmentFilters)


def entry(campaign: CampaignEntry) -> CampaignListView:
    return _ENTRY(campaign, audience=_audience(audience_of(campaign)))


def campaign(campaign: Campaign) -> CampaignView:
    return _CAMPAIGN(campaign, audience=_audience(audience_of(campaign)))


def stats(campaign: CampaignEntry) -> CampaignStatsView:
    done = campaign.sent_count + campaign.failed_count + campaign.skipped_count + campaign.outbox_count
    is_over = campaign.status not in ("scheduled", "sending")
    return CampaignStatsView(
        recipients=campaign.recipients_count,
        pending=0 if is_over else campaign.recipients_count - done,
        sent=campaign.sent_count,
        failed=campaign.failed_count,
        skipped=campaign.skipped_count,
        outbox=campaign.outbox_count,
        perhaps_twice=campaign.perhaps_twice_count,
        opened=campaign.opened_count,
        clicked=campaign.clicked_count,
        unsubscribed=campaign.unsubscribed_count,
        referral_clicks=campaign.referral_clicks_count,
        progress=rate(done, campaign.recipients_count),
        failure_rate=rate(campaign.failed_count, campaign.sent_count + campaign.failed_count),
        open_rate=rate(campaign.opened_count, campaign.sent_count),
        click_rate=rate(campaign.clicked_count, campaign.sent_count),
        unsubscribe_rate=rate(campaign.unsubscribed_count, campaign.sent_count),
    )


def preview(preview: Preview) -> RecipientsPreviewView:
    return RecipientsPreviewView(
        preview.total, ExcludedView(**preview.excluded), [SampleView(*person) for person in preview.sample]
    )


def email_preview(preview: EmailPreview) -> EmailPreviewView:
    reader = ReaderView(preview.reader.id, preview.reader.name, preview.reader.email)
    return EmailPreviewView(reader, preview.from_name, preview.reply_to, preview.subject, preview.html, preview.text)


def _audience(audience: Audience) -> AudienceView:
    return AudienceView(audience.type, list(audience.customer_ids), _FILTERS(audience.filters))
