"""Lookup of gift card codes: stops a caller that guesses, on every endpoint that takes a code."""

from __future__ import annotations

from lootkeep.api.http.errors import TooManyRequests
from lootkeep.deps import Deps
from lootkeep.domain.access import Token
from lootkeep.domain.gift_cards import GiftCard
from lootkeep.engines.card_codes import CardCodes
from lootkeep.storage.gift_cards import rows as gift_cards_db

# Codes are too long to guess, but a caller that tries has to wait anyway. After this many unknown codes within a
# minute, a token gets no response for a valid code either.
MISSES_PER_MINUTE = 10


async def find(deps: Deps, token: Token, code: str) -> GiftCard | None:
    """The card with this code, unless the token has sent too many unknown codes; known codes do not count."""
    now = deps.clock.now()
    misses = f"gift-card-misses:{token.id}"
    state = await deps.limiter.hit(misses, 0, now)
    if state.count >= MISSES_PER_MINUTE:
        raise TooManyRequests(state.retry_after(now))
    async with deps.db.read() as tx:
        card = await gift_cards_db.ROWS.find_one(tx, code_hash=CardCodes(deps.vault, deps.ids).hashed(code))
    if card is None:
        state = await deps.limiter.hit(misses, MISSES_PER_MINUTE, now)
        if not state.is_allowed:
            raise TooManyRequests(state.retry_after(now))
    return card
