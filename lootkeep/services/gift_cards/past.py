"""Gift cards issued by another system: imported with their code and remaining balance."""

from __future__ import annotations

from lootkeep.deps import Deps
from lootkeep.domain import gift_cards as gift_cards_rules
from lootkeep.domain.customers import accepted_customer
from lootkeep.domain.gift_card_codes import check_code
from lootkeep.domain.gift_cards import GiftCard, GiftCardTerms
from lootkeep.engines.card_codes import CardCodes
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.money import Hundredths
from lootkeep.services.gift_cards import _ledger
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction


async def import_in(
    deps: Deps, tx: Transaction, terms: GiftCardTerms, code: str, left: Hundredths, created_at: Instant | None
) -> GiftCard:
    """No e-mail is sent: the recipients got their codes long ago."""
    now = deps.clock.now()
    terms = gift_cards_rules.checked_past(terms, left)
    if created_at is not None and created_at > now:
        raise invalid("created_at", "The created at field must not be in the future.")
    sealed = CardCodes(deps.vault, deps.ids).sealed(check_code(code))
    if terms.customer_id is not None:
        accepted_customer(await customers_db.ROWS.get(tx, terms.customer_id))
    card = await _ledger.issue(tx, terms, sealed, now, created_at=created_at)
    if card is None:
        raise invalid("code", "The code field has already been taken.")
    return await _ledger.set_left(tx, card, left, now)
