"""E-mail campaigns in public: the list, the whole, figures, and whom one would reach."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from lootkeep.domain.campaigns import (
    Audience,
    AudienceType,
    Campaign,
    CampaignEntry,
    CampaignStatus,
    Filters,
    Preview,
    audience_of,
    rate,
)
from lootkeep.kernel import money
from lootkeep.kernel.clock import optional_utc, utc
from lootkeep.views.fields import Moment, Time, field

OptionalTime = Annotated[Moment | None, field("When, in UTC; null until then.", None)]


class FiltersView(msgspec.Struct, frozen=True):
    countries: Annotated[list[str] | None, field("Customers of these countries.", ["DE", "AT"])]
    min_total_spent: Annotated[str | None, field("Who have spent at least this.", "50.00")]
    min_orders: Annotated[int | None, field("Who have at least so many paid orders.", 2)]
    last_order_before: Annotated[Moment | None, field("Whose last order lies before.", None)]
    last_order_after: Annotated[Moment | None, field("Whose last order does not lie before.", None)]
    registered_from: Annotated[Moment | None, field("Who signed up then or later.", None)]
    registered_to: Annotated[Moment | None, field("Who signed up then or earlier.", None)]
    product_ids: Annotated[list[int] | None, field("Who have paid for one of these products.", None)]
    tags: Annotated[list[str] | None, field("Who have one of these tags.", None)]
    is_referrer: Annotated[bool | None, field("Who have, or have not, referred somebody.", None)]


class AudienceView(msgspec.Struct, frozen=True):
    type: Annotated[AudienceType, field("Everyone, a segment, or customers by name.", "segment")]
    customer_ids: Annotated[list[int], field("Of the type customers.", [])]
    filters: Annotated[FiltersView, field("Of the type segment; all that are set must hold.", {"countries": ["DE"]})]


class CampaignListView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the campaign.", 7)]
    name: Annotated[str, field("For the store's own eyes.", "Winter sale")]
    subject: Annotated[str, field("The subject of the mails.", "20% off until Sunday, {{ name }}")]
    preview_text: Annotated[str | None, field("What mail programs show beside the subject.", "Only this week")]
    from_name: Annotated[str | None, field("In whose name; the store's when null.", "Dragon Shop")]
    reply_to: Annotated[str | None, field("Where answers go.", "help@shop.example")]
    audience: Annotated[AudienceView, field("Whom it is for.", {"type": "all"})]
    status: Annotated[CampaignStatus, field("Where it stands.", "sending")]
    scheduled_at: OptionalTime
    recipients_count: Annotated[int, field("How many it writes to; fixed when it starts.", 1200)]
    sent_count: Annotated[int, field("Mails that the mail server has taken.", 800)]
    failed_count: Annotated[int, field("Mails that it refused.", 3)]
    skipped_count: Annotated[int, field("Who unsubscribed before their turn.", 1)]
    outbox_count: Annotated[int, field("Mails that were not sent for want of a mail server.", 0)]
    error: Annotated[str | None, field("What stands in the way, or why it failed.", None)]
    started_at: OptionalTime
    completed_at: OptionalTime
    duplicated_from_id: Annotated[int | None, field("The campaign it was copied from.", None)]
    created_at: Time
    updated_at: Time


class CampaignView(CampaignListView, frozen=True):
    body_html: Annotated[str | None, field("The mail.", "<p>Hello {{ name }}!</p>")]
    body_text: Annotated[
        str | None, field("The mail as plain text; made from the HTML when absent.", "Hello {{ name }}!")
    ]


class CampaignStatsView(msgspec.Struct, frozen=True):
    recipients: Annotated[int, field("How many it writes to.", 1200)]
    pending: Annotated[int, field("Who still wait.", 396)]
    sent: Annotated[int, field("Mails that the mail server has taken.", 800)]
    failed: Annotated[int, field("Mails that it refused.", 3)]
    skipped: Annotated[int, field("Who unsubscribed before their turn.", 1)]
    outbox: Annotated[int, field("Mails that were not sent for want of a mail server.", 0)]
    perhaps_twice: Annotated[int, field("Mails sent again because nobody knew whether they had arrived.", 0)]
    opened: Annotated[int, field("Who have opened it, as far as mail programs tell.", 320)]
    clicked: Annotated[int, field("Who have followed a link.", 96)]
    unsubscribed: Annotated[int, field("Who unsubscribed by it.", 4)]
    progress: Annotated[int | float, field("Percentage of the recipients that are done with.", 67.0)]
    failure_rate: Annotated[int | float, field("Percentage of sent and failed.", 0.37)]
    open_rate: Annotated[int | float, field("Percentage of sent.", 40.0)]
    click_rate: Annotated[int | float, field("Percentage of sent.", 12.0)]
    unsubscribe_rate: Annotated[int | float, field("Percentage of sent.", 0.5)]


class ExcludedView(msgspec.Struct, frozen=True):
    not_opted_in: Annotated[int, field("Who have not asked for such mail.", 310)]
    unsubscribed: Annotated[int, field("Who have unsubscribed or complained.", 25)]
    bounced: Annotated[int, field("Whose mailbox does not exist.", 8)]
    blocked: Annotated[int, field("Whom the store has blocked.", 2)]


class SampleView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("The customer.", 12)]
    name: Annotated[str, field("Their name.", "Ann")]
    email: Annotated[str, field("Their address.", "ann@mail.example")]


class RecipientsPreviewView(msgspec.Struct, frozen=True):
    total: Annotated[int, field("Who would be written to.", 1200)]
    excluded: Annotated[ExcludedView, field("Who are left out, each counted once.", {"not_opted_in": 310})]
    sample: Annotated[
        list[SampleView], field("Up to ten of them.", [{"id": 12, "name": "Ann", "email": "ann@example.com"}])
    ]


def entry(campaign: CampaignEntry) -> CampaignListView:
    return CampaignListView(**_shared(campaign))


def campaign(campaign: Campaign) -> CampaignView:
    return CampaignView(**_shared(campaign), body_html=campaign.body_html, body_text=campaign.body_text)


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


def _shared(campaign: CampaignEntry) -> dict[str, Any]:
    plain = {name: getattr(campaign, name) for name in CampaignListView.__struct_fields__}
    times = {name: optional_utc(plain[name]) for name in ("scheduled_at", "started_at", "completed_at")}
    return (
        plain
        | times
        | {
            "audience": _audience(audience_of(campaign)),
            "created_at": utc(campaign.created_at),
            "updated_at": utc(campaign.updated_at),
        }
    )


def _audience(audience: Audience) -> AudienceView:
    return AudienceView(audience.type, list(audience.customer_ids), _filters(audience.filters))


def _filters(filters: Filters) -> FiltersView:
    return FiltersView(
        countries=None if filters.countries is None else list(filters.countries),
        min_total_spent=None if filters.min_total_spent is None else money.text(filters.min_total_spent),
        min_orders=filters.min_orders,
        last_order_before=optional_utc(filters.last_order_before),
        last_order_after=optional_utc(filters.last_order_after),
        registered_from=optional_utc(filters.registered_from),
        registered_to=optional_utc(filters.registered_to),
        product_ids=None if filters.product_ids is None else list(filters.product_ids),
        tags=None if filters.tags is None else list(filters.tags),
        is_referrer=filters.is_referrer,
    )
