"""Customers as webhooks carry them; the event of an erasure names nobody."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lootkeep.domain.customers import Customer, CustomerStatus, MailboxStatus
from lootkeep.views.customers import CustomerView
from lootkeep.views.fields import field
from lootkeep.views.mapping import view_of


class CustomerErasedData(msgspec.Struct, frozen=True):
    customer_id: Annotated[int, field("Identifies the customer.", 31)]


class CustomerData(CustomerErasedData, frozen=True):
    external_id: Annotated[str | None, field("The id of the customer in the store's own system.", "player-77")]
    customer_email: Annotated[str, field("The customer's e-mail address.", "jun@example.com")]
    customer_name: Annotated[str, field("The customer's name.", "Jun Park")]
    username: Annotated[str | None, field("The name in the game.", "junp")]
    country: Annotated[str | None, field("ISO 3166-1 alpha-2.", "KR")]
    status: Annotated[CustomerStatus, field("A blocked customer cannot order.", "active")]
    accepts_marketing: Annotated[bool, field("Whether the customer accepts campaigns.", True)]
    email_status: Annotated[MailboxStatus, field("Whether e-mails arrive.", "ok")]
    tags: Annotated[list[str], field("Tags of the customer.", ["vip"])]


class CustomerUpdatedData(CustomerData, frozen=True):
    changes: Annotated[list[str], field("The names of the fields that changed.", ["tags"])]


# What the API shows of a customer and someone changes; totals of orders are no change of the customer.
_FIELDS = [
    name for name in CustomerView.__struct_fields__ if name in Customer.__struct_fields__ and name != "updated_at"
]
_NAMES = {"customer_id": "id", "customer_email": "email", "customer_name": "name"}
_UPDATED = view_of(CustomerUpdatedData, Customer, "changes", **_NAMES)

created = view_of(CustomerData, Customer, **_NAMES)


def mailbox_changed(customer: Customer) -> CustomerUpdatedData:
    return _UPDATED(customer, changes=["email_status"])


def updated(before: Customer, after: Customer) -> CustomerUpdatedData:
    return _UPDATED(after, changes=[name for name in _FIELDS if getattr(after, name) != getattr(before, name)])
