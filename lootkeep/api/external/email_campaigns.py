"""E-mail campaigns over HTTP."""

from __future__ import annotations

from typing import Any

from lootkeep.api.external.campaign_bodies import (
    AudienceBody,
    CampaignBody,
    CampaignChanges,
    CampaignQuery,
    DuplicateBody,
    PreviewQuery,
    SendBody,
    TestBody,
)
from lootkeep.api.http.pages import answer_page
from lootkeep.api.http.routes import (
    MAX_LARGE_BODY,
    Call,
    ExtensionRoute,
    Group,
    Reply,
    Route,
    only_message,
    paged,
    single,
)
from lootkeep.api.http.validation import Body
from lootkeep.domain.audiences import Audience, SegmentFilters
from lootkeep.domain.campaigns import Campaign, audience_of
from lootkeep.kernel.errors import existing
from lootkeep.services import campaign_previews as campaign_previews_service, campaigns as campaigns_service
from lootkeep.storage.campaigns import audiences as audiences_db, rows as campaigns_db
from lootkeep.views import campaigns as campaigns_views


async def list_campaigns(call: Call[None, CampaignQuery]) -> Reply:
    return await answer_page(call, campaigns_db.LISTING, campaigns_views.entry)


async def create_campaign(call: Call[CampaignBody, None]) -> Reply:
    fields = {name: getattr(call.body, name) for name in CampaignBody.model_fields}
    return Reply(
        campaigns_views.campaign(await campaigns_service.create(call.deps, _stored(fields), call.body.reading))
    )


async def get_campaign(call: Call[None, None]) -> Reply:
    return Reply(campaigns_views.campaign(await _get_or_404(call)))


async def get_campaign_stats(call: Call[None, None]) -> Reply:
    return Reply(campaigns_views.stats(await _get_or_404(call)))


async def preview_recipients(call: Call[None, None]) -> Reply:
    campaign = await _get_or_404(call)
    async with call.deps.db.read(slow=True) as tx:
        return Reply(campaigns_views.preview(await audiences_db.preview(tx, audience_of(campaign))))


async def preview_email(call: Call[None, PreviewQuery]) -> Reply:
    preview = await campaign_previews_service.preview(call.deps, call.id, call.query.customer_id)
    return Reply(campaigns_views.email_preview(preview))


async def send_test_email(call: Call[TestBody, None]) -> Reply:
    preview, _ = await campaign_previews_service.send_test(call.deps, call.id, call.body.email)
    return Reply(campaigns_views.TestEmailView(call.body.email, f"[Test] {preview.subject}"))


async def update_campaign(call: Call[Body, None]) -> Reply:
    return Reply(
        campaigns_views.campaign(await campaigns_service.change(call.deps, call.id, _stored(call.body.sent())))
    )


async def delete_campaign(call: Call[None, None]) -> Reply:
    await campaigns_service.delete(call.deps, call.id)
    return Reply()


async def send_campaign(call: Call[SendBody, None]) -> Reply:
    campaign = await campaigns_service.send(call.deps, call.id, call.body.scheduled_at)
    message = "Campaign scheduled" if campaign.status == "scheduled" else "Campaign is being sent"
    return Reply(campaigns_views.campaign(campaign), message=message)


async def cancel_campaign(call: Call[None, None]) -> Reply:
    return Reply(campaigns_views.campaign(await campaigns_service.cancel(call.deps, call.id)))


async def duplicate_campaign(call: Call[DuplicateBody, None]) -> Reply:
    return Reply(campaigns_views.campaign(await campaigns_service.duplicate(call.deps, call.id, call.body.name)))


async def _get_or_404(call: Call[Any, Any]) -> Campaign:
    async with call.deps.db.read() as tx:
        return existing(await campaigns_db.ROWS.get(tx, call.id), "Email campaign")


def _stored(fields: dict[str, Any]) -> dict[str, Any]:
    """With the audience as the domain knows it."""
    body: AudienceBody | None = fields.get("audience")
    if body is None:
        return fields
    filters = {name: _frozen(value) for name, value in body.filters}
    audience = Audience(body.type, tuple(body.customer_ids), SegmentFilters(**filters))
    return fields | {"audience": audience}


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


GROUP = Group(
    name="Email campaigns",
    description="E-mails to many customers: audiences, scheduling and statistics.",
    routes=(
        Route(
            "GET",
            "/email-campaigns",
            list_campaigns,
            "email-campaigns:read",
            "List campaigns",
            paged(campaigns_views.CampaignListView),
            description="Newest first by default; without the bodies.",
        ),
        Route(
            "POST",
            "/email-campaigns",
            create_campaign,
            "email-campaigns:write",
            "Create a campaign",
            single(campaigns_views.CampaignView, "Campaign created successfully", status=201),
            max_body=MAX_LARGE_BODY,
            description="Creates a draft; nothing is sent yet. `{{ name }}`, `{{ email }}`, `{{ referral_code }}` and "
            "`{{ unsubscribe_url }}` are replaced for each recipient.",
        ),
        Route(
            "GET",
            "/email-campaigns/{id}",
            get_campaign,
            "email-campaigns:read",
            "Read a campaign",
            single(campaigns_views.CampaignView),
            description="Includes its bodies, its audience and the progress of sending.",
        ),
        Route(
            "PUT",
            "/email-campaigns/{id}",
            update_campaign,
            "email-campaigns:write",
            "Update a campaign",
            single(campaigns_views.CampaignView, "Campaign updated successfully"),
            body=CampaignChanges,
            max_body=MAX_LARGE_BODY,
            description="Changes only the fields that are sent. Only possible for `draft` and `scheduled`.",
            may_conflict=True,
        ),
        Route(
            "DELETE",
            "/email-campaigns/{id}",
            delete_campaign,
            "email-campaigns:write",
            "Delete a campaign",
            only_message("Campaign deleted successfully"),
            description="Only possible for `draft` and `scheduled`.",
            may_conflict=True,
        ),
        Route(
            "GET",
            "/email-campaigns/{id}/stats",
            get_campaign_stats,
            "email-campaigns:read",
            "Read campaign statistics",
            single(campaigns_views.CampaignStatsView),
            description="Rates are percentages, and 0 if the divisor is 0.",
        ),
        Route(
            "GET",
            "/email-campaigns/{id}/preview-recipients",
            preview_recipients,
            "email-campaigns:read",
            "Preview a campaign's recipients",
            single(campaigns_views.RecipientsPreviewView),
            description="As of now; changes nothing.",
        ),
        ExtensionRoute(
            "GET",
            "/email-campaigns/{id}/preview",
            preview_email,
            "email-campaigns:read",
            "Preview a campaign's e-mail",
            single(campaigns_views.EmailPreviewView),
            description="The e-mail as a customer would get it. Nothing is counted, and the unsubscribe link has no "
            "effect.",
        ),
        ExtensionRoute(
            "POST",
            "/email-campaigns/{id}/test",
            send_test_email,
            "email-campaigns:write",
            "Send a test e-mail",
            single(campaigns_views.TestEmailView, "Test e-mail queued"),
            description="Sends the preview to any e-mail address; at most 10 per minute. Returns 409 `no_mail_server` "
            "if there is none.",
            may_conflict=True,
            is_foreign=True,
        ),
        Route(
            "POST",
            "/email-campaigns/{id}/send",
            send_campaign,
            "email-campaigns:write",
            "Send or schedule a campaign",
            single(campaigns_views.CampaignView, "Campaign is being sent"),
            description="Only a campaign that is a draft or has failed can be sent. The recipients are fixed when it "
            "starts. Returns 409 `no_mail_server` if there is none.",
            may_conflict=True,
        ),
        ExtensionRoute(
            "POST",
            "/email-campaigns/{id}/cancel",
            cancel_campaign,
            "email-campaigns:write",
            "Cancel a campaign",
            single(campaigns_views.CampaignView, "Campaign cancelled"),
            description="Stops a campaign that is scheduled or being sent.",
            may_conflict=True,
        ),
        Route(
            "POST",
            "/email-campaigns/{id}/duplicate",
            duplicate_campaign,
            "email-campaigns:write",
            "Duplicate a campaign",
            single(campaigns_views.CampaignView, "Campaign duplicated successfully", status=201),
            description="A new draft with the same content and audience.",
        ),
    ),
)
