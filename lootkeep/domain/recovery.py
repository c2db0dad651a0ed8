"""What a refund takes off the gift cards that were bought in the order, and what they no longer hold."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from lootkeep.domain.gift_cards import GiftCard
from lootkeep.domain.orders import Order
from lootkeep.kernel.errors import Conflict
from lootkeep.kernel.money import Hundredths, text


class Recovery(msgspec.Struct, frozen=True):
    """What comes off each card, in the order of the cards, and what is refunded though it was spent."""

    taken: Sequence[Hundredths]
    unrecovered: Hundredths


def recovery(
    order: Order, amount: Hundredths, cards: Sequence[GiftCard], revoked: Hundredths, *, allow_unrecovered: bool
) -> Recovery:
    """The cards give first, oldest first; what they cannot give, the other lines must cover.

    `revoked` is what was taken off the cards before, by refunds and by staff.
    """
    held = sum(card.balance for card in cards)
    other_lines = order.total - sum(card.initial_balance for card in cards)
    # What was refunded before and did not come off a card was refunded for the other lines.
    covered = max(0, other_lines - (order.refunded_total - revoked))
    unrecovered = Hundredths(max(0, amount - held - covered))
    if unrecovered and not allow_unrecovered:
        raise Conflict(
            "gift_cards_spent",
            f"The gift cards bought in order {order.number} have already been spent in part: "
            f"{text(Hundredths(amount - unrecovered))} can be refunded, or more with allow_unrecovered.",
        )
    # Nothing stays on the cards of an order whose whole price went back.
    return Recovery(_taken(cards, held if amount == order.refundable else amount), unrecovered)


def _taken(cards: Sequence[GiftCard], amount: int) -> list[Hundredths]:
    taken = []
    for card in cards:
        taken.append(Hundredths(min(card.balance, amount)))
        amount -= taken[-1]
    return taken
