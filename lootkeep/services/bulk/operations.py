"""What a bulk act does to one record: the operation of a service, and what is worth knowing of its result."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from lootkeep.deps import Deps
from lootkeep.domain.customers import MAX_TAGS
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.kernel.errors import Conflict, Unprocessable, existing
from lootkeep.services import canned_replies, coupons, customers, fraud, gift_cards, orders, tickets, webhooks
from lootkeep.services.fraud_lists import BLOCKED, BlockKind
from lootkeep.storage import coupons as coupons_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.gift_cards import rows as gift_cards_db
from lootkeep.storage.tickets import rows as tickets_db
from lootkeep.storage.webhooks import log as log_db


async def fulfill_order(deps: Deps, order_id: int, _user_id: int, note: str | None) -> str | None:
    _, is_new = await orders.fulfill(deps, order_id, None, note)
    return None if is_new else "It had been fulfilled before."


async def cancel_order(deps: Deps, order_id: int, _user_id: int, reason: str | None) -> str | None:
    _, unreturned = await orders.cancel(deps, order_id, reason)
    return "The amount of its gift card could not go back: the card is revoked." if unreturned else None


async def approve(deps: Deps, check_id: int, user_id: int, notes: str | None) -> None:
    await _review(deps, check_id, user_id, "legitimate", notes)


async def reject(deps: Deps, check_id: int, user_id: int, notes: str | None) -> None:
    await _review(deps, check_id, user_id, "fraud", notes)


async def reject_and_block(deps: Deps, check_id: int, user_id: int, notes: str | None) -> None:
    await _review(deps, check_id, user_id, "fraud", notes, tuple(BLOCKED))


async def _review(
    deps: Deps,
    check_id: int,
    user_id: int,
    outcome: ReviewedAs,
    notes: str | None,
    block: Collection[BlockKind] = (),
) -> None:
    """A decision that someone has made on a case is not replaced by one on a list."""
    async with deps.db.write() as tx:
        checks = await fraud_checks_db.lock_with_others(tx, check_id)
    if existing(checks or None, "Fraud check")[-1].review_outcome is not None:
        raise Conflict("already_reviewed", "Someone has decided on this order already.")
    await fraud.review(deps, check_id, outcome, notes, user_id, block=block)


async def reply(deps: Deps, ticket_id: int, user_id: int, message: str) -> None:
    await tickets.answer(deps, ticket_id, user_id, await canned_replies.fill(deps, ticket_id, user_id, message))


async def close_ticket(deps: Deps, ticket_id: int, user_id: int, message: str | None) -> str | None:
    async with deps.db.write() as tx:
        before = existing(await tickets_db.ROWS.lock(tx, ticket_id), "Support ticket")
    await tickets.close(deps, ticket_id, user_id, message)
    return "It had been closed before." if before.status == "closed" else None


async def assign_ticket(
    deps: Deps, ticket_id: int, user_id: int, agent_id: int | None
) -> str | Mapping[str, int | None]:
    async with deps.db.write() as tx:
        before = existing(await tickets_db.ROWS.lock(tx, ticket_id), "Support ticket").assigned_to_id
    await tickets.assign(deps, ticket_id, user_id, agent_id)
    return "It was theirs before." if before == agent_id else {"agent_id": agent_id, "before_id": before}


async def give_ticket_back(
    deps: Deps, ticket_id: int, user_id: int, agent_id: int | None, before_id: int | None
) -> None:
    async with deps.db.write() as tx:
        ticket = existing(await tickets_db.ROWS.lock(tx, ticket_id), "Support ticket")
    if ticket.assigned_to_id != agent_id:
        raise Conflict("assigned_again", "Someone has assigned it again since.")
    await tickets.assign(deps, ticket_id, user_id, before_id)


async def open_ticket(deps: Deps, ticket_id: int, user_id: int) -> str | None:
    async with deps.db.write() as tx:
        before = existing(await tickets_db.ROWS.lock(tx, ticket_id), "Support ticket")
    if before.status == "open":
        return "It is open already."
    await tickets.set_status(deps, ticket_id, user_id, "open")
    return None


async def tag_customer(deps: Deps, customer_id: int, _user_id: int, tag: str) -> str | None:
    tags = await _tags(deps, customer_id)
    if tag in tags:
        return "They had the tag before."
    if len(tags) >= MAX_TAGS:
        raise Unprocessable("too_many_tags", f"A customer can have at most {MAX_TAGS} tags.")
    await customers.change(deps, customer_id, {"tags": msgspec.json.encode([*tags, tag]).decode()})
    return None


async def untag_customer(deps: Deps, customer_id: int, _user_id: int, tag: str) -> str | None:
    tags = await _tags(deps, customer_id)
    if tag not in tags:
        return "They do not have the tag."
    rest = [other for other in tags if other != tag]
    await customers.change(deps, customer_id, {"tags": msgspec.json.encode(rest).decode()})
    return None


async def _tags(deps: Deps, customer_id: int) -> list[str]:
    async with deps.db.write() as tx:
        customer = existing(await customers_db.get_for_update(tx, customer_id), "Customer")
    return msgspec.json.decode(customer.tags, type=list[str])


async def block_customer(deps: Deps, customer_id: int, _user_id: int, reason: str) -> str | None:
    async with deps.db.write() as tx:
        customer = existing(await customers_db.get_for_update(tx, customer_id), "Customer")
    if customer.status == "blocked" and customer.erased_at is None:
        return "They had been blocked before, and their reason stays."
    await customers.change(deps, customer_id, {"status": "blocked", "status_reason": reason})
    return None


async def unblock_customer(deps: Deps, customer_id: int, _user_id: int, note: str | None) -> str | None:
    async with deps.db.write() as tx:
        customer = existing(await customers_db.get_for_update(tx, customer_id), "Customer")
    if customer.status != "blocked":
        return "They are not blocked."
    await customers.change(deps, customer_id, {"status": "active", "status_reason": note})
    return None


async def switch_on(deps: Deps, coupon_id: int, _user_id: int) -> str | None:
    return await _switch(deps, coupon_id, is_active=True)


async def switch_off(deps: Deps, coupon_id: int, _user_id: int) -> str | None:
    return await _switch(deps, coupon_id, is_active=False)


async def _switch(deps: Deps, coupon_id: int, *, is_active: bool) -> str | None:
    async with deps.db.write() as tx:
        before = existing(await coupons_db.ROWS.lock(tx, coupon_id), "Coupon")
    await coupons.change(deps, coupon_id, {"is_active": is_active})
    return f"It had been switched {'on' if is_active else 'off'} before." if before.is_active == is_active else None


async def revoke_card(deps: Deps, card_id: int, _user_id: int, reason: str | None) -> str | None:
    async with deps.db.write() as tx:
        before = existing(await gift_cards_db.ROWS.lock(tx, card_id), "Gift card")
    await gift_cards.revoke(deps, card_id, reason)
    return "It had been revoked before." if before.revoked_at is not None else None


async def send_again(deps: Deps, delivery_id: int, _user_id: int) -> None:
    async with deps.db.read() as tx:
        delivery = existing(await log_db.ROWS.get(tx, delivery_id), "Delivery")
    await webhooks.redeliver(deps, delivery.public_id)
