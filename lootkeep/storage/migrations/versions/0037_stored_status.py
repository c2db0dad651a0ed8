"""The stored status of a gift card and the time at which it changes next have names that say so."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"

_STATUSES = "CHECK (stored_status IN ('scheduled', 'active', 'redeemed', 'expired', 'revoked'))"
_CHANGING = sa.text("next_status_change_at IS NOT NULL")


def upgrade() -> None:
    for old, new in (("kept_status", "stored_status"), ("turns_at", "next_status_change_at")):
        op.execute(sa.text(f"ALTER TABLE gift_cards RENAME COLUMN {old} TO {new}"))
    # Both engines change the column in constraints and indexes by themselves, but not their names.
    op.execute(sa.text("ALTER TABLE gift_cards DROP CONSTRAINT ck_gift_cards_kept_status"))
    op.execute(sa.text(f"ALTER TABLE gift_cards ADD CONSTRAINT ck_gift_cards_stored_status {_STATUSES}"))
    op.drop_index("ix_gift_cards_turning", "gift_cards")
    op.create_index(
        "ix_gift_cards_next_status_change",
        "gift_cards",
        ["next_status_change_at"],
        sqlite_where=_CHANGING,
        postgresql_where=_CHANGING,
    )
