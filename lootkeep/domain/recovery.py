"""How much a refund takes from the gift cards bought in the order, and what was already spent."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from lootkeep.domain.gift_cards import GiftCard
from lootkeep.domain.orders import Order
from lootkeep.kernel.errors import Conflict
from lootkeep.kernel.money import Hundredths, text


class Recovery(msgspec.Struct, frozen=True):
    """The amount taken from each card, in the order of the cards, and the amount refunded although it was spent."""

    taken: Sequence[Hundredths]
    unrecovered: Hundredths


def recovery(
    order: Order, amount: Hundredths, cards: Sequence[GiftCard], revoked: Hundredths, *, allow_unrecovered: bool
) -> Recovery:
    """The cards are charged first, the oldest first; the other lines must cover the rest.

    `revoked` is what refunds and staff took from the cards before.
    """
    balance = sum(card.balance for card in cards)
    other_lines = order.total - sum(card.initial_balance for card in cards)
    # Earlier refunds that were not taken from a card were for the other lines.
    covered = max(0, other_lines - (order.refunded_total - revoked))
    unrecovered = Hundredths(max(0, amount - balance - covered))
    if unrecovered and not allow_unrecovered:
        raise Conflict(
            "gift_cards_spent",
            f"The gift cards bought in order {order.number} have already been spent in part: "
            f"{text(Hundredths(amount - unrecovered))} can be refunded, or more with allow_unrecovered.",
        )
    # If the whole price is refunded, nothing stays on the cards of the order.
    return Recovery(_taken(cards, balance if amount == order.refundable else amount), unrecovered)


def _taken(cards: Sequence[GiftCard], amount: int) -> list[Hundredths]:
    taken = []
    for card in cards:
        taken.append(Hundredths(min(card.balance, amount)))
        amount -= taken[-1]
    return taken
