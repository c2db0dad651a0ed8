"""E-mail campaigns: the allowed changes of state, and when they may be sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from lootkeep.domain import audiences, emails
from lootkeep.domain.audiences import Audience
from lootkeep.domain.campaign_emails import MAX_SIZES, check_bodies, check_placeholders
from lootkeep.domain.emails import SendResult, holds_line_break
from lootkeep.domain.settlement import Settlement
from lootkeep.domain.subscriptions import period_start
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, InvalidFields, Unprocessable, invalid
from lootkeep.kernel.search import search_text

CampaignStatus = Literal["draft", "scheduled", "sending", "sent", "cancelled", "failed"]
Exclusion = Literal["not_opted_in", "unsubscribed", "bounced", "blocked"]

SAMPLE = 10

NO_SERVER = "No mail server was configured, so none of the remaining e-mails was sent."
NONE_SENT = "None of the e-mails could be sent."
NOBODY_LEFT = "There were no recipients at the scheduled time."
NO_BODY_LEFT = "There was nothing to send at the scheduled time."

_TERMS = (
    *("subject", "preview_text", "from_name", "reply_to", "audience"),
    *("body_html", "body_text", "body_markdown", "is_text_derived", "links"),
)


class CampaignEntry(msgspec.Struct, frozen=True):
    """A campaign as lists show it; operations and the worker maintain the counts."""

    id: int
    name: str
    subject: str
    preview_text: str | None
    from_name: str | None
    reply_to: str | None
    audience: str
    created_at: Instant
    updated_at: Instant
    status: CampaignStatus = "draft"
    scheduled_at: Instant | None = None
    recipients_count: int = 0
    sent_count: int = 0
    failed_count: int = 0
    skipped_count: int = 0
    outbox_count: int = 0
    perhaps_twice_count: int = 0
    opened_count: int = 0
    clicked_count: int = 0
    unsubscribed_count: int = 0
    referral_clicks_count: int = 0
    error: str | None = None
    started_at: Instant | None = None
    completed_at: Instant | None = None
    duplicated_from_id: int | None = None


class Campaign(CampaignEntry, frozen=True):
    """A campaign with its bodies."""

    body_html: str | None = None
    body_text: str | None = None
    # With Markdown, the other bodies are generated when it is sent.
    body_markdown: str | None = None
    # Whether the text was generated from the HTML.
    is_text_derived: bool = False
    # The targets of the links in the HTML: a JSON array.
    links: str = "[]"
    # When the next e-mail may be sent: the pace, which all processes share.
    next_at: Instant = Instant(0)

    @property
    def search_text(self) -> str:
        return search_text(self.name, self.subject)

    @property
    def has_body(self) -> bool:
        return any((body or "").strip() for body in (self.body_markdown, self.body_html, self.body_text))


class Recipient(msgspec.Struct, frozen=True):
    """A recipient of a campaign, claimed by a worker."""

    id: int
    campaign_id: int
    customer_id: int
    email: str
    attempts_count: int
    failures: int
    perhaps_twice: bool


class RecipientFields(msgspec.Struct, frozen=True):
    """The data of a recipient, read at the time of sending."""

    name: str
    referral_code: str
    # At the address that was fixed when the campaign started.
    may_be_written_to: bool
    # The campaign has not been cancelled meanwhile.
    is_wanted: bool
    # When the campaign started; one that failed may be sent again with other contents.
    started_at: Instant


class Reader(msgspec.Struct, frozen=True):
    """The recipient an e-mail is rendered for; without an id, a sample."""

    id: int | None
    name: str
    email: str
    referral_code: str


class EmailPreview(msgspec.Struct, frozen=True):
    """The e-mail of a campaign as one recipient would get it."""

    reader: Reader
    from_name: str | None
    reply_to: str | None
    subject: str
    text: str
    html: str


class Preview(msgspec.Struct, frozen=True):
    """Who a campaign would reach if it were sent now."""

    total: int
    excluded: dict[Exclusion, int]
    sample: list[tuple[int, str, str]]


def settle(outcome: SendResult, recipient: Recipient, now: Instant, delays: Sequence[int]) -> Settlement:
    """As with any e-mail, but an unreachable server does not count against the recipient: all wait together."""
    if outcome.kind == "unreachable":
        return Settlement("queued", now, recipient.failures, outcome.reason, recipient.perhaps_twice)
    return emails.settle(outcome, recipient.failures, now, delays=delays, was_doubtful=recipient.perhaps_twice)


def left_out(recipient: Recipient, reader: RecipientFields, now: Instant) -> Settlement | None:
    """For a recipient who must not get it any more: they unsubscribed or moved, or the campaign was cancelled."""
    if not reader.is_wanted:
        return Settlement("cancelled", now, recipient.failures, None, recipient.perhaps_twice)
    if not reader.may_be_written_to:
        reason = "the customer no longer accepts e-mails at this address"
        return Settlement("skipped", now, recipient.failures, reason, recipient.perhaps_twice)
    return None


def audience_of(campaign: CampaignEntry) -> Audience:
    return msgspec.json.decode(campaign.audience, type=Audience)


def checked(fields: dict[str, Any], *, has_store_url: bool) -> dict[str, Any]:
    """The fields as they are stored, or all validation errors."""
    errors: dict[str, list[str]] = {}
    for name in ("name", "subject", "preview_text", "from_name", "reply_to"):
        if holds_line_break(fields.get(name) or ""):
            errors[name] = [f"The {name.replace('_', ' ')} field must be on one line."]
    errors |= check_bodies(fields)
    for name in ("subject", "preview_text", *MAX_SIZES):
        if name not in errors and (error := check_placeholders(fields.get(name) or "", has_store_url=has_store_url)):
            errors[name] = [f"The {name.replace('_', ' ')} field {error}."]
    if "audience" in fields:
        errors |= audiences.check(fields["audience"])
    if errors:
        raise InvalidFields(errors)
    if "audience" in fields:
        return fields | {"audience": msgspec.json.encode(audiences.plain(fields["audience"])).decode()}
    return fields


def require_editable(campaign: CampaignEntry) -> None:
    if campaign.status not in ("draft", "scheduled"):
        raise Conflict("campaign_not_editable", f"A campaign that is {_state(campaign)} cannot be changed or deleted.")


def require_sendable(campaign: Campaign) -> None:
    # Of a campaign that failed, nobody got an e-mail.
    if campaign.status not in ("draft", "failed"):
        raise Conflict("campaign_not_draft", f"A campaign that is {_state(campaign)} cannot be sent again.")
    require_body(campaign)


def require_body(campaign: Campaign) -> None:
    if not campaign.has_body:
        raise invalid("body_html", "The body html field must not be empty when the campaign is to be sent.")


def require_cancellable(campaign: CampaignEntry) -> None:
    if campaign.status not in ("scheduled", "sending"):
        raise Conflict("campaign_not_cancellable", f"A campaign that is {_state(campaign)} cannot be cancelled.")


def require_in_time(scheduled_at: Instant, now: Instant) -> None:
    if scheduled_at <= now:
        raise invalid("scheduled_at", "The scheduled at field must be in the future.")
    if scheduled_at > period_start(now, "year", 1, 1):
        raise invalid("scheduled_at", "The scheduled at field must not be more than a year ahead.")


def copied(campaign: Campaign, name: str, now: Instant) -> Campaign:
    """A new draft with the same terms. The parsed bodies are copied too: parsing them again would take long."""
    terms = {field: getattr(campaign, field) for field in _TERMS} | {"name": name}
    if campaign.body_markdown:
        # What was generated when it was sent is generated again.
        terms |= {"body_html": None, "links": "[]"}
        terms |= {"body_text": None, "is_text_derived": False} if campaign.is_text_derived else {}
    return Campaign(id=0, **terms, created_at=now, updated_at=now, duplicated_from_id=campaign.id)


def started_over(campaign: Campaign) -> Campaign:
    """A campaign that nobody got, before it is sent again."""
    counts = {field: 0 for field in Campaign.__struct_fields__ if field.endswith("_count")}
    return replace(campaign, **counts, error=None, scheduled_at=None, started_at=None, completed_at=None)


def scheduled(campaign: Campaign, scheduled_at: Instant, now: Instant) -> Campaign:
    return replace(campaign, status="scheduled", scheduled_at=scheduled_at, updated_at=now)


def started(campaign: Campaign, recipients: int, now: Instant) -> Campaign:
    return replace(campaign, status="sending", recipients_count=recipients, started_at=now, next_at=now, updated_at=now)


def ended(campaign: Campaign, status: CampaignStatus, error: str | None, now: Instant) -> Campaign:
    return replace(campaign, status=status, error=error, completed_at=now, updated_at=now)


def no_audience() -> Unprocessable:
    return Unprocessable("empty_audience", "Nobody in the audience can receive e-mails.")


def _state(campaign: CampaignEntry) -> str:
    return "a draft" if campaign.status == "draft" else campaign.status


def copy_name(name: str, longest: int = 255) -> str:
    suffix = " (copy)"
    return name[: longest - len(suffix)] + suffix


def rate(part: int, whole: int) -> float:
    """Percent with two decimals; 0 if the whole is 0."""
    return round(part / whole * 100, 2) if whole else 0.0
