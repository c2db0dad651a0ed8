"""The table of bulk acts: what can be done to many records of an area, and the operation that does it to one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from lootkeep.domain import orders as orders_rules
from lootkeep.domain.roles import Scope
from lootkeep.services.bulk import operations

# Gets the record, who acts, and the parameters of the act; returns what is worth knowing of the result, or what its
# reverse gets for this record alone.
Operation = Callable[..., Awaitable[str | Mapping[str, Any] | None]]


@dataclass(frozen=True, slots=True)
class Act:
    area: str
    # What a role must include: the same for all acts of an area.
    scope: Scope
    # What one of the records is called.
    noun: str
    name: str
    # The button, empty if it only takes back, and the sentence with how many records: "Cancel 12 orders".
    title: str
    sentence: str
    # What happens to each of them.
    effect: str
    operation: Operation
    # The states of a record in which it is not refused; None where no single column decides.
    allowed: Collection[str | None] | None = None
    is_final: bool = False
    # Presses the button.
    key: str = ""
    # The act of the same area that takes it back.
    reverse: str = ""


_FULFILLED = "Everything in the order counts as delivered, and receivers are notified."
_CANCELLED = "The order is cancelled permanently. Its coupon, stock and gift card are released."
_APPROVED = "The order is released if it is held. Orders that someone has decided on are left as they are."
_REJECTED = "The order is cancelled where it still can be, and counts as confirmed fraud for its buyer."
_RINGS = "The order is rejected as fraud, and account, mailbox, device, card and player of its buyer are blocked."
_REPLIED = "The customer gets the same message, by e-mail where a mail server is set."
_CLOSED = "The ticket is closed; what you write is sent to its customer first."
_BLOCKED = "New orders and subscriptions of the customer are rejected from now on."
_REVOKED = "The card loses its value. This cannot be undone."
_SENT = "The delivery is sent now, with the same id and bytes, and with new retries."
_ASSIGNED = "The ticket is theirs from now on."
_GIVEN_BACK = "The ticket goes back to who had it before; one that was assigned again since is left as it is."
_TAGGED = "The tag is added to those that the customer has."
_UNTAGGED = "The customer loses the tag; the other tags stay."
_UNBLOCKED = "The customer can order again, and the reason is stored with them."
_OPENED = "The ticket is open again and waits for an answer."
_ON = "The coupon can be used, within its dates and limits."
_OFF = "The coupon cannot be used until it is switched on again."
_WRITABLE = ("open", "pending", "resolved")
_CAN_FULFILL, _CAN_CANCEL = (*orders_rules.ALLOWED["fulfill"], "completed"), orders_rules.ALLOWED["cancel"]
_UNDECIDED = (None,)

_order = partial(Act, "orders", "orders:write", "order")
# An order that was checked again has more than one.
_case = partial(Act, "fraud", "fraud:write", "check")
_ticket = partial(Act, "tickets", "support-tickets:write", "ticket")
_customer = partial(Act, "customers", "customers:write", "customer")
_coupon = partial(Act, "coupons", "coupons:write", "coupon")
_gift_card = partial(Act, "gift_cards", "gift-cards:write", "gift card")
_delivery = partial(Act, "deliveries", "webhooks:write", "delivery")
ACTS: dict[tuple[str, str], Act] = {
    (act.area, act.name): act
    for act in (
        _order(
            "fulfill",
            "Mark fulfilled",
            "Mark {} as fulfilled",
            _FULFILLED,
            operations.fulfill_order,
            _CAN_FULFILL,
            key="f",
        ),
        _order("cancel", "Cancel", "Cancel {}", _CANCELLED, operations.cancel_order, _CAN_CANCEL, is_final=True),
        _case("approve", "Approve", "Approve {}", _APPROVED, operations.approve, _UNDECIDED),
        _case("reject", "Reject", "Reject {} as fraud", _REJECTED, operations.reject, _UNDECIDED, is_final=True),
        _case(
            "block",
            "Reject and block",
            "Reject {} as fraud and block every buyer",
            _RINGS,
            operations.reject_and_block,
            _UNDECIDED,
            is_final=True,
        ),
        _ticket("assign", "Assign", "Assign {}", _ASSIGNED, operations.assign_ticket, reverse="give_back"),
        _ticket("give_back", "", "Give {} back", _GIVEN_BACK, operations.give_ticket_back),
        _ticket("reply", "Reply", "Reply to {}", _REPLIED, operations.reply, _WRITABLE),
        _ticket("close", "Close", "Close {}", _CLOSED, operations.close_ticket, reverse="open"),
        _ticket("open", "Open again", "Open {} again", _OPENED, operations.open_ticket),
        _customer("tag", "Tag", "Tag {}", _TAGGED, operations.tag_customer, reverse="untag"),
        _customer("untag", "Remove a tag", "Remove a tag from {}", _UNTAGGED, operations.untag_customer, reverse="tag"),
        _customer("block", "Block", "Block {}", _BLOCKED, operations.block_customer, is_final=True, reverse="unblock"),
        _customer("unblock", "Unblock", "Unblock {}", _UNBLOCKED, operations.unblock_customer),
        _coupon("activate", "Switch on", "Switch on {}", _ON, operations.switch_on, reverse="deactivate"),
        _coupon("deactivate", "Switch off", "Switch off {}", _OFF, operations.switch_off, reverse="activate"),
        _gift_card("revoke", "Revoke", "Revoke {}", _REVOKED, operations.revoke_card, is_final=True),
        _delivery("resend", "Send again", "Send {} again", _SENT, operations.send_again),
    )
}


def acts_of(area: str) -> list[Act]:
    """Those that someone can choose."""
    return [act for act in ACTS.values() if act.area == area and act.title]
