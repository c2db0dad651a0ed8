"""Fraud checks with their facts, their reviews, and every version of the policy."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ColumnElement,
    ForeignKey,
    Index,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
    text as sql,
)

from lootkeep.storage.schema.columns import (
    INSTANT,
    MONEY,
    document,
    flag,
    instant,
    link,
    metadata,
    money,
    number,
    numbered_table,
    partial_index,
    text,
)

_IS_FRAUD = sql("truth = 'fraud' AND is_latest")
# A literal, also in queries: otherwise SQLite does not use the index.
IS_DUE = sql("due_at IS NOT NULL AND review_outcome IS NULL AND action_taken = 'verification_required'")
_WAITS = sql("review_outcome IS NULL AND action_taken <> 'allowed'")
# Without a type: SQLite uses a partial index only for the very words of its condition, and a boolean becomes `= 1`.
IS_LATEST: ColumnElement[Any] = literal_column("is_latest")
HAS_SIGNALS = sql("signals <> '{}' AND is_latest")
HAS_RULES = sql("rule_hits <> '[]' AND is_latest")

fraud_checks = numbered_table(
    "fraud_checks",
    link("order_id", "orders.id", index=True),
    # An order may be judged again when it is paid: this is the judgement that counts.
    flag("is_latest"),
    link("customer_id", "customers.id"),
    text("ip_address", optional=True),
    text("email"),
    text("user_agent", optional=True),
    number("risk_score"),
    text("risk_level"),
    text("action_taken"),
    # A JSON object: points by signal name.
    document("signals"),
    text("detected_country", optional=True),
    text("billing_country", optional=True),
    text("detected_city", optional=True),
    text("asn_name", optional=True),
    number("asn_number", optional=True),
    flag("is_vpn"),
    flag("is_proxy"),
    flag("is_datacenter"),
    flag("is_tor"),
    flag("is_sanctioned_country"),
    flag("has_geo_mismatch"),
    flag("has_velocity_violation"),
    flag("is_disposable_email"),
    flag("is_reviewed"),
    link("reviewed_by", "users.id", optional=True),
    instant("reviewed_at", optional=True),
    text("review_outcome", optional=True),
    text("review_notes", optional=True),
    # These make the check reproducible: the facts as JSON, and the version of the settings.
    document("facts"),
    number("policy_version"),
    instant("created_at"),
    # The version of the engine: another version may use other points.
    Column("engine_version", BigInteger, nullable=False, server_default="1"),
    # A JSON array: the store's own rules that matched.
    document("rule_hits", default="[]"),
    # The outcome of the order, its source, and since when it is known.
    text("truth", optional=True),
    text("truth_source", optional=True),
    instant("truth_at", optional=True),
    # The reviewer, the due time, and the expected loss.
    number("owner_id", optional=True),
    instant("due_at", optional=True),
    Column("expected_loss", BigInteger, nullable=False, server_default="0", info=MONEY),
    CheckConstraint("risk_score BETWEEN 0 AND 100", name="risk_score"),
    CheckConstraint("risk_level IN ('low', 'medium', 'high', 'critical')", name="risk_level"),
    CheckConstraint("action_taken IN ('allowed', 'flagged', 'blocked', 'verification_required')", name="action_taken"),
    CheckConstraint("review_outcome IN ('legitimate', 'fraud', 'inconclusive')", name="review_outcome"),
    CheckConstraint("is_reviewed = (review_outcome IS NOT NULL)", name="is_reviewed"),
    partial_index("uq_fraud_checks_latest", IS_LATEST, "order_id", unique=True),
    # The sort order of the list, with all filtered columns.
    Index("ix_fraud_checks_times", "created_at", "id", "risk_level", "action_taken", "is_reviewed"),
    partial_index("ix_fraud_checks_frauds", _IS_FRAUD, "created_at", "action_taken"),
    # The review queue, which is short in any store.
    partial_index("ix_fraud_checks_waiting", _WAITS, "created_at", "id"),
    partial_index("ix_fraud_checks_loss", _WAITS, "expected_loss", "id"),
    partial_index("ix_fraud_checks_due", IS_DUE, "due_at"),
    partial_index(
        "ix_fraud_checks_signals", HAS_SIGNALS, "signals", "action_taken", "truth", "truth_source", "created_at"
    ),
    partial_index("ix_fraud_checks_rules", HAS_RULES, "rule_hits", "review_outcome"),
)

# The store's own lists of buyers and countries, which its rules use.
fraud_lists = numbered_table(
    "fraud_lists",
    text("name", unique=True),
    text("kind"),
    text("note", optional=True),
    instant("created_at"),
    CheckConstraint(
        "kind IN ('email', 'domain', 'ip', 'device', 'instrument', 'player', 'country', 'customer')", name="kind"
    ),
)

fraud_list_entries = numbered_table(
    "fraud_list_entries",
    link("list_id", "fraud_lists.id"),
    # In the form in which it is looked up.
    text("value"),
    text("reason", optional=True),
    link("added_by", "users.id"),
    instant("expires_at", optional=True),
    instant("created_at"),
    UniqueConstraint("list_id", "value"),
    Index(None, "list_id", "id"),
)

# By week: the amount that nine of ten orders of the 90 days before do not exceed.
large_amounts = Table(
    "large_amounts",
    metadata,
    Column("week", BigInteger, primary_key=True, autoincrement=False),
    Column("currency", Text, primary_key=True),
    money("amount"),
    sqlite_with_rowid=False,
)

# The links for later orders: those of confirmed frauds, and the customers with disputed orders.
labels = Table(
    "labels",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("value", Text, primary_key=True),
    # Since when it is known: an imported order does not see what nobody knew at its time.
    Column("since", BigInteger, primary_key=True, autoincrement=False, info=INSTANT),
    Column("order_id", BigInteger, ForeignKey("orders.id"), primary_key=True),
    Index(None, "order_id"),
    sqlite_with_rowid=False,
)

fraud_reviews = numbered_table(
    "fraud_reviews",
    link("check_id", "fraud_checks.id"),
    text("outcome"),
    text("notes", optional=True),
    link("reviewed_by", "users.id"),
    instant("created_at"),
    Index(None, "check_id", "id"),
)

fraud_policies = Table(
    "fraud_policies",
    metadata,
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    # A JSON object: the settings as they were.
    document("document"),
    instant("created_at"),
)
