"""Customers, and the traces they were seen with."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Table, Text, func, text as sql

from lootkeep.storage.engine.dialect import Bytewise
from lootkeep.storage.schema.columns import (
    document,
    flag,
    instant,
    link,
    metadata,
    money,
    nulls_last,
    number,
    numbered_table,
    partial_index,
    search_index,
    text,
)

_UNREACHED = sql("email_status <> 'ok'")
# A literal, also in queries: a cached plan can use the partial index only if it sees the words.
AGES = sql("kind <> 'mailbox'")

customers = numbered_table(
    "customers",
    text("email", unique=True),
    text("name"),
    text("username", optional=True),
    text("external_id", optional=True, unique=True),
    text("country", optional=True),
    text("status"),
    flag("accepts_marketing"),
    text("email_status"),
    text("referral_code", unique=True),
    link("referred_by_id", "customers.id", optional=True),
    number("orders_count"),
    money("total_spent"),
    instant("first_order_at", optional=True),
    instant("last_order_at", optional=True),
    # A JSON array of words.
    document("tags"),
    text("note", optional=True),
    # Name and e-mail, case folded, as the search sees them.
    text("search_text"),
    instant("created_at"),
    instant("updated_at"),
    # Why a customer is blocked, or no longer is.
    text("status_reason", optional=True),
    # When the customer last agreed to campaigns, and last declined.
    instant("consent_given_at", optional=True),
    instant("consent_withdrawn_at", optional=True),
    # When the personal data was erased; the rest of the row stays under a pseudonym.
    instant("erased_at", optional=True),
    # A JSON array: the players that the customer is.
    document("identities", default="[]"),
    # A JSON array: the e-mail addresses that the customer had before.
    document("former_emails", default="[]"),
    CheckConstraint("status IN ('active', 'blocked')", name="status"),
    CheckConstraint("orders_count >= 0 AND total_spent >= 0", name="totals"),
    Index(None, "created_at", "id"),
    Index(None, "status", "created_at", "id"),
    Index(None, "country", "created_at", "id"),
    # The last two columns are for the preview of a campaign, which counts all customers, and whom no e-mail reaches.
    Index("ix_customers_audience", "accepts_marketing", "created_at", "id", "status", "email_status"),
    partial_index("ix_customers_unreached", _UNREACHED, "email_status", "status"),
    Index(None, "orders_count", "id"),
    Index(None, "total_spent", "id"),
    search_index(),
)

nulls_last("ix_customers_last_order_at_id", customers.c.last_order_at, customers.c.id)
Index("ix_customers_username", func.lower(customers.c.username))
Index("ix_customers_name_id", Bytewise(customers.c.name), customers.c.id)
Index("ix_customers_email_id", Bytewise(customers.c.email), customers.c.id)

customer_tags = Table(
    "customer_tags",
    metadata,
    Column("tag", Text, primary_key=True),
    Column("customer_id", BigInteger, ForeignKey("customers.id"), primary_key=True, autoincrement=False),
    Index(None, "customer_id"),
    sqlite_with_rowid=False,
)

# What customers are found by, such as `steam:76561198000000000`.
customer_identities = Table(
    "customer_identities",
    metadata,
    Column("player", Text, primary_key=True),
    Column("customer_id", BigInteger, ForeignKey("customers.id"), primary_key=True, autoincrement=False),
    Index(None, "customer_id"),
    sqlite_with_rowid=False,
)

# The identity store, shared by referral abuse and fraud: who was seen with which device, IP address, mailbox or payment
# instrument.
sightings = Table(
    "sightings",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("value", Text, primary_key=True),
    Column("customer_id", BigInteger, ForeignKey("customers.id"), primary_key=True),
    instant("first_seen_at"),
    instant("last_seen_at"),
    CheckConstraint("kind IN ('device', 'address', 'mailbox', 'instrument', 'player')", name="kind"),
    # Which instruments a customer used recently.
    Index(None, "customer_id", "kind", "last_seen_at"),
    # Covers counts of accounts, so no engine uses the key and reads everyone who was ever seen.
    Index("ix_sightings_seen", "kind", "value", "last_seen_at", "customer_id", "first_seen_at"),
    # Removed when it is old; a mailbox belongs to the account and stays as long as it does.
    partial_index("ix_sightings_old", AGES, "last_seen_at"),
    sqlite_with_rowid=False,
)
