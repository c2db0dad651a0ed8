"""Fraud checks, their reviews, the policies, and what makes the facts of an order quick to gather."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "fraud_checks",
        sa.Column("id", ID, nullable=False),
        sa.Column("order_id", sa.BigInteger(), nullable=False),
        sa.Column("customer_id", sa.BigInteger(), nullable=False),
        sa.Column("ip_address", sa.Text(), nullable=True),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("user_agent", sa.Text(), nullable=True),
        sa.Column("risk_score", sa.BigInteger(), nullable=False),
        sa.Column("risk_level", sa.Text(), nullable=False),
        sa.Column("action_taken", sa.Text(), nullable=False),
        sa.Column("signals", sa.Text(), nullable=False),
        sa.Column("detected_country", sa.Text(), nullable=True),
        sa.Column("billing_country", sa.Text(), nullable=True),
        sa.Column("detected_city", sa.Text(), nullable=True),
        sa.Column("asn_name", sa.Text(), nullable=True),
        sa.Column("asn_number", sa.BigInteger(), nullable=True),
        sa.Column("is_vpn", sa.Boolean(), nullable=False),
        sa.Column("is_proxy", sa.Boolean(), nullable=False),
        sa.Column("is_datacenter", sa.Boolean(), nullable=False),
        sa.Column("is_tor", sa.Boolean(), nullable=False),
        sa.Column("is_sanctioned_country", sa.Boolean(), nullable=False),
        sa.Column("has_geo_mismatch", sa.Boolean(), nullable=False),
        sa.Column("has_velocity_violation", sa.Boolean(), nullable=False),
        sa.Column("is_disposable_email", sa.Boolean(), nullable=False),
        sa.Column("is_reviewed", sa.Boolean(), nullable=False),
        sa.Column("reviewed_by", sa.BigInteger(), nullable=True),
        sa.Column("reviewed_at", sa.BigInteger(), nullable=True),
        sa.Column("review_outcome", sa.Text(), nullable=True),
        sa.Column("review_notes", sa.Text(), nullable=True),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("policy_version", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("risk_score BETWEEN 0 AND 100", name="ck_fraud_checks_risk_score"),
        sa.CheckConstraint("risk_level IN ('low', 'medium', 'high', 'critical')", name="ck_fraud_checks_risk_level"),
        sa.CheckConstraint(
            "action_taken IN ('allowed', 'flagged', 'blocked', 'verification_required')",
            name="ck_fraud_checks_action_taken",
        ),
        sa.CheckConstraint(
            "review_outcome IN ('legitimate', 'fraud', 'inconclusive')", name="ck_fraud_checks_review_outcome"
        ),
        sa.CheckConstraint("is_reviewed = (review_outcome IS NOT NULL)", name="ck_fraud_checks_is_reviewed"),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_fraud_checks_customer_id"),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name="fk_fraud_checks_order_id"),
        sa.ForeignKeyConstraint(["reviewed_by"], ["users.id"], name="fk_fraud_checks_reviewed_by"),
        sa.PrimaryKeyConstraint("id", name="pk_fraud_checks"),
        sa.UniqueConstraint("order_id", name="uq_fraud_checks_order_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_fraud_checks_created_at_id", "fraud_checks", ["created_at", "id"])
    op.create_index(
        "ix_fraud_checks_filters", "fraud_checks", ["risk_level", "action_taken", "is_reviewed", "created_at", "id"]
    )
    is_fraud = sa.text("review_outcome = 'fraud'")
    op.create_index(
        "ix_fraud_checks_confirmed",
        "fraud_checks",
        ["customer_id"],
        sqlite_where=is_fraud,
        postgresql_where=is_fraud,
    )
    op.create_table(
        "fraud_reviews",
        sa.Column("id", ID, nullable=False),
        sa.Column("check_id", sa.BigInteger(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("reviewed_by", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["check_id"], ["fraud_checks.id"], name="fk_fraud_reviews_check_id"),
        sa.ForeignKeyConstraint(["reviewed_by"], ["users.id"], name="fk_fraud_reviews_reviewed_by"),
        sa.PrimaryKeyConstraint("id", name="pk_fraud_reviews"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_fraud_reviews_check_id_id", "fraud_reviews", ["check_id", "id"])
    op.create_table(
        "fraud_policies",
        sa.Column("version", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("version", name="pk_fraud_policies"),
    )
    op.create_index("ix_orders_ip_address_created_at", "orders", ["ip_address", "created_at"])
    op.create_index("ix_sightings_kind_value_last_seen_at", "sightings", ["kind", "value", "last_seen_at"])
    op.create_index("ix_refused_referrals_customer_id", "refused_referrals", ["customer_id"])
