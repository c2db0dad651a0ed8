"""Operations on support tickets: open, reply, change status, close, assign; replies are e-mailed to the customer."""

from __future__ import annotations

from collections.abc import Callable

from lootkeep.deps import Deps
from lootkeep.domain import tickets as tickets_rules
from lootkeep.domain.access import User
from lootkeep.domain.customers import Customer, require_not_erased
from lootkeep.domain.tickets import (
    SYSTEM,
    AuthorType,
    Ticket,
    TicketEntry,
    TicketForm,
    TicketMessage,
    TicketPriority,
    TicketStatus,
)
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import InvalidFields, existing, invalid
from lootkeep.kernel.search import search_text
from lootkeep.storage import alerts as alerts_db, emails as emails_db
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.tickets import rows as tickets_db
from lootkeep.views import ticket_events as ticket_events_views
from lootkeep.views.emails import render

NOT_MAILED = "The message is saved, but not e-mailed: no mail server is configured."


async def open_ticket(deps: Deps, form: TicketForm) -> tuple[TicketMessage, TicketEntry]:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        # An erasure in progress ends first.
        await customers_db.take_turn(tx, form.customer_id)
        customer = await _checked(tx, form)
        words = search_text(form.subject, customer.name, customer.email)
        ticket = await tickets_db.ROWS.add(tx, tickets_rules.opened(form, now), search_text=words)
        message = await _add_message(tx, ticket.id, "customer", customer.name, form.message, now)
        text, path = f"New ticket {ticket.number}: {ticket.subject}", f"/tickets/{ticket.id}"
        await alerts_db.raise_notice(tx, "ticket_created", f"ticket:{ticket.id}", text, path, now)
        entry = await _entry(tx, ticket.id)
        await outbox_db.append(tx, "ticket.created", ticket_events_views.created(entry, message), now)
    return message, entry


async def ask(deps: Deps, ticket_id: int, body: str) -> tuple[TicketMessage, TicketEntry]:
    """A message of the customer."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        before = await _get_for_update(tx, ticket_id)
        after = tickets_rules.asked(before, now)
        customer = await _customer(tx, before)
        message = await _add_message(tx, ticket_id, "customer", customer.name, body, now)
        if after.reopened_count > before.reopened_count:
            await _note(tx, ticket_id, "The customer's message reopened the ticket.", now)
        await tickets_db.ROWS.save(tx, before, after)
        return message, await _announce_reply(tx, message)


async def answer(deps: Deps, ticket_id: int, user_id: int, body: str) -> tuple[TicketMessage, TicketEntry]:
    """A public message of the staff, which is e-mailed to the customer."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        before = await _get_for_update(tx, ticket_id)
        after = tickets_rules.answered(before, now)
        message = await _write_to_customer(deps, tx, before, await _user(tx, user_id), body, now)
        await tickets_db.ROWS.save(tx, before, after)
        return message, await _announce_reply(tx, message)


async def note(deps: Deps, ticket_id: int, user_id: int, body: str) -> tuple[TicketMessage, TicketEntry]:
    """An internal note: it changes nothing, and the customer never sees it."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await _get_for_update(tx, ticket_id)
        author = await _user(tx, user_id)
        message = await _add_message(
            tx, ticket_id, "staff", author.name, body, now, user_id=author.id, is_internal=True
        )
        return message, await _entry(tx, ticket_id)


async def set_status(deps: Deps, ticket_id: int, user_id: int, status: TicketStatus) -> TicketEntry:
    def step(ticket: Ticket, now: Instant) -> tuple[Ticket, str]:
        return tickets_rules.moved(ticket, status, now), f"set the status to {status}."

    return await _step(deps, ticket_id, user_id, step)


async def set_priority(deps: Deps, ticket_id: int, user_id: int, priority: TicketPriority) -> TicketEntry:
    def step(ticket: Ticket, now: Instant) -> tuple[Ticket, str]:
        return tickets_rules.prioritized(ticket, priority, now), f"set the priority to {priority}."

    return await _step(deps, ticket_id, user_id, step)


async def close(deps: Deps, ticket_id: int, user_id: int, body: str | None) -> TicketEntry:
    """With a closing message to the customer, if there is one. Closing again changes nothing and sends nothing."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        before = await _get_for_update(tx, ticket_id)
        if before.status != "closed":
            author = await _user(tx, user_id)
            ticket, message = before, None
            if body is not None:
                ticket = tickets_rules.answered(before, now)
                message = await _write_to_customer(deps, tx, before, author, body, now)
            await _note(tx, ticket_id, f"{author.name} closed the ticket.", now)
            await tickets_db.ROWS.save(tx, before, tickets_rules.moved(ticket, "closed", now))
            if message:
                return await _announce_reply(tx, message)
        return await _entry(tx, ticket_id)


async def assign(deps: Deps, ticket_id: int, user_id: int, agent_id: int | None) -> TicketEntry:
    """To one of the users, or to nobody."""
    async with deps.db.read() as tx:
        agent = None if agent_id is None else await access_db.STAFF.get(tx, agent_id)
    if agent_id is not None and agent is None:
        raise invalid("user_id", "The user id field is not a user of this store.")

    def step(ticket: Ticket, now: Instant) -> tuple[Ticket, str]:
        words = f"assigned the ticket to {agent.name}." if agent else "unassigned the ticket."
        return tickets_rules.assigned(ticket, agent_id, now), words

    return await _step(deps, ticket_id, user_id, step)


async def _step(
    deps: Deps, ticket_id: int, user_id: int, step: Callable[[Ticket, Instant], tuple[Ticket, str]]
) -> TicketEntry:
    """Takes a step and records who took it, unless nothing changes."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        before = await _get_for_update(tx, ticket_id)
        after, words = step(before, now)
        if after != before:
            await _note(tx, ticket_id, f"{(await _user(tx, user_id)).name} {words}", now)
            await tickets_db.ROWS.save(tx, before, after)
        return await _entry(tx, ticket_id)


async def _checked(tx: Transaction, form: TicketForm) -> Customer:
    """The customer, or all reasons why they cannot open a ticket."""
    errors: dict[str, list[str]] = {}
    customer = await customers_db.ROWS.get(tx, form.customer_id)
    if customer is None:
        errors["customer_id"] = ["The customer id field is not a customer of this store."]
    order = None if form.order_id is None else await orders_db.ROWS.get(tx, form.order_id)
    if form.order_id is not None and (order is None or order.customer_id != form.customer_id):
        errors["order_id"] = ["The order id field is not an order of this customer."]
    if errors:
        raise InvalidFields(errors)
    assert customer is not None
    require_not_erased(customer)
    return customer


async def _write_to_customer(
    deps: Deps, tx: Transaction, ticket: Ticket, author: User, body: str, now: Instant
) -> TicketMessage:
    """Adds a public message of the staff and queues it as an e-mail, both in one transaction."""
    customer = await _customer(tx, ticket)
    email = render(
        "ticket_reply",
        deps.store,
        customer.email,
        customer.name,
        subject=ticket.subject,
        ticket_number=ticket.number,
        name=customer.name,
        author_name=author.name,
        message=body,
    )
    await emails_db.add(tx, email, deps.vault.seal, now)
    return await _add_message(tx, ticket.id, "staff", author.name, body, now, user_id=author.id)


async def _announce_reply(tx: Transaction, message: TicketMessage) -> TicketEntry:
    """The ticket as it is after the message."""
    entry = await _entry(tx, message.ticket_id)
    await outbox_db.append(tx, "ticket.replied", ticket_events_views.replied(entry, message), message.created_at)
    return entry


async def _note(tx: Transaction, ticket_id: int, words: str, now: Instant) -> None:
    await _add_message(tx, ticket_id, "system", SYSTEM, words, now, is_internal=True)


async def _add_message(
    tx: Transaction,
    ticket_id: int,
    author_type: AuthorType,
    author_name: str,
    body: str,
    now: Instant,
    *,
    user_id: int | None = None,
    is_internal: bool = False,
) -> TicketMessage:
    message = TicketMessage(0, ticket_id, author_type, user_id, author_name, body, is_internal, now)
    return await tickets_db.MESSAGES.add(tx, message)


async def _get_for_update(tx: Transaction, ticket_id: int) -> Ticket:
    return existing(await tickets_db.ROWS.lock(tx, ticket_id), "Support ticket")


async def _customer(tx: Transaction, ticket: Ticket) -> Customer:
    customer = await customers_db.ROWS.get(tx, ticket.customer_id)
    assert customer is not None
    require_not_erased(customer)
    return customer


async def _entry(tx: Transaction, ticket_id: int) -> TicketEntry:
    entry = await tickets_db.get(tx, ticket_id)
    assert entry is not None
    return entry


async def _user(tx: Transaction, user_id: int) -> User:
    user = await access_db.USERS.get(tx, user_id)
    assert user is not None
    return user
