"""E-mail campaigns: what the store decides about them, and their states."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, delete, func, insert, select, update

from lootkeep.domain.campaigns import Campaign, CampaignEntry, CampaignStatus
from lootkeep.domain.customers import folded, search_text
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.paging import Order, Page
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import SHORTEST_INDEXED_TERM, Contains, ContainsShort, WakeWorkers
from lootkeep.storage.query import Query
from lootkeep.storage.tables import campaign_recipients, email_campaigns

_CAMPAIGN = [email_campaigns.c[name] for name in Campaign.__struct_fields__]
_ENTRY = [email_campaigns.c[name] for name in CampaignEntry.__struct_fields__]
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
_COUNTS = ("recipients", "sent", "failed", "skipped", "outbox", "perhaps_twice", "opened", "clicked", "unsubscribed")
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
_CANCEL_RECIPIENTS = Query(
    update(campaign_recipients)
    .where(campaign_recipients.c.campaign_id == bindparam("campaign"), campaign_recipients.c.status == "queued")
    .values(status="cancelled", finished_at=bindparam("now"))
)
_WAKE = Query(WakeWorkers())

_FILTERS: dict[str, Any] = {
    "status": email_campaigns.c.status == bindparam("wanted_status"),
    "from": email_campaigns.c.created_at >= bindparam("wanted_from"),
    "to": email_campaigns.c.created_at < bindparam("wanted_to"),
    "search": Contains(email_campaigns.c.search_text, bindparam("wanted_search", type_=email_campaigns.c.name.type)),
    "short": ContainsShort(email_campaigns.c.search_text, bindparam("wanted_short", type_=email_campaigns.c.name.type)),
}


@cache
def _page_query(filters: frozenset[str], sort: str, order: Order) -> Query[CampaignEntry]:
    columns = (email_campaigns.c[sort], email_campaigns.c.id)
    keys = _filtered(select(email_campaigns.c.id), filters)
    keys = keys.order_by(*(column.desc() if order == "desc" else column for column in columns))
    page = keys.limit(bindparam("size")).offset(bindparam("skip")).subquery()
    rows = select(*_ENTRY).join(page, page.c.id == email_campaigns.c.id)
    return Query(rows.order_by(*(column.desc() if order == "desc" else column for column in columns)), CampaignEntry)


@cache
def _total_query(filters: frozenset[str]) -> Query[tuple[Any, ...]]:
    return Query(_filtered(select(func.count()).select_from(email_campaigns), filters))


def _filtered(query: Select[Any], filters: frozenset[str]) -> Select[Any]:
    return query.where(*(_FILTERS[name] for name in sorted(filters)))


async def page(
    tx: Transaction, asked: Page, filters: dict[str, Any], sort: str, order: Order
) -> tuple[list[CampaignEntry], int]:
    """A page of the list without the mails themselves, and how many there are in all."""
    if "search" in filters:
        term = folded(filters["search"])
        filters = {name: value for name, value in filters.items() if name != "search"}
        filters["search" if len(term) >= SHORTEST_INDEXED_TERM else "short"] = term
    shape = frozenset(filters)
    values = {f"wanted_{name}": value for name, value in filters.items()}
    ((total,),) = await tx.all(_total_query(shape), **values)
    if asked.offset >= total:
        return [], int(total)
    return await tx.all(_page_query(shape, sort, order), size=asked.size, skip=asked.offset, **values), int(total)


async def get(tx: Transaction, campaign_id: int) -> Campaign | None:
    return await tx.one(_GET, campaign=campaign_id)


async def for_change(tx: Transaction, campaign_id: int) -> Campaign | None:
    return await tx.one(_LOCK, campaign=campaign_id)


async def add(tx: Transaction, terms: dict[str, Any], now: Instant, original: int | None = None) -> Campaign:
    (campaign,) = await tx.all(_ADD, **_values(terms), original=original, now=now)
    return campaign


async def save(tx: Transaction, campaign_id: int, terms: dict[str, Any], now: Instant) -> Campaign:
    (campaign,) = await tx.all(_SET, **_values(terms), campaign=campaign_id, now=now)
    return campaign


async def remove(tx: Transaction, campaign_id: int) -> None:
    await tx.run(_REMOVE, campaign=campaign_id)


async def schedule(tx: Transaction, campaign_id: int, time: Instant, now: Instant) -> Campaign:
    (campaign,) = await tx.all(_SCHEDULE, campaign=campaign_id, time=time, now=now)
    return campaign


async def start(tx: Transaction, campaign_id: int, count: int, now: Instant) -> Campaign:
    """From now on the worker sends it; its recipients must be fixed already."""
    await tx.run(_WAKE)
    (campaign,) = await tx.all(_START, campaign=campaign_id, count=count, now=now)
    return campaign


async def end(tx: Transaction, campaign_id: int, status: CampaignStatus, error: str | None, now: Instant) -> Campaign:
    (campaign,) = await tx.all(_END, campaign=campaign_id, end=status, why=error, now=now)
    return campaign


async def cancel_recipients(tx: Transaction, campaign_id: int, now: Instant) -> None:
    """Those who wait; a mail that is under way at this moment cannot be called back."""
    await tx.long(_CANCEL_RECIPIENTS, campaign=campaign_id, now=now)


def _values(terms: dict[str, Any]) -> dict[str, Any]:
    return {name: terms[name] for name in TERMS} | {"search_text": search_text(terms["name"], terms["subject"])}
