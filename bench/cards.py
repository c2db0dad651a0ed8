"""Gift cards of a made store: as many as asked for, in every state, with their ledgers and what is counted of them."""

from collections.abc import Iterator

from sqlalchemy import Table

from bench.people import RARE
from bench.rows import NOW, Row, Rows
from lootkeep.kernel.clock import DAY, HOUR, Instant
from lootkeep.kernel.search import search_text
from lootkeep.storage.schema import gift_card_entries, gift_cards

_CHUNK = 10_000
_VALUE = 25_00
# How many of each hundred cards: most are active, and of each state there are enough to fill pages.
_STATES = ("active",) * 60 + ("redeemed",) * 15 + ("expired",) * 15 + ("revoked",) * 5 + ("scheduled",) * 5
_FOREIGN_EVERY = 50
_RARE_EVERY = 400
_CARDS_OF_A_CUSTOMER = 3


def parts(size: int) -> Iterator[dict[Table, Rows]]:
    """The rows by table, a chunk of cards at a time."""
    for start in range(1, size + 1, _CHUNK):
        cards = [_card(number, size) for number in range(start, min(start + _CHUNK, size + 1))]
        yield {gift_cards: cards, gift_card_entries: [entry for card in cards for entry in _entries(card)]}


def _card(number: int, size: int) -> Row:
    state = _STATES[number * 37 % 100]
    created_at = Instant(NOW - (size - number + 1) * HOUR // 4)
    starts_at = NOW + DAY if state == "scheduled" else None
    expires_at = _expiry(number, state, created_at)
    name = f"{RARE} {number}" if number % _RARE_EVERY == 0 else f"Player {number}"
    email = f"player{number}@mail.example"
    return {
        "id": number,
        "code_hash": f"{number:064x}",
        "sealed_code": "",
        "last_four": f"{number % 10_000:04}",
        "initial_balance": _VALUE,
        "balance": 0 if state in ("redeemed", "revoked") else _VALUE - number % 500,
        "currency": "EUR" if number % _FOREIGN_EVERY == 0 else "USD",
        "stored_status": state,
        "next_status_change_at": {"scheduled": starts_at, "active": expires_at}.get(state),
        "recipient_email": email,
        "recipient_name": name,
        "customer_id": number // _CARDS_OF_A_CUSTOMER + 1,
        "starts_at": starts_at,
        "expires_at": expires_at,
        "send_count": 0,
        "recent_sends": 0,
        "revoked_at": created_at if state == "revoked" else None,
        "search_text": search_text(name, email, f"{number % 10_000:04}"),
        "created_at": created_at,
        "updated_at": created_at,
    }


def _expiry(number: int, state: str, created_at: Instant) -> Instant | None:
    if state == "expired":
        return Instant(created_at + 1)
    return Instant(NOW + number * HOUR) if state == "active" and number % 2 else None


def _entries(card: Row) -> Rows:
    """What was put on it, and what was taken off."""
    moved = card["balance"] - card["initial_balance"]
    kinds = [("issue", card["initial_balance"], card["initial_balance"])]
    if moved:
        kinds.append(("revoke" if card["stored_status"] == "revoked" else "redeem", moved, card["balance"]))
    return [
        {
            "id": 2 * card["id"] + index,
            "gift_card_id": card["id"],
            "type": kind,
            "amount": amount,
            "balance_after": after,
            "is_tender": False,
            "created_at": card["created_at"],
        }
        for index, (kind, amount, after) in enumerate(kinds)
    ]
