"""The evidence of an order in public: everything that answers a dispute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from lootkeep.domain.evidence import MIN_ORDERS, Match, MatchingOrder
from lootkeep.domain.fraud.facts import Funding, ThreeDSecure
from lootkeep.domain.goods import Good, Look
from lootkeep.domain.orders import OrderStatus
from lootkeep.domain.tickets import AuthorType
from lootkeep.kernel.clock import utc
from lootkeep.views import players as players_views
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.goods import OrderGoodView
from lootkeep.views.mapping import view_of
from lootkeep.views.orders import OrderView
from lootkeep.views.players import PlayerView


class EvidenceCustomerView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the customer.", 31)]
    name: Annotated[str, field("The customer's name.", "Jun Park")]
    email: Annotated[str, field("The customer's e-mail address.", "jun@example.com")]
    created_at: Time


class EvidenceNetworkView(msgspec.Struct, frozen=True):
    ip_address: Annotated[str | None, field("The IP address of the order.", "203.0.113.9")]
    country: Annotated[str | None, field("Its country, ISO 3166-1 alpha-2.", "KR")]


class EvidencePaymentView(msgspec.Struct, frozen=True):
    paid_at: Time
    amount: Annotated[str, field("The amount paid without a gift card.", "19.99")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    method: Annotated[str | None, field("As sent by the store.", "card")]
    transaction_id: Annotated[str | None, field("The payment provider's id.", "pi_123")]
    country: Annotated[str | None, field("The country of the card.", "KR")]
    funding: Annotated[Funding | None, field("Credit, debit or prepaid.", "credit")]
    three_d_secure: Annotated[ThreeDSecure | None, field("What 3-D Secure answered.", "passed")]


class LookView(msgspec.Struct, frozen=True):
    at: Time
    ip_address: Annotated[str | None, field("From where.", "203.0.113.9")]
    user_agent: Annotated[str | None, field("With which browser.", "Mozilla/5.0 (X11; Linux x86_64)")]


class EvidenceGoodView(OrderGoodView, frozen=True):
    player: Annotated[PlayerView | None, field("The player that a command gave it to.", None)]
    handed_at: Annotated[Moment | None, field("When the store first read it, for its own pages.", None)]
    acknowledged_at: Annotated[
        Moment | None, field("When the server reported that it was done; null if staff declared it delivered.", None)
    ]
    product_name: Annotated[str, field("The name at the time of the order.", "Emberfall key")]
    looks: Annotated[list[LookView], field("When the buyer looked at it on the page of the order.", [])]


class EvidenceEmailView(msgspec.Struct, frozen=True):
    kind: Annotated[str, field("What it was about.", "ticket_reply")]
    subject: Annotated[str, field("Its subject.", "Your order ORD-000123")]
    to_email: Annotated[str, field("To whom.", "jun@example.com")]
    status: Annotated[str, field("`sent` if the mail server took it.", "sent")]
    at: Time


class EvidenceMessageView(msgspec.Struct, frozen=True):
    author_type: Annotated[AuthorType, field("Who wrote it.", "customer")]
    body: Annotated[str, field("What was written.", "Thank you, it works now.")]
    at: Time


class EvidenceTicketView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the ticket.", 12)]
    ticket_number: Annotated[str, field("What customers see.", "TKT-000012")]
    subject: Annotated[str, field("Its subject.", "Which server?")]
    created_at: Time
    messages: Annotated[list[EvidenceMessageView], field("Without internal notes; the oldest first.", [])]


class EarlierOrderView(msgspec.Struct, frozen=True):
    order_id: Annotated[int, field("The order.", 97)]
    order_number: Annotated[str, field("What customers see.", "ORD-000097")]
    status: Annotated[OrderStatus, field("The status of the order.", "completed")]
    total: Annotated[str, field("Its total.", "9.99")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    paid_at: Annotated[Moment | None, field("When it was paid.", "2026-05-15T10:30:00Z")]


class MatchingOrderView(msgspec.Struct, frozen=True):
    order_id: Annotated[int, field("The order.", 97)]
    order_number: Annotated[str, field("What customers see.", "ORD-000097")]
    paid_at: Time
    matches: Annotated[list[Match], field("What it shares with the disputed order.", ["customer", "device"])]


class CompellingEvidenceView(msgspec.Struct, frozen=True):
    qualifies: Annotated[bool, field("Whether at least two earlier orders count.", False)]
    orders: Annotated[
        list[MatchingOrderView],
        field(
            "Undisputed orders of the same instrument, paid 120 to 365 days before, that share the IP address or the "
            "device and one more.",
            [],
        ),
    ]
    matches: Annotated[list[Match], field("What all of them share with this order.", [])]


class EvidenceView(msgspec.Struct, frozen=True):
    order: OrderView
    customer: EvidenceCustomerView
    network: EvidenceNetworkView
    device_id: Annotated[str | None, field("The device of the order.", "dev-0fd3b2c08eeb")]
    player: Annotated[PlayerView | None, field("Who gets it, if not the buyer.", None)]
    payment: Annotated[EvidencePaymentView | None, field("Null before the payment.", None)]
    goods: Annotated[list[EvidenceGoodView], field("What was handed over.", [])]
    emails: Annotated[list[EvidenceEmailView], field("E-mails to the buyer since the order.", [])]
    tickets: Annotated[list[EvidenceTicketView], field("Tickets about the order.", [])]
    earlier_orders: Annotated[list[EarlierOrderView], field("Earlier paid orders of the customer.", [])]
    compelling_evidence: CompellingEvidenceView
    created_at: Time


_good = view_of(EvidenceGoodView, Good, "player", "product_name", "looks")
look = view_of(LookView, Look)


def good(record: Good, product_name: str, looks: Sequence[Look]) -> EvidenceGoodView:
    player = players_views.player(record.player)
    return _good(record, player=player, product_name=product_name, looks=list(map(look, looks)))


def compelling(orders: list[MatchingOrder]) -> CompellingEvidenceView:
    shared = set.intersection(*(set(order.matches) for order in orders)) if orders else set()
    return CompellingEvidenceView(
        qualifies=len(orders) >= MIN_ORDERS,
        orders=[
            MatchingOrderView(order.order_id, order.order_number, utc(order.paid_at), list(order.matches))
            for order in orders
        ],
        matches=sorted(shared),
    )
