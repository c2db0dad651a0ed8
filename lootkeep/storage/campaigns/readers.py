"""What recipients do with a campaign's e-mails: open them, click links, unsubscribe."""

from __future__ import annotations

import msgspec
from sqlalchemy import bindparam, select, update

from lootkeep.domain.customers import Customer
from lootkeep.kernel.clock import Instant
from lootkeep.storage.campaigns.queue import LOCK, THIS_CAMPAIGN
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import columns_of
from lootkeep.storage.schema import campaign_recipients as recipients, customers, email_campaigns

_THIS = recipients.c.id == bindparam("recipient")
# Nothing is recorded about someone whose data was erased.
_CUSTOMER = (customers.c.id == bindparam("customer"), customers.c.erased_at.is_(None))


class CampaignVisit(msgspec.Struct, frozen=True):
    """An e-mail with a link that someone opened."""

    campaign_id: int
    customer_id: int
    email: str
    opened_at: Instant | None
    clicked_at: Instant | None
    unsubscribed_at: Instant | None


_FIND = Query(select(*(recipients.c[name] for name in CampaignVisit.__struct_fields__)).where(_THIS), CampaignVisit)
_LINKS = Query(select(email_campaigns.c.links).where(THIS_CAMPAIGN))
_MARK = {
    what: Query(
        update(recipients)
        .where(_THIS, recipients.c[f"{what}_at"].is_(None))
        .values({f"{what}_at": bindparam("now")})
        .returning(recipients.c.id)
    )
    for what in ("opened", "clicked", "unsubscribed")
}
_COUNT_MARK = {
    what: Query(
        update(email_campaigns).where(THIS_CAMPAIGN).values({f"{what}_count": email_campaigns.c[f"{what}_count"] + 1})
    )
    for what in _MARK
}
_UNSUBSCRIBE = Query(
    update(customers)
    .where(
        *_CUSTOMER,
        customers.c.email_status != "complained",
        customers.c.email_status != "unsubscribed",
    )
    .values(email_status="unsubscribed", updated_at=bindparam("now"))
    .returning(*columns_of(customers, Customer)),
    Customer,
)
_UNDO_MARK = Query(
    update(recipients)
    .where(_THIS, recipients.c.unsubscribed_at.is_not(None))
    .values(unsubscribed_at=None)
    .returning(recipients.c.id)
)
_COUNT_UNDO = Query(
    update(email_campaigns).where(THIS_CAMPAIGN).values(unsubscribed_count=email_campaigns.c.unsubscribed_count - 1)
)
_SUBSCRIBE = Query(
    update(customers)
    .where(*_CUSTOMER, customers.c.email_status == "unsubscribed")
    .values(email_status="ok", updated_at=bindparam("now"))
    .returning(*columns_of(customers, Customer)),
    Customer,
)
_REFERRAL = Query(
    select(recipients.c.campaign_id, customers.c.referral_code)
    .join(customers, customers.c.id == recipients.c.customer_id)
    .where(_THIS)
)
_COUNT_REFERRAL = (
    Query(
        update(email_campaigns)
        .where(THIS_CAMPAIGN)
        .values(referral_clicks_count=email_campaigns.c.referral_clicks_count + 1)
    ),
    Query(update(recipients).where(_THIS).values(referral_clicks=recipients.c.referral_clicks + 1)),
)


async def find(tx: Transaction, recipient_id: int) -> CampaignVisit | None:
    return await tx.one(_FIND, recipient=recipient_id)


async def links(tx: Transaction, campaign_id: int) -> list[str]:
    row = await tx.one(_LINKS, campaign=campaign_id)
    return msgspec.json.decode(row[0], type=list[str]) if row else []


async def mark(tx: Transaction, recipient_id: int, campaign_id: int, what: str, now: Instant) -> None:
    """Records and counts the first time."""
    await tx.run(LOCK, campaign=campaign_id)
    if await tx.all(_MARK[what], recipient=recipient_id, now=now):
        await tx.run(_COUNT_MARK[what], campaign=campaign_id)


async def unsubscribe(tx: Transaction, customer_id: int, now: Instant) -> Customer | None:
    """The customer; None if they had unsubscribed or complained before."""
    return await tx.one(_UNSUBSCRIBE, customer=customer_id, now=now)


async def undo_unsubscribe(tx: Transaction, recipient_id: int, now: Instant) -> tuple[bool, Customer | None]:
    """Whether they had unsubscribed with this e-mail, and the customer if they get e-mails again."""
    visit = await find(tx, recipient_id)
    if visit is None:
        return False, None
    await tx.run(LOCK, campaign=visit.campaign_id)
    if not await tx.all(_UNDO_MARK, recipient=recipient_id):
        return False, None
    await tx.run(_COUNT_UNDO, campaign=visit.campaign_id)
    return True, await tx.one(_SUBSCRIBE, customer=visit.customer_id, now=now)


async def referral(tx: Transaction, recipient_id: int) -> tuple[int, str] | None:
    """The campaign of an e-mail and the referral code of its recipient."""
    row = await tx.one(_REFERRAL, recipient=recipient_id)
    return None if row is None else (int(row[0]), str(row[1]))


async def count_referral(tx: Transaction, recipient_id: int, campaign_id: int) -> None:
    for count in _COUNT_REFERRAL:
        await tx.run(count, recipient=recipient_id, campaign=campaign_id)
