"""Campaigns in progress: the pace, the queue of recipients, and the end after the last one."""

from __future__ import annotations

from sqlalchemy import Text, and_, bindparam, case, exists, func, literal_column, or_, select, update

from lootkeep.domain.campaigns import NO_SERVER, NONE_SENT, Recipient, RecipientFields
from lootkeep.domain.customers import Customer
from lootkeep.domain.settlement import Settlement
from lootkeep.kernel.clock import Instant
from lootkeep.storage.campaigns.audiences import MAY_BE_WRITTEN_TO
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.queue import SingleQueue
from lootkeep.storage.rows import columns_of
from lootkeep.storage.schema import campaign_recipients as recipients, customers, email_campaigns

THIS_CAMPAIGN = email_campaigns.c.id == bindparam("campaign")
# Literals: otherwise the engines do not use the partial indexes.
_IS_SENDING = email_campaigns.c.status == literal_column("'sending'", Text)
_IS_SCHEDULED = email_campaigns.c.status == literal_column("'scheduled'", Text)
_IS_OPEN = recipients.c.status.in_([literal_column("'queued'", Text), literal_column("'sending'", Text)])

_NEXT_START = Query(
    select(email_campaigns.c.scheduled_at, email_campaigns.c.id)
    .where(_IS_SCHEDULED)
    .order_by(email_campaigns.c.scheduled_at)
    .limit(1)
)
_NEXT_SLOT = Query(
    select(email_campaigns.c.next_at).where(_IS_SENDING).order_by(email_campaigns.c.next_at.desc()).limit(1)
)
QUEUE = SingleQueue(recipients, _IS_OPEN, Recipient)

_other = email_campaigns.alias("other")
_IS_TOO_SOON = exists().where(_other.c.status == literal_column("'sending'", Text), _other.c.next_at > bindparam("now"))
# All campaigns share one pace. Checked twice: a process that waited for the row sees the change of the other.
_TAKE_SLOT = Query(
    update(email_campaigns)
    .where(_IS_SENDING, email_campaigns.c.next_at <= bindparam("now"), ~_IS_TOO_SOON)
    .values(
        next_at=case(
            (email_campaigns.c.next_at > bindparam("floor"), email_campaigns.c.next_at + bindparam("pause")),
            else_=bindparam("next"),
        )
    )
    .returning(email_campaigns.c.id)
)
_HOLD_OFF = Query(update(email_campaigns).where(_IS_SENDING).values(next_at=bindparam("until"), error=bindparam("why")))

_PULL_IN = Query(
    update(email_campaigns)
    .where(_IS_SENDING, email_campaigns.c.next_at > bindparam("latest"))
    .values(next_at=bindparam("now"))
)
_ADDRESSEE = Query(
    select(
        customers.c.name,
        customers.c.referral_code,
        and_(MAY_BE_WRITTEN_TO, customers.c.email == bindparam("address")).label("may_be_written_to"),
        (email_campaigns.c.status == "sending").label("is_wanted"),
        email_campaigns.c.started_at,
    )
    .join(email_campaigns, THIS_CAMPAIGN)
    .where(customers.c.id == bindparam("customer")),
    RecipientFields,
)
# Always locked before a recipient's row, so there is no deadlock.
LOCK = Query(select(email_campaigns.c.id).where(THIS_CAMPAIGN).with_for_update())
_COUNT = {
    status: Query(
        update(email_campaigns)
        .where(THIS_CAMPAIGN)
        .values(
            {
                f"{status}_count": email_campaigns.c[f"{status}_count"] + 1,
                "perhaps_twice_count": email_campaigns.c.perhaps_twice_count + bindparam("doubtful"),
                **({"error": None} if status == "sent" else {}),
            }
        )
    )
    for status in ("sent", "failed", "skipped", "outbox")
}
_done = (
    email_campaigns.c.sent_count
    + email_campaigns.c.failed_count
    + email_campaigns.c.skipped_count
    + email_campaigns.c.outbox_count
)
_FINISH = Query(
    update(email_campaigns)
    .where(THIS_CAMPAIGN, _IS_SENDING, _done == email_campaigns.c.recipients_count)
    .values(
        status=case((email_campaigns.c.sent_count > 0, "sent"), else_="failed"),
        error=case(
            (email_campaigns.c.outbox_count > 0, NO_SERVER),
            (email_campaigns.c.sent_count > 0, None),
            else_=NONE_SENT,
        ),
        completed_at=bindparam("now"),
        updated_at=bindparam("now"),
    )
)
# Another worker's e-mail that is on its way may still arrive.
_IS_FREE = (_IS_OPEN, or_(recipients.c.status == "queued", recipients.c.due_at <= bindparam("now")))
_ANY_FREE = Query(
    select(recipients.c.id)
    .join(email_campaigns, email_campaigns.c.id == recipients.c.campaign_id)
    .where(_IS_SENDING, *_IS_FREE)
    .limit(1)
)
# Without a mail server there is no pace: all recipients go to the outbox at once.
_ALL_TO_OUTBOX = Query(
    update(recipients)
    .where(recipients.c.campaign_id == bindparam("campaign"), *_IS_FREE)
    .values(status="outbox", lease=None, finished_at=bindparam("now"))
)
_in_outbox = select(func.count()).where(
    recipients.c.campaign_id == email_campaigns.c.id, recipients.c.status == "outbox"
)
_COUNT_OUTBOX = Query(
    update(email_campaigns)
    .where(THIS_CAMPAIGN)
    .values(outbox_count=_in_outbox.correlate(email_campaigns).scalar_subquery())
)
_SENDING = Query(select(email_campaigns.c.id).where(_IS_SENDING).order_by(email_campaigns.c.id).with_for_update())
_BOUNCE = Query(
    update(customers)
    .where(
        customers.c.id == bindparam("customer"),
        customers.c.email == bindparam("address"),
        customers.c.email_status == "ok",
    )
    .values(email_status="bounced", updated_at=bindparam("now"))
    .returning(*columns_of(customers, Customer)),
    Customer,
)


async def next_start(tx: Transaction) -> tuple[Instant, int] | None:
    """The campaign that is scheduled first, and when."""
    row = await tx.one(_NEXT_START)
    return None if row is None else (Instant(row[0]), int(row[1]))


async def next_due(tx: Transaction) -> Instant | None:
    """When the next e-mail may be sent: someone is due, and the pace allows it."""
    slot = await tx.one(_NEXT_SLOT)
    if slot is None:
        return None
    waiting = await QUEUE.next_due(tx)
    return None if waiting is None else Instant(max(slot[0], waiting))


async def take_slot(tx: Transaction, pause: int, now: Instant) -> bool:
    """False if another process has just sent one."""
    return bool(await tx.all(_TAKE_SLOT, now=now, floor=now - pause, pause=pause, next=now + pause))


async def hold_off(tx: Transaction, until: Instant, why: str) -> None:
    """The server is the problem, not the recipient: everything waits."""
    await tx.run(_HOLD_OFF, until=until, why=why)


async def pull_in_pace(tx: Transaction, latest: Instant, now: Instant) -> None:
    """After the clock was set back: no campaign waits longer than any rule allows."""
    await tx.run(_PULL_IN, latest=latest, now=now)


async def addressee(tx: Transaction, recipient: Recipient) -> RecipientFields:
    this = {"customer": recipient.customer_id, "address": recipient.email, "campaign": recipient.campaign_id}
    (fields,) = await tx.all(_ADDRESSEE, **this)
    return fields


async def settle(tx: Transaction, lease: str, recipient: Recipient, settlement: Settlement, now: Instant) -> None:
    """Records the result of an e-mail, counts it, and ends the campaign with its last one."""
    await tx.run(LOCK, campaign=recipient.campaign_id)
    if await QUEUE.settle(tx, lease, recipient, settlement, now) and settlement.status in _COUNT:
        count = _COUNT[settlement.status]
        await tx.run(count, campaign=recipient.campaign_id, doubtful=int(settlement.perhaps_twice))
        await tx.run(_FINISH, campaign=recipient.campaign_id, now=now)


async def has_free(tx: Transaction, now: Instant) -> bool:
    """Whether someone waits for an e-mail that no worker is sending."""
    return await tx.one(_ANY_FREE, now=now) is not None


async def all_to_outbox(tx: Transaction, now: Instant) -> None:
    """Ends every campaign in progress: without a server there is nothing to wait for."""
    for (campaign_id,) in await tx.all(_SENDING):
        await tx.run_slow(_ALL_TO_OUTBOX, campaign=campaign_id, now=now)
        await tx.run_slow(_COUNT_OUTBOX, campaign=campaign_id)
        await tx.run(_FINISH, campaign=campaign_id, now=now)


async def set_bounced(tx: Transaction, recipient: Recipient, now: Instant) -> Customer | None:
    """The customer whose e-mails bounce from now on; None if that was known, or the e-mail has changed."""
    return await tx.one(_BOUNCE, customer=recipient.customer_id, address=recipient.email, now=now)
