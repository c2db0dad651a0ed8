"""Accounts that are linked by what they share, in public."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import msgspec

from lootkeep.domain.customers import CustomerStatus
from lootkeep.domain.fraud.linked import Edge, Hub, LinkedAccount, LinkedAccounts, LinkKind
from lootkeep.views.fields import Time, field
from lootkeep.views.shown import shown

Kind = Annotated[LinkKind, field("What is shared.", "device")]
Value = Annotated[
    str, field("The thing: of an instrument its hash, of a referral the id of who brought the others.", "d-77")
]


class LinkedAccountView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the customer.", 31)]
    name: Annotated[str, field("The customer's name.", "Jun Park")]
    status: Annotated[CustomerStatus, field("`blocked` cannot order.", "active")]
    orders_count: Annotated[int, field("Orders that were paid.", 2)]
    total_spent: Annotated[str, field("What they come to.", "39.98")]
    is_fraud: Annotated[bool, field("An order turned out to be fraud.", False)]
    is_disputed: Annotated[bool, field("A payment was disputed and the dispute not won.", False)]
    depth: Annotated[int, field("How many links away it is; 0 is the account asked for.", 1)]


class EdgeView(msgspec.Struct, frozen=True):
    kind: Kind
    value: Value
    customer_id: Annotated[int, field("The account that was seen with it.", 31)]
    first_seen_at: Time
    last_seen_at: Time


class HubView(msgspec.Struct, frozen=True):
    kind: Kind
    value: Value


class LinkedAccountsView(msgspec.Struct, frozen=True):
    accounts: list[LinkedAccountView]
    edges: list[EdgeView]
    hubs: list[HubView]
    is_complete: Annotated[
        bool, field("False when more than 200 accounts are linked, or one has more than 20 things.", True)
    ]


_account: Callable[[LinkedAccount], LinkedAccountView] = shown(LinkedAccountView, LinkedAccount)
_edge: Callable[[Edge], EdgeView] = shown(EdgeView, Edge)
_hub: Callable[[Hub], HubView] = shown(HubView, Hub)


def linked(found: LinkedAccounts) -> LinkedAccountsView:
    return LinkedAccountsView(
        [_account(account) for account in found.accounts],
        [_edge(edge) for edge in found.edges],
        [_hub(hub) for hub in found.hubs],
        found.is_complete,
    )
