"""Codes of gift cards as they are asked for: whoever guesses is stopped, wherever the code is sent to."""

from __future__ import annotations

from lootkeep.api.http.errors import TooManyRequests
from lootkeep.deps import Deps
from lootkeep.domain.access import Token
from lootkeep.domain.gift_cards import GiftCard
from lootkeep.engines.card_codes import CardCodes
from lootkeep.storage import gift_cards

# Codes cannot be found by trying; whoever tries is told to wait all the same. A token that has sent so many unknown
# ones in a minute is not told of a good one either.
MISSES_PER_MINUTE = 10


async def find(deps: Deps, token: Token, code: str) -> GiftCard | None:
    """The card with this code, unless the token has sent too many unknown ones; known ones do not count."""
    now = deps.clock.now()
    misses = f"gift-card-misses:{token.id}"
    standing = await deps.limiter.hit(misses, 0, now)
    if standing.count >= MISSES_PER_MINUTE:
        raise TooManyRequests(standing.retry_after(now))
    async with deps.db.read() as tx:
        card = await gift_cards.by_hash(tx, CardCodes(deps.vault, deps.ids).hashed(code))
    if card is None:
        standing = await deps.limiter.hit(misses, MISSES_PER_MINUTE, now)
        if not standing.is_allowed:
            raise TooManyRequests(standing.retry_after(now))
    return card
