"""Data about a customer that has no list: e-mails, traces, fraud checks, changes by staff."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, select

from lootkeep.domain.customer_export import HeldData, HeldTrace, SentEmail, StaffChange
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.payments.events import PaymentEvent
from lootkeep.storage.customers.personal_data import payment_event_of
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import columns_of
from lootkeep.storage.schema import (
    audit_log,
    campaign_recipients,
    email_campaigns,
    fraud_checks,
    mails,
    orders,
    payment_events,
    sightings,
)

_CHECKS = Query(
    select(*columns_of(fraud_checks, FraudCheck))
    .join(orders, orders.c.id == fraud_checks.c.order_id)
    .where(orders.c.customer_id == bindparam("customer"))
    .order_by(fraud_checks.c.id),
    FraudCheck,
)
_TRACES = Query(
    select(*columns_of(sightings, HeldTrace))
    .where(sightings.c.customer_id == bindparam("customer"))
    .order_by(sightings.c.kind, sightings.c.first_seen_at, sightings.c.value),
    HeldTrace,
)
_PAYMENT_EVENTS = Query(
    select(*columns_of(payment_events, PaymentEvent))
    .where(payment_event_of(bindparam("email")))
    .order_by(payment_events.c.id),
    PaymentEvent,
)
_EMAILS = Query(
    select(*columns_of(mails, SentEmail)).where(mails.c.to_email == bindparam("email")).order_by(mails.c.id), SentEmail
)
_CAMPAIGN_EMAILS = Query(
    select(
        campaign_recipients.c.email,
        email_campaigns.c.subject,
        campaign_recipients.c.status,
        campaign_recipients.c.finished_at,
    )
    .join(email_campaigns, email_campaigns.c.id == campaign_recipients.c.campaign_id)
    .where(campaign_recipients.c.customer_id == bindparam("customer"))
    .order_by(campaign_recipients.c.id)
)
_CHANGES = Query(
    select(*columns_of(audit_log, StaffChange))
    .where(audit_log.c.record == bindparam("of_record"))
    .order_by(audit_log.c.id),
    StaffChange,
)


async def stored_data(tx: Transaction, customer_id: int, emails: Sequence[str]) -> HeldData:
    campaigns = await tx.all(_CAMPAIGN_EMAILS, customer=customer_id)
    events = [it for email in emails for it in await tx.all(_PAYMENT_EVENTS, customer=customer_id, email=email)]
    return HeldData(
        checks=await tx.all(_CHECKS, customer=customer_id),
        traces=await tx.all(_TRACES, customer=customer_id),
        # Those of orders are found with every e-mail address.
        payment_events=list({event.id: event for event in events}.values()),
        emails=[
            *[sent for email in emails for sent in await tx.all(_EMAILS, email=email)],
            *(SentEmail("campaign", to, subject, status, at) for to, subject, status, at in campaigns),
        ],
        changes=await tx.all(_CHANGES, of_record=f"customer:{customer_id}"),
    )
