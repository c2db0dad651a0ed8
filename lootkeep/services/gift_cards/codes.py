"""Codes that callers send: a caller that guesses them is stopped."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lootkeep.deps import Deps
from lootkeep.domain.gift_cards import GiftCard, UnknownCard
from lootkeep.engines.card_codes import CardCodes
from lootkeep.kernel.errors import TooManyRequests
from lootkeep.services.gift_cards.purchases import is_disputed
from lootkeep.storage.gift_cards import rows as gift_cards_db

# Codes are too long to guess, but a caller that tries has to wait anyway. After this many unknown codes within a
# minute, a token gets no response for a valid code either.
MISSES_PER_MINUTE = 10


@asynccontextmanager
async def counting_misses(deps: Deps, token_id: int) -> AsyncIterator[None]:
    """Around what takes a code: raises if the token has sent too many unknown ones; known codes do not count."""
    now, misses = deps.clock.now(), f"gift-card-misses:{token_id}"
    state = await deps.limiter.hit(misses, 0, now)
    if state.count >= MISSES_PER_MINUTE:
        raise TooManyRequests(state.retry_after(now))
    try:
        yield
    except UnknownCard:
        state = await deps.limiter.hit(misses, MISSES_PER_MINUTE, now)
        if not state.is_allowed:
            raise TooManyRequests(state.retry_after(now)) from None
        raise


async def find_by_code(deps: Deps, token_id: int, code: str) -> tuple[GiftCard | None, bool]:
    """The card, and whether its payment is disputed."""
    try:
        async with counting_misses(deps, token_id), deps.db.read() as tx:
            card = await gift_cards_db.ROWS.find_one(tx, code_hash=CardCodes(deps.vault, deps.ids).hashed(code))
            if card is None:
                raise UnknownCard()
            return card, await is_disputed(tx, card)
    except UnknownCard:
        return None, False
