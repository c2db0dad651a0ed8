"""E-mail campaigns: their terms and their states."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, update

from lootkeep.domain.campaigns import Campaign, CampaignEntry
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import contains, contains_short, equals, within
from lootkeep.storage.lists import Counted, Listing, Sort
from lootkeep.storage.rows import Rows
from lootkeep.storage.schema import campaign_recipients, email_campaigns

ROWS = Rows(email_campaigns, Campaign, derived=("search_text",), totals="campaigns", is_shown=True)

_FORGET = Query(delete(campaign_recipients).where(campaign_recipients.c.campaign_id == bindparam("campaign")))
_CANCEL_RECIPIENTS = Query(
    update(campaign_recipients)
    .where(campaign_recipients.c.campaign_id == bindparam("campaign"), campaign_recipients.c.status == "queued")
    .values(status="cancelled", finished_at=bindparam("now"))
)

LISTING = Listing(
    email_campaigns,
    CampaignEntry,
    {
        "search": contains(email_campaigns.c.search_text),
        "status": equals(email_campaigns.c.status, "status"),
        "search_short": contains_short(email_campaigns.c.search_text),
        **within(email_campaigns.c.created_at),
    },
    {name: Sort(email_campaigns.c[name]) for name in ("created_at", "id", "name")},
    Counted(lambda _: ["email_campaigns.all"]),
)


async def start(tx: Transaction, before: Campaign, after: Campaign) -> Campaign:
    """From now on the worker sends it; its recipients must already be fixed."""
    tx.wake("email_campaigns")
    return await ROWS.save(tx, before, after)


async def forget_recipients(tx: Transaction, campaign_id: int) -> None:
    await tx.run_slow(_FORGET, campaign=campaign_id)


async def cancel_recipients(tx: Transaction, campaign_id: int, now: Instant) -> None:
    """Cancels waiting recipients; an e-mail that is being sent at this moment cannot be stopped."""
    await tx.run_slow(_CANCEL_RECIPIENTS, campaign=campaign_id, now=now)
