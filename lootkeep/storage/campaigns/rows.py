"""E-mail campaigns: their terms and their states."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update

from lootkeep.domain.campaigns import Campaign, CampaignEntry, CampaignStatus
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.search import search_text
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import WakeWorkers
from lootkeep.storage.engine.query import Query
from lootkeep.storage.lists import Counted, Listing, Sort, contains, contains_short, equals, within
from lootkeep.storage.schema import campaign_recipients, email_campaigns

_CAMPAIGN = [email_campaigns.c[name] for name in Campaign.__struct_fields__]
_THIS = email_campaigns.c.id == bindparam("campaign")
TERMS = (
    "name",
    "subject",
    "preview_text",
    "from_name",
    "reply_to",
    "body_html",
    "body_text",
    "is_text_derived",
    "links",
    "audience",
)
SORTS = ("created_at", "name")
_COUNTS = (
    "recipients",
    "sent",
    "failed",
    "skipped",
    "outbox",
    "perhaps_twice",
    "opened",
    "clicked",
    "unsubscribed",
    "referral_clicks",
)
_GIVEN: dict[str, Any] = {name: bindparam(name) for name in (*TERMS, "search_text")}

_GET = Query(select(*_CAMPAIGN).where(_THIS), Campaign)
_LOCK = Query(select(*_CAMPAIGN).where(_THIS).with_for_update(), Campaign)
_ADD = Query(
    insert(email_campaigns)
    .values(
        {
            **_GIVEN,
            **{f"{name}_count": 0 for name in _COUNTS},
            "status": "draft",
            "next_at": 0,
            "duplicated_from_id": bindparam("original"),
            "created_at": bindparam("now"),
            "updated_at": bindparam("now"),
        }
    )
    .returning(*_CAMPAIGN),
    Campaign,
)
_SET = Query(
    update(email_campaigns).where(_THIS).values(**_GIVEN, updated_at=bindparam("now")).returning(*_CAMPAIGN), Campaign
)
_REMOVE = Query(delete(email_campaigns).where(_THIS))
_SCHEDULE = Query(
    update(email_campaigns)
    .where(_THIS)
    .values(status="scheduled", scheduled_at=bindparam("time"), updated_at=bindparam("now"))
    .returning(*_CAMPAIGN),
    Campaign,
)
_START = Query(
    update(email_campaigns)
    .where(_THIS)
    .values(
        status="sending",
        recipients_count=bindparam("count"),
        started_at=bindparam("now"),
        next_at=bindparam("now"),
        updated_at=bindparam("now"),
    )
    .returning(*_CAMPAIGN),
    Campaign,
)
_END = Query(
    update(email_campaigns)
    .where(_THIS)
    .values(status=bindparam("end"), error=bindparam("why"), completed_at=bindparam("now"), updated_at=bindparam("now"))
    .returning(*_CAMPAIGN),
    Campaign,
)
_FORGET = (
    Query(delete(campaign_recipients).where(campaign_recipients.c.campaign_id == bindparam("campaign"))),
    Query(
        update(email_campaigns)
        .where(_THIS)
        .values(**{f"{name}_count": 0 for name in _COUNTS}, error=None, completed_at=None, scheduled_at=None)
    ),
)
_CANCEL_RECIPIENTS = Query(
    update(campaign_recipients)
    .where(campaign_recipients.c.campaign_id == bindparam("campaign"), campaign_recipients.c.status == "queued")
    .values(status="cancelled", finished_at=bindparam("now"))
)
_WAKE = Query(WakeWorkers(email_campaigns))

LISTING = Listing(
    email_campaigns,
    CampaignEntry,
    {
        "search": contains(email_campaigns.c.search_text),
        "status": equals(email_campaigns.c.status, "status"),
        "search_short": contains_short(email_campaigns.c.search_text),
        **within(email_campaigns.c.created_at),
    },
    {name: Sort(email_campaigns.c[name]) for name in SORTS},
    Counted(lambda _: ["email_campaigns.all"]),
)


async def get(tx: Transaction, campaign_id: int) -> Campaign | None:
    return await tx.one(_GET, campaign=campaign_id)


async def get_for_update(tx: Transaction, campaign_id: int) -> Campaign | None:
    return await tx.one(_LOCK, campaign=campaign_id)


async def add(tx: Transaction, terms: dict[str, Any], now: Instant, original: int | None = None) -> Campaign:
    (campaign,) = await tx.all(_ADD, **_values(terms), original=original, now=now)
    tx.totals.count("campaigns", None, campaign)
    return campaign


async def save(tx: Transaction, campaign_id: int, terms: dict[str, Any], now: Instant) -> Campaign:
    (campaign,) = await tx.all(_SET, **_values(terms), campaign=campaign_id, now=now)
    return campaign


async def remove(tx: Transaction, campaign: Campaign) -> None:
    await tx.run(_REMOVE, campaign=campaign.id)
    tx.totals.count("campaigns", campaign, None)


async def schedule(tx: Transaction, campaign_id: int, time: Instant, now: Instant) -> Campaign:
    (campaign,) = await tx.all(_SCHEDULE, campaign=campaign_id, time=time, now=now)
    return campaign


async def start(tx: Transaction, campaign_id: int, count: int, now: Instant) -> Campaign:
    """From now on the worker sends it; its recipients must already be fixed."""
    await tx.run(_WAKE)
    (campaign,) = await tx.all(_START, campaign=campaign_id, count=count, now=now)
    return campaign


async def start_over(tx: Transaction, campaign_id: int) -> None:
    """Forgets the recipients of a campaign that nobody got."""
    for query in _FORGET:
        await tx.run_slow(query, campaign=campaign_id)


async def end(tx: Transaction, campaign_id: int, status: CampaignStatus, error: str | None, now: Instant) -> Campaign:
    (campaign,) = await tx.all(_END, campaign=campaign_id, end=status, why=error, now=now)
    return campaign


async def cancel_recipients(tx: Transaction, campaign_id: int, now: Instant) -> None:
    """Cancels waiting recipients; an e-mail that is being sent at this moment cannot be stopped."""
    await tx.run_slow(_CANCEL_RECIPIENTS, campaign=campaign_id, now=now)


def _values(terms: dict[str, Any]) -> dict[str, Any]:
    return {name: terms[name] for name in TERMS} | {"search_text": search_text(terms["name"], terms["subject"])}
