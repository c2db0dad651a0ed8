"""Disputes of orders, what orders turned out to be, and what later orders are compared with."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_IS_FRAUD = sa.text("truth = 'fraud'")
_HAS_SIGNALS = sa.text("signals <> '{}'")
_TRUTH = """
    UPDATE fraud_checks SET truth = review_outcome, truth_source = 'review', truth_at = reviewed_at
    WHERE review_outcome IN ('fraud', 'legitimate')
"""
_FRAUDS = "FROM fraud_checks c JOIN orders o ON o.id = c.order_id WHERE c.truth = 'fraud'"
_INSTRUMENT = {
    "sqlite": "json_extract(c.facts, '$.payment.instrument')",
    "postgresql": "CAST(c.facts AS json) #>> '{payment,instrument}'",
}


def upgrade() -> None:
    op.create_table(
        "disputes",
        sa.Column("id", _ID, nullable=False),
        sa.Column("order_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('early_warning', 'dispute', 'dispute_won', 'dispute_lost')", name="ck_disputes_kind"
        ),
        sa.CheckConstraint("reason IN ('fraudulent', 'other')", name="ck_disputes_reason"),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name="fk_disputes_order_id"),
        sa.PrimaryKeyConstraint("id", name="pk_disputes"),
        sa.UniqueConstraint("order_id", "external_id", "kind", name="uq_disputes_order_id_external_id_kind"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "labels",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("since", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("order_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name="fk_labels_order_id"),
        sa.PrimaryKeyConstraint("kind", "value", "since", "order_id", name="pk_labels"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_labels_order_id", "labels", ["order_id"])
    op.add_column("refunds", sa.Column("reason_code", sa.Text(), nullable=True))
    _add_truth()


def _add_truth() -> None:
    """Reviews that are there are labels from now on."""
    for column in (
        sa.Column("truth", sa.Text(), nullable=True),
        sa.Column("truth_source", sa.Text(), nullable=True),
        sa.Column("truth_at", sa.BigInteger(), nullable=True),
    ):
        op.add_column("fraud_checks", column)
    op.execute(sa.text(_TRUTH))
    instrument = _INSTRUMENT[op.get_context().dialect.name]
    for kind, value in (
        ("customer", "CAST(c.customer_id AS TEXT)"),
        ("device", "o.device_id"),
        ("instrument", instrument),
        (
            "mailbox",
            "(SELECT value FROM sightings s WHERE s.customer_id = c.customer_id AND s.kind = 'mailbox' LIMIT 1)",
        ),
    ):
        links = f"SELECT '{kind}', {value}, c.truth_at, c.order_id {_FRAUDS} AND {value} IS NOT NULL"
        op.execute(sa.text(f"INSERT INTO labels (kind, value, since, order_id) {links}"))
    for name in ("ix_fraud_checks_confirmed", "ix_fraud_checks_signals"):
        op.drop_index(name, "fraud_checks")
    op.create_index(
        "ix_fraud_checks_frauds",
        "fraud_checks",
        ["created_at", "action_taken"],
        sqlite_where=_IS_FRAUD,
        postgresql_where=_IS_FRAUD,
    )
    op.create_index(
        "ix_fraud_checks_signals",
        "fraud_checks",
        ["signals", "action_taken", "truth", "truth_source", "created_at"],
        sqlite_where=_HAS_SIGNALS,
        postgresql_where=_HAS_SIGNALS,
    )
