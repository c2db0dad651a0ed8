"""Payment instruments are one more thing a customer can be seen with."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"

_KINDS = "kind IN ('device', 'address', 'mailbox', 'instrument')"
_MOVE = """
    INSERT INTO sightings (kind, value, customer_id, first_seen_at, last_seen_at)
    SELECT kind, value, customer_id, first_seen_at, last_seen_at FROM old_sightings
"""
_SEEN = ["kind", "value", "last_seen_at", "customer_id", "first_seen_at"]


def upgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        op.drop_constraint("ck_sightings_kind", "sightings")
        op.create_check_constraint("ck_sightings_kind", "sightings", _KINDS)
        op.drop_index("ix_sightings_customer_id", "sightings")
    else:
        _rebuild()
        op.create_index("ix_sightings_seen", "sightings", _SEEN)
    op.create_index("ix_sightings_customer_id_kind_last_seen_at", "sightings", ["customer_id", "kind", "last_seen_at"])


def _rebuild() -> None:
    """SQLite cannot change a constraint: the rows move to a table that has the new one."""
    op.execute(sa.text("ALTER TABLE sightings RENAME TO old_sightings"))
    for name in ("ix_sightings_customer_id", "ix_sightings_seen"):
        op.execute(sa.text(f"DROP INDEX {name}"))
    op.create_table(
        "sightings",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("customer_id", sa.BigInteger(), nullable=False),
        sa.Column("first_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(_KINDS, name="ck_sightings_kind"),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_sightings_customer_id"),
        sa.PrimaryKeyConstraint("kind", "value", "customer_id", name="pk_sightings"),
        sqlite_with_rowid=False,
    )
    op.execute(sa.text(_MOVE))
    op.execute(sa.text("DROP TABLE old_sightings"))
