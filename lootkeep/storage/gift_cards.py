"""Gift cards and their ledger: every change of a balance is a guarded update and a row, in one transaction."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import BigInteger, bindparam, cast, func, insert, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.domain import gift_cards as gift_cards_rules
from lootkeep.domain.customers import search_text
from lootkeep.domain.gift_cards import EntryType, GiftCard, GiftCardTerms, LedgerEntry, RevokedValue, SealedCode
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import gift_card_entries as entries, gift_cards as cards
from lootkeep.storage.schema.gift_cards import TENDER, WITH_REFERENCE
from lootkeep.storage.totals import counters

_CARD = [cards.c[name] for name in GiftCard.__struct_fields__]
_ENTRY = [entries.c[name] for name in LedgerEntry.__struct_fields__]
_THIS = cards.c.id == bindparam("card")
_CHANGING = (
    "balance",
    "stored_status",
    "recipient_email",
    "recipient_name",
    "message",
    "expires_at",
    "note",
    "sent_at",
    "send_count",
    "sends_since",
    "recent_sends",
    "last_used_at",
    "revoked_at",
    "revoke_reason",
    "updated_at",
)

_NEW = {
    **{name: bindparam(name) for name in (*GiftCardTerms.__struct_fields__, *SealedCode.__struct_fields__)},
    "balance": bindparam("initial_balance"),
    "stored_status": bindparam("status"),
    "next_status_change_at": bindparam("next_change"),
    "send_count": 0,
    "recent_sends": 0,
    "search_text": bindparam("searched"),
    "created_at": bindparam("created"),
    "updated_at": bindparam("now"),
}
_ADD = Query(
    postgresql.insert(cards).values(_NEW).on_conflict_do_nothing(index_elements=["code_hash"]).returning(*_CARD),
    GiftCard,
)
_GET = Query(select(*_CARD).where(_THIS), GiftCard)
_LOCK = Query(select(*_CARD).where(_THIS).with_for_update(), GiftCard)
_BY_HASH = Query(select(*_CARD).where(cards.c.code_hash == bindparam("hashed")), GiftCard)
_LOCK_BY_HASH = Query(select(*_CARD).where(cards.c.code_hash == bindparam("hashed")).with_for_update(), GiftCard)
_BOUGHT = Query(select(cards.c.id).where(cards.c.order_id == bindparam("order")).order_by(cards.c.id))
_REVOKED = Query(
    select(cast(func.coalesce(-func.sum(entries.c.amount), 0), BigInteger))
    .join(cards, cards.c.id == entries.c.gift_card_id)
    .where(cards.c.order_id == bindparam("order"), entries.c.type == "revoke")
)
# Guarded: a decision based on one balance never overwrites another.
_SET = Query(
    update(cards)
    .where(_THIS, cards.c.balance == bindparam("known_balance"))
    .values(
        {name: bindparam(name) for name in _CHANGING}
        | {"next_status_change_at": bindparam("next_change"), "search_text": bindparam("searched")}
    )
    .returning(*_CARD),
    GiftCard,
)
_ENTER = Query(
    insert(entries)
    .values({name: bindparam(f"new_{name}") for name in (*LedgerEntry.__struct_fields__[1:], "is_tender")})
    .returning(*_ENTRY),
    LedgerEntry,
)
_LEDGER = Query(select(*_ENTRY).where(entries.c.gift_card_id == bindparam("card")).order_by(entries.c.id), LedgerEntry)
_BY_REFERENCE = Query(
    select(*_ENTRY).where(
        entries.c.gift_card_id == bindparam("card"),
        entries.c.reference == bindparam("given_reference"),
        WITH_REFERENCE,
    ),
    LedgerEntry,
)
_PAYING = Query(select(entries.c.gift_card_id).where(entries.c.order_id == bindparam("order"), TENDER))


async def add(
    tx: Transaction,
    terms: GiftCardTerms,
    code: SealedCode,
    now: Instant,
    *,
    created_at: Instant | None = None,
) -> GiftCard | None:
    """A new card with the first entry of its ledger; None if the code is taken. An imported card has its own time."""
    created = now if created_at is None else created_at
    is_scheduled = terms.starts_at is not None and terms.starts_at > now
    values = msgspec.structs.asdict(terms) | msgspec.structs.asdict(code)
    card = await tx.one(
        _ADD,
        **values,
        status="scheduled" if is_scheduled else "active",
        next_change=terms.starts_at if is_scheduled else terms.expires_at,
        searched=_searched(terms, code.last_four),
        now=now,
        created=created,
    )
    if card is None:
        return None
    tx.totals.count("gift cards", None, card)
    await _enter(tx, card, "issue", card.balance, created, order_id=card.order_id)
    return card


async def get(tx: Transaction, card_id: int) -> GiftCard | None:
    return await tx.one(_GET, card=card_id)


async def get_for_update(tx: Transaction, card_id: int) -> GiftCard | None:
    """Locked until the transaction ends: two operations on one card run one after the other."""
    return await tx.one(_LOCK, card=card_id)


async def by_hash(tx: Transaction, code_hash: str) -> GiftCard | None:
    return await tx.one(_BY_HASH, hashed=code_hash)


async def get_by_hash_for_update(tx: Transaction, code_hash: str) -> GiftCard | None:
    return await tx.one(_LOCK_BY_HASH, hashed=code_hash)


async def save(tx: Transaction, before: GiftCard, after: GiftCard, now: Instant) -> GiftCard:
    """Writes a locked card, and updates the totals from its old state to the new one."""
    after = replace(after, stored_status=gift_cards_rules.status(after, now))
    (saved,) = await tx.all(
        _SET,
        card=before.id,
        known_balance=before.balance,
        next_change=gift_cards_rules.next_status_change(after),
        searched=_searched(after, after.last_four),
        **{name: getattr(after, name) for name in _CHANGING},
    )
    tx.totals.count("gift cards", before, saved)
    return saved


async def redeem(
    tx: Transaction,
    card: GiftCard,
    amount: Hundredths,
    now: Instant,
    *,
    order_id: int | None,
    reference: str | None = None,
    is_tender: bool = False,
) -> LedgerEntry:
    saved = await save(tx, card, gift_cards_rules.redeemed(card, amount, now), now)
    return await _enter(tx, saved, "redeem", -amount, now, order_id=order_id, reference=reference, is_tender=is_tender)


async def set_left(tx: Transaction, card: GiftCard, left: Hundredths, now: Instant) -> GiftCard:
    """The remaining balance of an imported card, and its status."""
    saved = await save(tx, card, replace(card, balance=left), now)
    if left < card.balance:
        await _enter(tx, saved, "redeem", left - card.balance, now)
    return saved


async def give_back(tx: Transaction, card: GiftCard, amount: Hundredths, now: Instant, *, order_id: int) -> None:
    saved = await save(tx, card, gift_cards_rules.given_back(card, amount, now), now)
    await _enter(tx, saved, "refund", amount, now, order_id=order_id, is_tender=True)


async def take_back(tx: Transaction, card: GiftCard, amount: Hundredths, now: Instant, *, order_id: int) -> None:
    """Subtracts the refunded part of the card's price."""
    saved = await save(tx, card, gift_cards_rules.taken_back(card, amount, now), now)
    await _revoke(tx, saved, amount, now, order_id)


async def revoke(
    tx: Transaction,
    card: GiftCard,
    reason: str | None,
    now: Instant,
    *,
    order_id: int | None = None,
) -> GiftCard:
    """Removes the remaining balance."""
    saved = await save(tx, card, gift_cards_rules.revoked(card, reason, now), now)
    if card.balance:
        await _revoke(tx, saved, card.balance, now, order_id)
    return saved


async def ledger(tx: Transaction, card_id: int) -> list[LedgerEntry]:
    return await tx.all(_LEDGER, card=card_id)


async def by_reference(tx: Transaction, card_id: int, reference: str) -> LedgerEntry | None:
    """The redemption with this reference."""
    return await tx.one(_BY_REFERENCE, card=card_id, given_reference=reference)


async def paying_for(tx: Transaction, order_id: int) -> int | None:
    """The card that paid for an order."""
    row = await tx.one(_PAYING, order=order_id)
    return row[0] if row else None


async def bought_in(tx: Transaction, order_id: int) -> list[int]:
    return [card_id for (card_id,) in await tx.all(_BOUGHT, order=order_id)]


async def revoked_of(tx: Transaction, order_id: int) -> Hundredths:
    """What refunds and staff took from the cards bought in an order."""
    ((amount,),) = await tx.all(_REVOKED, order=order_id)
    return Hundredths(amount)


async def figures(tx: Transaction) -> tuple[dict[str, int], dict[str, int]]:
    """By names such as `USD.active`: how many cards, and what they hold; also what was issued, redeemed and revoked.

    What was redeemed is what was issued and is neither on a card nor revoked.
    """
    values: dict[str, int] = defaultdict(int)
    # A redeemed or revoked card has no balance, so these names are free for the redeemed and revoked amounts.
    for name, balance in (await counters.totals(tx, "gift_card_balances.")).items():
        values[name] += balance
        values[f"{name.partition('.')[0]}.redeemed"] -= balance
    for currency, issued in (await counters.totals(tx, "gift_cards_issued.")).items():
        values[f"{currency}.issued"] += issued
        values[f"{currency}.redeemed"] += issued
    for currency, revoked in (await counters.totals(tx, "gift_cards_revoked.")).items():
        values[f"{currency}.revoked"] += revoked
        values[f"{currency}.redeemed"] -= revoked
    return await counters.totals(tx, "gift_cards."), values


async def _revoke(tx: Transaction, card: GiftCard, amount: Hundredths, now: Instant, order_id: int | None) -> None:
    await _enter(tx, card, "revoke", -amount, now, order_id=order_id)
    tx.totals.count("revoked values", None, RevokedValue(card.currency, amount))


async def _enter(
    tx: Transaction,
    card: GiftCard,
    kind: EntryType,
    amount: int,
    now: Instant,
    *,
    order_id: int | None = None,
    reference: str | None = None,
    is_tender: bool = False,
) -> LedgerEntry:
    values: dict[str, Any] = {
        "gift_card_id": card.id,
        "type": kind,
        "amount": amount,
        "balance_after": card.balance,
        "order_id": order_id,
        "reference": reference,
        "created_at": now,
        "is_tender": is_tender,
    }
    (entry,) = await tx.all(_ENTER, **{f"new_{name}": value for name, value in values.items()})
    return entry


def _searched(terms: GiftCardTerms, last_four: str) -> str:
    return search_text(terms.recipient_name, terms.recipient_email, last_four)
