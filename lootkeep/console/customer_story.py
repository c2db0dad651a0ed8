"""A customer's story: what they bought, asked and brought, who else they may be, and everything that happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lootkeep.console.order_story import Moment
from lootkeep.deps import Deps
from lootkeep.domain.accounts import AuditEntry
from lootkeep.domain.coupons import Coupon
from lootkeep.domain.customers import Customer
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.gift_cards import GiftCard
from lootkeep.domain.orders import OrderDetails
from lootkeep.domain.referral_abuse import SENTENCES
from lootkeep.domain.referrals import AbuseReason, Claim, ReferralEntry, Referrer
from lootkeep.domain.support_tickets import TicketEntry
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import existing
from lootkeep.kernel.paging import ListRequest, Page
from lootkeep.storage import (
    audit,
    claims,
    customer_lists,
    fraud_checks,
    gift_card_lists,
    identity,
    order_lists,
    referral_lists,
    referrals,
    ticket_lists,
)
from lootkeep.storage import customers as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.identity import OwnedTrace
from lootkeep.storage.lists import Listing

# Of each kind; the lists have the rest.
_NEWEST = 8
_MAX_LINKED = 5
_MAX_MOMENTS = 24
_NO_TIME = Instant(0)


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest records of a kind, and how many there are."""

    records: Sequence[Any]
    total: int


@dataclass(frozen=True, slots=True)
class CustomerStory:
    customer: Customer
    orders: Newest
    tickets: Newest
    open_tickets: int
    gift_cards: Newest
    referred: Newest
    referrer: Customer | None
    counts: Referrer
    rejections: Sequence[tuple[AbuseReason, Instant]]
    claims: Sequence[tuple[Claim, Coupon]]
    checks: Sequence[FraudCheck]
    sightings: Sequence[OwnedTrace]
    changes: Sequence[AuditEntry]

    @property
    def average_order(self) -> int:
        return self.customer.total_spent // self.customer.orders_count if self.customer.orders_count else 0

    @property
    def moments(self) -> list[Moment]:
        """The newest first, and how it began last."""
        newest = sorted([*_bought(self), *_others(self)], key=lambda moment: -moment.at)
        text = f"Brought by {self.referrer.name}." if self.referrer else ""
        return [*newest[:_MAX_MOMENTS], Moment(self.customer.created_at, "info", "Signed up", text)]


async def load(deps: Deps, customer_id: int) -> CustomerStory:
    async with deps.db.read(slow=True) as tx:
        customer = existing(await customers_db.get(tx, customer_id), "Customer")
        orders = await _newest(tx, order_lists.LISTING, customer_id=customer_id)
        return CustomerStory(
            customer=customer,
            orders=Newest(await order_lists.sales(tx, orders.records), orders.total),
            tickets=await _newest(tx, ticket_lists.LISTING, customer_id=customer_id),
            open_tickets=(await _newest(tx, ticket_lists.LISTING, customer_id=customer_id, status="open")).total,
            gift_cards=await _newest(tx, gift_card_lists.LISTING, customer_id=customer_id),
            referred=await _newest(tx, referral_lists.REFERRALS, referrer_id=customer_id),
            referrer=(await customer_lists.referrers(tx, [customer])).get(customer.referred_by_id or 0),
            counts=await referrals.referrer(tx, customer_id),
            rejections=await referrals.rejections_of(tx, customer_id),
            claims=await claims.of_customer(tx, customer_id),
            checks=await fraud_checks.of_customer(tx, customer_id, _NEWEST),
            sightings=await identity.of_customer(tx, customer_id, _MAX_LINKED),
            changes=await audit.changes_since(tx, f"customer:{customer_id}", _NO_TIME),
        )


async def _newest(tx: Transaction, listing: Listing[Any], **filters: Any) -> Newest:
    return Newest(*await listing.page(tx, ListRequest(Page(1, _NEWEST), filters)))


def _bought(story: CustomerStory) -> Iterator[Moment]:
    details: OrderDetails
    for details in story.orders.records:
        order, path = details.order, {"path": f"/orders/{details.order.id}"}
        yield Moment(order.created_at, "info", f"Placed {order.number}", part="link", values=path)
        if order.paid_at is not None:
            yield Moment(order.paid_at, "ok", f"Paid {order.number}", part="amount", values={"order": order})
        if order.cancelled_at is not None:
            yield Moment(order.cancelled_at, "bad", f"{order.number} was cancelled", order.cancel_reason or "")


def _others(story: CustomerStory) -> Iterator[Moment]:
    ticket: TicketEntry
    for ticket in story.tickets.records:
        path = {"path": f"/tickets/{ticket.id}"}
        yield Moment(ticket.created_at, "warn", f"Opened {ticket.number}", ticket.subject, "link", path)
    card: GiftCard
    for card in story.gift_cards.records:
        title, path = f"Gift card ending in {card.last_four} was issued", {"path": f"/gift-cards/{card.id}"}
        yield Moment(card.created_at, "quiet", title, part="link", values=path)
    referral: ReferralEntry
    for referral in story.referred.records:
        path = {"path": f"/customers/{referral.customer_id}"}
        yield Moment(referral.referred_at, "ok", f"Brought {referral.name}", part="link", values=path)
    for reason, created_at in story.rejections:
        yield Moment(created_at, "bad", "Referral refused", SENTENCES[reason])
    for claim, coupon in story.claims:
        yield Moment(claim.claimed_at, "ok", "Claimed a referral reward", f"Coupon {coupon.code}")
    for entry in story.changes:
        yield Moment(entry.created_at, "quiet", entry.action, f"by {entry.user_name or 'nobody'}")
