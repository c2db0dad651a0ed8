"""The values of gift cards are maintained totals: the first page of their list shows them."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"

_BALANCES = """
    INSERT INTO counters (name, shard, value)
    SELECT 'gift_card_balances.' || currency || '.' || stored_status, 0, sum(balance) FROM gift_cards
    GROUP BY currency, stored_status
"""
_ISSUED = """
    INSERT INTO counters (name, shard, value)
    SELECT 'gift_cards_issued.' || currency, 0, sum(initial_balance) FROM gift_cards GROUP BY currency
"""
_REVOKED = """
    INSERT INTO counters (name, shard, value)
    SELECT 'gift_cards_revoked.' || currency, 0, -sum(amount)
    FROM gift_card_entries JOIN gift_cards ON gift_cards.id = gift_card_id WHERE type = 'revoke' GROUP BY currency
"""


def upgrade() -> None:
    for fill in (_BALANCES, _ISSUED, _REVOKED):
        op.execute(sa.text(fill))
    op.drop_index("ix_gift_cards_figures", "gift_cards")
    op.drop_index("ix_gift_card_entries_revoked", "gift_card_entries")
