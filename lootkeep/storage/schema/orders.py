"""Orders with their items, refunds, and subscriptions."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Table,
    UniqueConstraint,
    text as sql,
    true,
)

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
    text,
)

_IS_PAID = sql("paid_at IS NOT NULL")
_HAS_CHARGE = sql("charge_id IS NOT NULL")
# Literals, also in queries, as below.
IS_ENDING = sql("status = 'active' AND ends_at IS NOT NULL")
IS_RENEWING = sql("status = 'active' AND cancelled_at IS NULL")
IS_RENEWED = sql("renewals_count > 0")
IS_LEAVING = sql("cancelled_at IS NOT NULL")
_IS_WAITING = sql("waiting_since IS NOT NULL")
# A literal, also in queries: a cached plan can use the partial index only if it sees the words.
EXPIRES = sql("expiry_due_at IS NOT NULL")
HAS_COUPON = sql("coupon_code IS NOT NULL")
# The countries of the bill, of the IP address and of the card, as far as they are known.
CONTRADICTS = sql(
    "(billing_country <> ip_country OR billing_country <> payment_country OR ip_country <> payment_country)"
)

subscriptions = numbered_table(
    "subscriptions",
    link("customer_id", "customers.id"),
    link("product_id", "products.id"),
    text("product_name"),
    text("status"),
    money("price"),
    text("currency"),
    text("interval"),
    number("interval_count"),
    instant("current_period_start"),
    instant("current_period_end"),
    flag("cancel_at_period_end"),
    instant("cancelled_at", optional=True),
    instant("ends_at", optional=True),
    text("cancel_reason", optional=True),
    number("renewals_count"),
    number("latest_order_id", optional=True),
    instant("created_at"),
    instant("updated_at"),
    text("external_id", optional=True),
    # Who gets it, if not the buyer.
    text("player_game", optional=True),
    text("player_id", optional=True),
    text("player_name", optional=True),
    CheckConstraint("status IN ('active', 'cancelled', 'expired')", name="status"),
    # What ends automatically, and when.
    partial_index("ix_subscriptions_ending", IS_ENDING, "ends_at"),
    # What is to be renewed, what was, and who leaves.
    *(
        partial_index(f"ix_subscriptions_by_{column}", these, column, "id")
        for column, these in (
            ("current_period_end", IS_RENEWING),
            ("current_period_start", IS_RENEWED),
            ("cancelled_at", IS_LEAVING),
        )
    ),
    Index(None, "product_id", "status"),
    Index("uq_subscriptions_external_id", "external_id", unique=True),
    # The sort order of the list, and its filters in this order.
    Index(None, "created_at", "id"),
    Index(None, "status", "created_at", "id"),
    Index(None, "customer_id", "created_at", "id"),
)

orders = numbered_table(
    "orders",
    link("customer_id", "customers.id"),
    text("status"),
    money("subtotal"),
    money("discount_total"),
    money("total"),
    money("gift_card_total"),
    money("refunded_total"),
    text("currency"),
    # A deleted coupon is noticed when it is reserved, after the order was written.
    link("coupon_id", "coupons.id", optional=True, is_checked_last=True),
    text("coupon_code", optional=True),
    # Copied from the coupon: what a payment does with it.
    text("coupon_origin", optional=True),
    text("referral_code", optional=True),
    link("subscription_id", "subscriptions.id", optional=True),
    text("payment_method", optional=True),
    text("transaction_id", optional=True),
    text("ip_address", optional=True),
    text("billing_country", optional=True),
    text("user_agent", optional=True),
    text("device_id", optional=True),
    text("cancel_reason", optional=True),
    text("external_id", optional=True, unique=True),
    # A JSON object.
    document("metadata"),
    instant("created_at"),
    instant("updated_at"),
    instant("paid_at", optional=True),
    instant("completed_at", optional=True),
    instant("cancelled_at", optional=True),
    instant("refunded_at", optional=True),
    # Copied from the order's fraud check, so the list can filter by it.
    text("risk_level", optional=True),
    # The same, for the tax report.
    text("ip_country", optional=True),
    text("fulfillment_note", optional=True),
    # The unit by which the IP address is counted.
    text("ip_network", optional=True),
    # When the money of an order arrived that is on hold.
    instant("payment_held_at", optional=True),
    Column("page_version", BigInteger, nullable=False, server_default="0"),
    # Who gets it, if not the buyer.
    text("player_game", optional=True),
    text("player_id", optional=True),
    text("player_name", optional=True),
    # What is known of the payment method; the instrument is a keyed hash.
    text("payment_instrument", optional=True),
    text("payment_bin", optional=True),
    text("payment_country", optional=True),
    text("payment_funding", optional=True),
    text("payment_three_d_secure", optional=True),
    # The provider's id of the charge, where `transaction_id` is that of the payment it belongs to.
    text("charge_id", optional=True),
    # As the checkout reports it: part of the total.
    money("tax_total", optional=True),
    text("tax_rate", optional=True),
    text("tax_country", optional=True),
    CheckConstraint("payment_held_at IS NULL OR status = 'on_hold'", name="payment_held_at"),
    CheckConstraint(
        "status IN ('pending', 'on_hold', 'paid', 'completed', 'partially_refunded', 'refunded', 'cancelled')",
        name="status",
    ),
    CheckConstraint("discount_total BETWEEN 0 AND subtotal AND total = subtotal - discount_total", name="total"),
    CheckConstraint("gift_card_total BETWEEN 0 AND total", name="gift_card_total"),
    CheckConstraint("tax_total BETWEEN 0 AND total", name="tax_total"),
    CheckConstraint("refunded_total BETWEEN 0 AND total", name="refunded_total"),
    CheckConstraint("(status IN ('pending', 'on_hold', 'cancelled')) = (paid_at IS NULL)", name="paid_at"),
    Index(None, "created_at", "id"),
    Index(None, "status", "created_at", "id"),
    Index(None, "customer_id", "created_at"),
    Index(None, "ip_network", "created_at"),
    # The filters of the list, each in its sort order.
    Index(None, "coupon_code", "created_at", "id"),
    Index(None, "payment_method", "created_at", "id"),
    Index(None, "billing_country", "created_at", "id"),
    Index(None, "risk_level", "created_at", "id"),
    Index(None, "total", "id"),
    Index(None, "transaction_id"),
    partial_index("ix_orders_charge_id", _HAS_CHARGE, "charge_id"),
    Index(None, "player_id"),
    Index(None, "player_name"),
    # What one customer bought in a period.
    partial_index("ix_orders_paid_of_customer", _IS_PAID, "customer_id", "paid_at"),
    # What the tax report counts and shows, and what the report on growth adds up.
    partial_index("ix_orders_contradicting", CONTRADICTS, "paid_at", "id", "tax_country", "currency"),
    partial_index("ix_orders_with_coupon", HAS_COUPON, "paid_at", "coupon_code", "currency", "discount_total", "total"),
)
nulls_last("ix_orders_paid_at_id", orders.c.paid_at, orders.c.id)

order_items = numbered_table(
    "order_items",
    link("order_id", "orders.id"),
    link("product_id", "products.id"),
    text("product_name"),
    text("sku", optional=True),
    text("delivery_type"),
    number("quantity"),
    money("price"),
    money("total"),
    number("fulfilled_quantity"),
    flag("holds_stock", server_default=true()),
    # As it was when it was ordered; counts from the delivery.
    number("valid_days", optional=True),
    # When the whole line was delivered.
    instant("delivered_at", optional=True),
    # Since when a paid line waits for keys.
    instant("waiting_since", optional=True),
    # When the store first read what was delivered.
    instant("handed_at", optional=True),
    # When the commands for its end are queued; empty once they are.
    instant("expiry_due_at", optional=True),
    CheckConstraint("quantity >= 1 AND total = price * quantity", name="total"),
    CheckConstraint("fulfilled_quantity BETWEEN 0 AND quantity", name="fulfilled_quantity"),
    Index(None, "order_id"),
    Index(None, "product_id", "order_id"),
    partial_index("ix_order_items_waiting", _IS_WAITING, "product_id", "waiting_since", "id"),
    partial_index("ix_order_items_expiring", EXPIRES, "expiry_due_at"),
)

# Declined payments with the traces of their order, so one index finds them by each.
payment_attempts = numbered_table(
    "payment_attempts",
    link("order_id", "orders.id"),
    link("customer_id", "customers.id"),
    text("device_id", optional=True),
    text("ip_network", optional=True),
    # The provider's reason.
    text("reason", optional=True),
    text("external_id", optional=True),
    instant("at"),
    UniqueConstraint("order_id", "external_id"),
    Index(None, "order_id", "at"),
    Index(None, "customer_id", "at"),
    Index(None, "device_id", "at"),
    Index(None, "ip_network", "at"),
)

disputes = numbered_table(
    "disputes",
    link("order_id", "orders.id"),
    text("kind"),
    text("reason"),
    text("external_id", optional=True),
    instant("at"),
    instant("created_at"),
    # Until when the provider takes evidence.
    instant("evidence_due_at", optional=True),
    CheckConstraint("kind IN ('early_warning', 'dispute', 'dispute_won', 'dispute_lost')", name="kind"),
    CheckConstraint("reason IN ('fraudulent', 'other')", name="reason"),
    UniqueConstraint("order_id", "external_id", "kind"),
    # Those that wait for evidence.
    Index(None, "kind", "at"),
)

# What was known of an order when its dispute was opened, as JSON in its public form.
evidence = Table(
    "evidence",
    metadata,
    Column("dispute_id", BigInteger, ForeignKey("disputes.id"), primary_key=True, autoincrement=False),
    document("document"),
    instant("created_at"),
)

refunds = numbered_table(
    "refunds",
    link("order_id", "orders.id"),
    money("amount"),
    text("reason", optional=True),
    instant("created_at"),
    text("reason_code", optional=True),
    # Of the order, in proportion.
    money("tax"),
    CheckConstraint("amount >= 1", name="amount"),
    CheckConstraint("tax BETWEEN 0 AND amount", name="tax"),
    Index(None, "order_id"),
)
