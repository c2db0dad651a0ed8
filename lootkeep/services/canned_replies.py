"""Canned replies: staff writes them once, and they are filled in for the ticket that is answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import access as access_rules, canned_replies as canned_replies_rules
from lootkeep.domain.canned_replies import MAX_REPLIES, CannedReply
from lootkeep.domain.orders import order_number
from lootkeep.kernel.errors import Unprocessable, existing, invalid
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.tickets import canned_replies as canned_replies_db, rows as tickets_db

# How many products of an order are named.
_MAX_PRODUCTS = 3
_TAKEN = "Another canned reply has this name."


async def create(deps: Deps, name: str, body: str) -> CannedReply:
    _check(name, body)
    now = deps.clock.now()
    async with deps.db.write() as tx:
        await tx.wait_for("canned replies")
        if len(await canned_replies_db.names(tx)) >= MAX_REPLIES:
            raise Unprocessable(
                "too_many_replies", f"There are {MAX_REPLIES} canned replies. Delete one of them first."
            )
        reply = await canned_replies_db.ROWS.add_if_free(tx, CannedReply(0, name.strip(), body, now, now))
    if reply is None:
        raise invalid("name", _TAKEN)
    return reply


async def change(deps: Deps, reply_id: int, values: Mapping[str, Any]) -> CannedReply:
    _check(values["name"], values["body"])
    async with deps.db.write() as tx:
        reply = existing(await canned_replies_db.ROWS.lock(tx, reply_id), "Canned reply")
        same_name = await canned_replies_db.ROWS.find_one(tx, name=values["name"].strip())
        if same_name is not None and same_name.id != reply_id:
            raise invalid("name", _TAKEN)
        changed = replace(reply, name=values["name"].strip(), body=values["body"])
        if changed != reply:
            changed = replace(changed, updated_at=deps.clock.now())
            await canned_replies_db.ROWS.save(tx, reply, changed)
    return changed


async def delete(deps: Deps, reply_id: int) -> None:
    async with deps.db.write() as tx:
        reply = existing(await canned_replies_db.ROWS.lock(tx, reply_id), "Canned reply")
        await canned_replies_db.ROWS.remove(tx, reply)


def _check(name: str, body: str) -> None:
    access_rules.check_name(name)
    if wrong := canned_replies_rules.check_variables(body):
        raise invalid("body", wrong)


async def compose(deps: Deps, reply_id: int | None, message: str | None) -> str:
    """What is sent to many tickets: a canned reply, and what was typed after it."""
    async with deps.db.read() as tx:
        reply = await canned_replies_db.ROWS.get(tx, reply_id) if reply_id is not None else None
    text = "\n\n".join(part for part in (reply.body if reply else None, message) if part)
    if not text:
        raise invalid("message", "Write a message or choose a canned reply.")
    if wrong := canned_replies_rules.check_variables(text):
        raise invalid("message", wrong)
    return text


async def fill(deps: Deps, ticket_id: int, user_id: int, text: str) -> str:
    """For the ticket and who answers it; refused if it has no value for a variable."""
    async with deps.db.read() as tx:
        values = await values_of(deps, tx, ticket_id, user_id)
    if missing := canned_replies_rules.check_values(text, values):
        raise invalid("message", f"{missing} Write it yourself.")
    return canned_replies_rules.fill(text, values)


async def values_of(deps: Deps, tx: Transaction, ticket_id: int, user_id: int) -> dict[str, str]:
    """What the variables are in a ticket; those that it lacks are left out."""
    ticket = existing(await tickets_db.ROWS.get(tx, ticket_id), "Support ticket")
    customer = existing(await customers_db.ROWS.get(tx, ticket.customer_id), "Customer")
    agent = existing(await access_db.USERS.get(tx, user_id), "User")
    values = {"customer_name": customer.name, "ticket_number": ticket.number}
    values |= {"store_name": deps.store.name, "agent_name": agent.name}
    if ticket.order_id is not None:
        items = await orders_db.ITEMS.find(tx, order_id=ticket.order_id)
        names = list(dict.fromkeys(item.product_name for item in items))
        more = [f"{len(names) - _MAX_PRODUCTS} more"] if len(names) > _MAX_PRODUCTS else []
        products = ", ".join([*names[:_MAX_PRODUCTS], *more])
        values |= {"order_number": order_number(ticket.order_id), "product": products}
    return values
