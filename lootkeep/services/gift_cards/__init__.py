"""Gift cards: operations on one card, cards that orders buy, and cards that pay for orders."""

from lootkeep.services.gift_cards.cards import change, create, redeem, revoke, send
from lootkeep.services.gift_cards.codes import counting_misses, find_by_code
from lootkeep.services.gift_cards.past import import_in
from lootkeep.services.gift_cards.payment import find_for_payment, give_back, pay_for
from lootkeep.services.gift_cards.purchases import issue_bought, lock_bought, revoke_bought, take_back_bought
from lootkeep.services.gift_cards.status import settle

__all__ = [
    "change",
    "counting_misses",
    "create",
    "find_by_code",
    "find_for_payment",
    "give_back",
    "import_in",
    "issue_bought",
    "lock_bought",
    "pay_for",
    "redeem",
    "revoke",
    "revoke_bought",
    "send",
    "settle",
    "take_back_bought",
]
