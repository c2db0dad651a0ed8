"""Everything that is stored about a customer, as the person gets it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import msgspec

from lootkeep.domain.customer_export import HeldTrace, SentEmail, StaffChange
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.domain.goods import Good, Look
from lootkeep.domain.identity import TraceKind
from lootkeep.domain.referrals import ReferralEntry, ReferralStatus
from lootkeep.views import players as players_views
from lootkeep.views.creators import CreatorEntryView, CreatorView
from lootkeep.views.customer_referrals import OwnClaimView
from lootkeep.views.customers import CustomerView
from lootkeep.views.evidence import LookView, look
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.gift_cards import GiftCardView
from lootkeep.views.goods import OwnedGoodView
from lootkeep.views.mapping import view_of
from lootkeep.views.orders import OrderView
from lootkeep.views.payments import PaymentEventView
from lootkeep.views.players import PlayerView
from lootkeep.views.subscriptions import SubscriptionView
from lootkeep.views.tickets import TicketDetailView


class ExportedCheckView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the check.", 17)]
    order_id: Annotated[int, field("The order that was judged.", 123)]
    email: Annotated[str, field("The e-mail address at that time.", "jun@example.com")]
    ip_address: Annotated[str | None, field("The IP address of the order.", "203.0.113.9")]
    user_agent: Annotated[str | None, field("The browser's User-Agent.", None)]
    detected_country: Annotated[str | None, field("ISO 3166-1 alpha-2.", "KR")]
    detected_city: Annotated[str | None, field("Null if unknown.", None)]
    risk_score: Annotated[int, field("0 to 100.", 55)]
    risk_level: Annotated[RiskLevel, field("The risk level.", "medium")]
    action_taken: Annotated[Action, field("The action that was taken.", "flagged")]
    review_outcome: Annotated[ReviewedAs | None, field("The outcome of the review.", None)]
    review_notes: Annotated[str | None, field("The notes of the reviewer.", None)]
    created_at: Time


class TraceView(msgspec.Struct, frozen=True):
    kind: Annotated[TraceKind, field("What it is.", "device")]
    value: Annotated[str, field("As it is stored; a payment instrument is a hash.", "d-81")]
    first_seen_at: Time
    last_seen_at: Time


class SentEmailView(msgspec.Struct, frozen=True):
    kind: Annotated[str, field("`campaign`, or what it was about.", "ticket_reply")]
    to_email: Annotated[str, field("The recipient.", "jun@example.com")]
    subject: Annotated[str, field("Its subject.", "Your ticket")]
    status: Annotated[str, field("How sending it ended.", "sent")]
    finished_at: Annotated[Moment | None, field("When sending it ended.", "2026-11-15T10:30:00Z")]


class ReferredView(msgspec.Struct, frozen=True):
    customer_id: Annotated[int, field("A customer who registered with the code.", 32)]
    status: Annotated[ReferralStatus, field("Whether they have a purchase.", "successful")]
    referred_at: Time


class StaffChangeView(msgspec.Struct, frozen=True):
    action: Annotated[str, field("The action that was taken.", "Change a customer")]
    before: Annotated[str, field("JSON of the fields before.", "{}")]
    after: Annotated[str, field("JSON of the fields after.", "{}")]
    created_at: Time


class ExportedGoodView(OwnedGoodView, frozen=True):
    player: Annotated[PlayerView | None, field("The player that a command gave it to.", None)]
    output: Annotated[str | None, field("What the game server answered.", None)]
    looks: Annotated[list[LookView], field("When the buyer looked at it on the page of the order.", [])]


class CustomerExportView(msgspec.Struct, frozen=True):
    exported_at: Time
    customer: CustomerView
    former_emails: Annotated[list[str], field("E-mail addresses that the customer had before.", [])]
    orders: list[OrderView]
    subscriptions: list[SubscriptionView]
    support_tickets: Annotated[list[TicketDetailView], field("Each with all its messages, notes included.", [])]
    gift_cards: Annotated[list[GiftCardView], field("Owned by the customer, or sent to their e-mail address.", [])]
    referred: Annotated[list[ReferredView], field("Customers who registered with this customer's code.", [])]
    claims: list[OwnClaimView]
    creators: Annotated[list[CreatorView], field("What the customer is as a creator.", [])]
    creator_ledger: Annotated[list[CreatorEntryView], field("What they earned and were paid.", [])]
    fraud_checks: list[ExportedCheckView]
    traces: list[TraceView]
    goods: Annotated[list[ExportedGoodView], field("What the orders handed over; keys are masked.", [])]
    payment_events: Annotated[list[PaymentEventView], field("What payment providers reported about the orders.", [])]
    emails: list[SentEmailView]
    changes: Annotated[list[StaffChangeView], field("Changes made by staff.", [])]


check: Callable[[FraudCheck], ExportedCheckView] = view_of(ExportedCheckView, FraudCheck)
trace: Callable[[HeldTrace], TraceView] = view_of(TraceView, HeldTrace)
email: Callable[[SentEmail], SentEmailView] = view_of(SentEmailView, SentEmail)
referred: Callable[[ReferralEntry], ReferredView] = view_of(ReferredView, ReferralEntry)
_good = view_of(ExportedGoodView, Good, "player", "looks")
change: Callable[[StaffChange], StaffChangeView] = view_of(StaffChangeView, StaffChange)


def good(record: Good, looks: Sequence[Look]) -> ExportedGoodView:
    return _good(record, player=players_views.player(record.player), looks=list(map(look, looks)))
