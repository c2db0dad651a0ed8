"""The public JSON of linked accounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import msgspec

from lootkeep.domain.customers import CustomerStatus
from lootkeep.domain.fraud.linked import AccountLink, Hub, LinkedAccount, LinkedAccounts, LinkKind
from lootkeep.views.fields import Time, field
from lootkeep.views.mapping import view_of

SharedKind = Annotated[LinkKind, field("What is shared.", "device")]
SharedValue = Annotated[
    str, field("The shared value: for an instrument its hash, for a referral the id of the referrer.", "d-77")
]


class LinkedAccountView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the customer.", 31)]
    name: Annotated[str, field("The customer's name.", "Jun Park")]
    status: Annotated[CustomerStatus, field("A `blocked` customer cannot order.", "active")]
    orders_count: Annotated[int, field("Orders that were paid.", 2)]
    total_spent: Annotated[str, field("The sum of their totals.", "39.98")]
    is_fraud: Annotated[bool, field("Whether an order was fraud.", False)]
    is_disputed: Annotated[bool, field("Whether a payment was disputed and the dispute not won.", False)]
    depth: Annotated[int, field("The number of links from the requested account, which has 0.", 1)]


class EdgeView(msgspec.Struct, frozen=True):
    kind: SharedKind
    value: SharedValue
    customer_id: Annotated[int, field("The account that used it.", 31)]
    first_seen_at: Time
    last_seen_at: Time


class HubView(msgspec.Struct, frozen=True):
    kind: SharedKind
    value: SharedValue


class LinkedAccountsView(msgspec.Struct, frozen=True):
    accounts: list[LinkedAccountView]
    edges: list[EdgeView]
    hubs: list[HubView]
    is_complete: Annotated[
        bool, field("False if more than 200 accounts are linked, or one has more than 20 things.", True)
    ]


_account: Callable[[LinkedAccount], LinkedAccountView] = view_of(LinkedAccountView, LinkedAccount)
_edge: Callable[[AccountLink], EdgeView] = view_of(EdgeView, AccountLink)
_hub: Callable[[Hub], HubView] = view_of(HubView, Hub)


def linked(accounts: LinkedAccounts) -> LinkedAccountsView:
    return LinkedAccountsView(
        [_account(account) for account in accounts.accounts],
        [_edge(edge) for edge in accounts.edges],
        [_hub(hub) for hub in accounts.hubs],
        accounts.is_complete,
    )
