"""The reason of a customer's status, when consent was given and withdrawn, tags in a table, ids of subscriptions."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"

# Until now consent was given when the account was made, or never.
_CONSENT = "UPDATE customers SET consent_given_at = created_at WHERE accepts_marketing"
_TAGS = {
    "sqlite": "INSERT INTO customer_tags (tag, customer_id) "
    "SELECT DISTINCT tag.value, customers.id FROM customers, json_each(customers.tags) AS tag",
    "postgresql": "INSERT INTO customer_tags (tag, customer_id) "
    "SELECT DISTINCT jsonb_array_elements_text(tags::jsonb), id FROM customers WHERE tags <> '[]'",
}


def upgrade() -> None:
    op.add_column("customers", sa.Column("status_reason", sa.Text, nullable=True))
    for name in ("consent_given_at", "consent_withdrawn_at", "erased_at"):
        op.add_column("customers", sa.Column(name, sa.BigInteger, nullable=True))
    op.execute(sa.text(_CONSENT))
    op.create_table(
        "customer_tags",
        sa.Column("tag", sa.Text, nullable=False),
        sa.Column("customer_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("tag", "customer_id", name="pk_customer_tags"),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_customer_tags_customer_id"),
        sqlite_with_rowid=False,
    )
    op.execute(sa.text(_TAGS[op.get_context().dialect.name]))
    op.create_index("ix_customer_tags_customer_id", "customer_tags", ["customer_id"])
    # What a person was sent.
    op.create_index("ix_mails_to_email", "mails", ["to_email"])
    op.create_index("ix_campaign_recipients_customer_id", "campaign_recipients", ["customer_id"])
    op.add_column("subscriptions", sa.Column("external_id", sa.Text, nullable=True))
    op.create_index("uq_subscriptions_external_id", "subscriptions", ["external_id"], unique=True)
    op.create_index("ix_subscriptions_created_at_id", "subscriptions", ["created_at", "id"])
    op.create_index("ix_subscriptions_status_created_at_id", "subscriptions", ["status", "created_at", "id"])
    op.drop_index("ix_subscriptions_customer_id", "subscriptions")
    op.create_index("ix_subscriptions_customer_id_created_at_id", "subscriptions", ["customer_id", "created_at", "id"])
