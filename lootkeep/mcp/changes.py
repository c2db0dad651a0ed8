"""Tools that change something: each is named first, and done only with the confirmation that this gave."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any

import msgspec
from pydantic import Field

from lootkeep.deps import Deps
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.domain.gift_cards import masked
from lootkeep.domain.orders import Order, is_fulfilled
from lootkeep.domain.tickets import MAX_MESSAGE_LENGTH, Ticket
from lootkeep.kernel import money
from lootkeep.kernel.clock import MINUTE, Instant, iso
from lootkeep.kernel.errors import Conflict, NotFound, Unprocessable, existing
from lootkeep.mcp.arguments import Arguments, ByOrder, ByTicket
from lootkeep.mcp.caller import Caller
from lootkeep.mcp.tool import Change, Plan
from lootkeep.services import canned_replies as canned_replies_service, idempotency as idempotency_service
from lootkeep.storage import audit as audit_db
from lootkeep.storage.engine.database import JoinedDatabase
from lootkeep.storage.gift_cards import rows as gift_cards_db
from lootkeep.storage.orders import details as order_details_db
from lootkeep.storage.tickets import rows as tickets_db
from lootkeep.storage.webhooks import endpoints as endpoints_db, log as log_db

# Long enough for a person to read the sentence and agree.
CONFIRMED_FOR = 5 * MINUTE
_PURPOSE = "mcp confirmation"
_REVIEWS: dict[ReviewedAs, str] = {
    "legitimate": "Approve order",
    "fraud": "Reject order as fraud",
    "inconclusive": "Review order",
}


class Confirmed(Arguments):
    confirmation: Annotated[
        str | None,
        Field(max_length=255, description="What the first call answered, once a person has agreed to its sentence."),
    ] = None


class ReviewOrder(ByOrder, Confirmed):
    outcome: Annotated[ReviewedAs, Field(description="The outcome of the review.")]
    notes: Annotated[str | None, Field(max_length=1000, description="Notes, stored with the review.")] = None


class FulfillOrder(ByOrder, Confirmed):
    note: Annotated[str | None, Field(max_length=2000, description="Stored with the order.")] = None


class ReplyToTicket(ByTicket, Confirmed):
    message: Annotated[
        str,
        Field(
            min_length=1, max_length=MAX_MESSAGE_LENGTH, description="Plain text; variables of drafts are filled in."
        ),
    ]


class CloseTicket(ByTicket, Confirmed):
    """Without a message: that is a reply."""


class ResendDelivery(Confirmed):
    delivery_id: Annotated[str, Field(max_length=64, pattern="^[A-Za-z0-9_-]+$", description="The delivery.")]


class ResendGiftCard(Confirmed):
    gift_card_id: Annotated[int, Field(ge=1, description="The gift card. It goes to its recipient, nowhere else.")]


class _RehearsalOverError(Exception):
    """Rolls back what was only tried."""


async def run(caller: Caller, change: Change, arguments: Any) -> Any:
    """The first call names the change, the second does it, once, in one transaction with its entry in the audit log."""
    deps, now = caller.deps, caller.deps.clock.now()
    content = msgspec.json.encode(arguments.model_dump(exclude={"confirmation"}), order="sorted")
    purpose = f"{_PURPOSE} {caller.token.id} {change.name} {deps.vault.fingerprint(content, _PURPOSE)}"
    if arguments.confirmation is None:
        plan = await _rehearsed(caller, change, arguments)
        until = Instant(now + CONFIRMED_FOR)
        code = deps.vault.sign(f"{until}:{deps.ids.secret()}:{_mark(deps, plan)}", purpose)
        return {"would": plan.sentence, "confirmation": code, "expires_at": iso(until)}
    text = deps.vault.signed(arguments.confirmation, purpose)
    if text is None:
        sentence = "This confirmation is not for this tool, these arguments and this token. Call it without one first."
        raise Unprocessable("confirmation_not_valid", sentence)
    expiry, _, mark = text.split(":")
    if now >= int(expiry):
        raise Unprocessable("confirmation_expired", "This confirmation has expired. Call the tool without one again.")

    async def operation(joined: Deps) -> tuple[int, bytes]:
        plan = await change.plan(inner := replace(caller, deps=joined), arguments)
        if _mark(joined, plan) != mark:
            sentence = "What would happen has changed meanwhile. Call the tool without a confirmation again."
            raise Conflict("confirmation_outdated", sentence)
        return 200, msgspec.json.encode({"done": plan.sentence, "message": await _perform(inner, plan)})

    path = f"/mcp/{change.name}"
    _, answer, is_replay = await idempotency_service.once(
        deps, caller.token.id, path, arguments.confirmation, content, operation
    )
    return msgspec.json.decode(answer) | {"was_done_before": is_replay}


async def _rehearsed(caller: Caller, change: Change, arguments: Any) -> Plan:
    """The plan, tried in a transaction that is rolled back: nobody is asked about what cannot be done."""
    with suppress(_RehearsalOverError):
        async with caller.deps.db.write() as tx:
            inner = replace(caller, deps=replace(caller.deps, db=JoinedDatabase(tx)))
            plan = await change.plan(inner, arguments)
            await _perform(inner, plan)
            raise _RehearsalOverError
    return plan


async def _perform(caller: Caller, plan: Plan) -> str | None:
    reply = await caller.call("POST", plan.path, plan.body)
    async with caller.deps.db.write() as tx:
        await audit_db.add(
            tx,
            user_id=caller.token.user_id,
            action=plan.action,
            record=plan.record,
            after={"token": caller.token.name},
            now=caller.deps.clock.now(),
        )
    return reply.message


def _mark(deps: Deps, plan: Plan) -> str:
    """Differs if the sentence does: what is done is what was agreed to."""
    return deps.vault.fingerprint(plan.sentence.encode(), _PURPOSE)[:32]


async def review_order(caller: Caller, arguments: ReviewOrder) -> Plan:
    async with caller.deps.db.read() as tx:
        details = existing(await order_details_db.get(tx, arguments.order), "Order")
    if details.check is None:
        raise NotFound("Fraud check of this order")
    sentence = f"Review {_named(details.order)} as {arguments.outcome}."
    body = {"outcome": arguments.outcome, "notes": arguments.notes}
    path = f"/fraud/checks/{details.check.id}/review"
    return Plan(sentence, _REVIEWS[arguments.outcome], f"order:{arguments.order}", path, body)


async def fulfill_order(caller: Caller, arguments: FulfillOrder) -> Plan:
    async with caller.deps.db.read() as tx:
        details = existing(await order_details_db.get(tx, arguments.order), "Order")
    if is_fulfilled(details.order):
        raise Conflict("already_fulfilled", f"{details.order.number} is fulfilled already.")
    sentence = f"Mark everything that is left of {_named(details.order)} as delivered."
    path = f"/orders/{arguments.order}/fulfill"
    return Plan(sentence, "Mark fulfilled", f"order:{arguments.order}", path, {"note": arguments.note})


def _named(order: Order) -> str:
    return f"{order.number}, {money.text(order.total)} {order.currency}, which is {order.status.replace('_', ' ')},"


async def reply_to_ticket(caller: Caller, arguments: ReplyToTicket) -> Plan:
    ticket = await _ticket(caller, arguments)
    message = await canned_replies_service.fill(caller.deps, arguments.ticket, caller.token.user_id, arguments.message)
    sentence = f"Send this to the customer of {ticket.number} by e-mail: “{arguments.message}”"
    path = f"/support-tickets/{arguments.ticket}/messages"
    return Plan(sentence, "Reply to a ticket", f"ticket:{arguments.ticket}", path, {"message": message})


async def close_ticket(caller: Caller, arguments: CloseTicket) -> Plan:
    ticket = await _ticket(caller, arguments)
    if ticket.status == "closed":
        raise Conflict("ticket_closed", f"{ticket.number} is closed already.")
    sentence = f"Close {ticket.number}, which is {ticket.status}."
    return Plan(sentence, "Close a ticket", f"ticket:{ticket.id}", f"/support-tickets/{ticket.id}/close")


async def _ticket(caller: Caller, arguments: ByTicket) -> Ticket:
    async with caller.deps.db.read() as tx:
        return existing(await tickets_db.ROWS.get(tx, arguments.ticket), "Support ticket")


async def resend_delivery(caller: Caller, arguments: ResendDelivery) -> Plan:
    async with caller.deps.db.read() as tx:
        delivery = existing(await log_db.ROWS.find_one(tx, public_id=arguments.delivery_id), "Delivery")
        webhook = existing(await endpoints_db.ROWS.get(tx, delivery.webhook_id), "Webhook")
    sentence = f"Send {delivery.event_type}, which is {delivery.status}, to {webhook.name} again."
    record, path = f"delivery:{delivery.public_id}", f"/webhooks/deliveries/{delivery.public_id}/redeliver"
    return Plan(sentence, "Send a delivery again", record, path)


async def resend_gift_card(caller: Caller, arguments: ResendGiftCard) -> Plan:
    async with caller.deps.db.read() as tx:
        card = existing(await gift_cards_db.ROWS.get(tx, arguments.gift_card_id), "Gift card")
    sentence = f"E-mail the gift card {masked(card)} to its recipient again."
    return Plan(sentence, "Send a gift card", f"gift_card:{card.id}", f"/gift-cards/{card.id}/resend-email")


CHANGES = (
    Change(
        "review_order",
        "Review the fraud check of an order: `legitimate` releases it, `fraud` cancels it unless it is paid.",
        "fraud:write",
        ReviewOrder,
        review_order,
    ),
    Change("fulfill_order", "Mark what is left of an order as delivered.", "orders:write", FulfillOrder, fulfill_order),
    Change(
        "reply_to_ticket",
        "Send a reply to the customer of a support ticket, by e-mail.",
        "support-tickets:write",
        ReplyToTicket,
        reply_to_ticket,
    ),
    Change("close_ticket", "Close a support ticket.", "support-tickets:write", CloseTicket, close_ticket),
    Change("resend_delivery", "Send a delivery of a webhook again.", "webhooks:write", ResendDelivery, resend_delivery),
    Change(
        "resend_gift_card",
        "E-mail a gift card to its recipient again.",
        "gift-cards:write",
        ResendGiftCard,
        resend_gift_card,
    ),
)
