"""The tables of the peer."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, ForeignKey, Index, Numeric, String, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£"}
LOW_STOCK = 5


class UtcDateTime(TypeDecorator[datetime]):
    """SQLite keeps no time zone, so it is put back on the way out."""

    impl, cache_ok = DateTime, True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


# asyncpg answers aware datetimes by itself, so only SQLite pays for the decorator.
Timestamp = DateTime(timezone=True).with_variant(UtcDateTime(), "sqlite")
Money = Numeric(12, 2)


def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


class Base(DeclarativeBase):
    """The registry of the tables."""


class Timed:
    """When a record was made and changed."""

    created_at: Mapped[datetime] = mapped_column(Timestamp, default=now)
    updated_at: Mapped[datetime] = mapped_column(Timestamp, default=now, onupdate=now)


class ApiToken(Base):
    __tablename__ = "api_tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[list[str]] = mapped_column(JSON)


class ReferralTier(Timed, Base):
    __tablename__ = "referral_tiers"
    __table_args__ = (Index("ix_tier_order", "sort_order", "referrals_required", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    description: Mapped[str | None] = mapped_column(String(1000))
    referrals_required: Mapped[int]
    reward_type: Mapped[str] = mapped_column(String(32))
    reward_value: Mapped[Decimal] = mapped_column(Money)
    reward_currency: Mapped[str | None] = mapped_column(String(3))
    coupon_validity_days: Mapped[int] = mapped_column(default=30)
    is_active: Mapped[bool] = mapped_column(default=True)
    sort_order: Mapped[int] = mapped_column(default=0)
    # Kept by the writer like Lootkeep's: counting claims at reading would burden the peer alone.
    claims_count: Mapped[int] = mapped_column(default=0)

    @property
    def formatted_reward(self) -> str:
        if self.reward_type == "percentage_discount":
            return f"{self.reward_value.normalize():f}% off"
        return f"{SYMBOLS.get(self.reward_currency or '', '')}{self.reward_value:,.2f} off"


class Product(Timed, Base):
    __tablename__ = "products"
    __table_args__ = (Index("ix_products_created", "created_at", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    slug: Mapped[str] = mapped_column(String(255), unique=True)
    sku: Mapped[str | None] = mapped_column(String(64), unique=True)
    description: Mapped[str | None]
    delivery_type: Mapped[str] = mapped_column(String(16))
    billing_type: Mapped[str] = mapped_column(String(16))
    billing_interval: Mapped[str | None] = mapped_column(String(8))
    billing_interval_count: Mapped[int | None]
    status: Mapped[str] = mapped_column(String(16))
    price: Mapped[Decimal] = mapped_column(Money)
    compare_at_price: Mapped[Decimal | None] = mapped_column(Money)
    currency: Mapped[str] = mapped_column(String(3))
    stock: Mapped[int | None]
    max_per_order: Mapped[int | None]
    category: Mapped[str | None] = mapped_column(String(255))
    tags: Mapped[list[str]] = mapped_column(JSON)
    image_url: Mapped[str | None] = mapped_column(String(2048))
    sales_count: Mapped[int] = mapped_column(default=0)
    # `metadata` is SQLAlchemy's own.
    custom: Mapped[dict[str, Any]] = mapped_column("metadata", JSON, default=dict)

    @property
    def stock_status(self) -> str:
        if self.stock is None:
            return "unlimited"
        if self.stock == 0:
            return "out_of_stock"
        return "low_stock" if self.stock <= LOW_STOCK else "in_stock"


class Customer(Timed, Base):
    __tablename__ = "customers"

    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(String(255), unique=True)
    name: Mapped[str] = mapped_column(String(255))
    username: Mapped[str | None] = mapped_column(String(255))
    external_id: Mapped[str | None] = mapped_column(String(255), unique=True)
    country: Mapped[str | None] = mapped_column(String(2))
    status: Mapped[str] = mapped_column(String(16), default="active")
    status_reason: Mapped[str | None]
    accepts_marketing: Mapped[bool] = mapped_column(default=False)
    consent_given_at: Mapped[datetime | None] = mapped_column(Timestamp)
    consent_withdrawn_at: Mapped[datetime | None] = mapped_column(Timestamp)
    email_status: Mapped[str] = mapped_column(String(16), default="ok")
    referral_code: Mapped[str] = mapped_column(String(8), unique=True)
    referred_by: Mapped[int | None] = mapped_column(ForeignKey("customers.id"))
    orders_count: Mapped[int] = mapped_column(default=0)
    total_spent: Mapped[Decimal] = mapped_column(Money, default=Decimal("0.00"))
    first_order_at: Mapped[datetime | None] = mapped_column(Timestamp)
    last_order_at: Mapped[datetime | None] = mapped_column(Timestamp)
    tags: Mapped[list[str]] = mapped_column(JSON, default=list)
    note: Mapped[str | None]
    erased_at: Mapped[datetime | None] = mapped_column(Timestamp)

    @property
    def average_order_value(self) -> Decimal:
        return (self.total_spent / max(self.orders_count, 1)).quantize(Decimal("0.01"))


class Order(Timed, Base):
    __tablename__ = "orders"
    __table_args__ = (
        Index("ix_orders_created", "created_at", "id"),
        Index("ix_orders_ip", "ip_address", "created_at"),
        Index("ix_orders_customer", "customer_id", "created_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    status: Mapped[str] = mapped_column(String(24), default="pending")
    customer_id: Mapped[int] = mapped_column(ForeignKey("customers.id"))
    subtotal: Mapped[Decimal] = mapped_column(Money)
    discount_total: Mapped[Decimal] = mapped_column(Money, default=Decimal("0.00"))
    total: Mapped[Decimal] = mapped_column(Money)
    gift_card_total: Mapped[Decimal] = mapped_column(Money, default=Decimal("0.00"))
    refunded_total: Mapped[Decimal] = mapped_column(Money, default=Decimal("0.00"))
    currency: Mapped[str] = mapped_column(String(3))
    coupon_code: Mapped[str | None] = mapped_column(String(255))
    referral_code: Mapped[str | None] = mapped_column(String(8))
    payment_method: Mapped[str | None] = mapped_column(String(255))
    transaction_id: Mapped[str | None] = mapped_column(String(255))
    ip_address: Mapped[str | None] = mapped_column(String(64))
    billing_country: Mapped[str | None] = mapped_column(String(2))
    user_agent: Mapped[str | None]
    device_id: Mapped[str | None] = mapped_column(String(255))
    cancel_reason: Mapped[str | None]
    external_id: Mapped[str | None] = mapped_column(String(255), unique=True)
    custom: Mapped[dict[str, Any]] = mapped_column("metadata", JSON, default=dict)
    paid_at: Mapped[datetime | None] = mapped_column(Timestamp)
    completed_at: Mapped[datetime | None] = mapped_column(Timestamp)
    cancelled_at: Mapped[datetime | None] = mapped_column(Timestamp)
    refunded_at: Mapped[datetime | None] = mapped_column(Timestamp)
    fulfillment_note: Mapped[str | None]

    customer: Mapped[Customer] = relationship()
    items: Mapped[list["OrderItem"]] = relationship(order_by="OrderItem.id")
    fraud: Mapped["FraudCheck | None"] = relationship()

    @property
    def order_number(self) -> str:
        return f"ORD-{self.id:06}"

    @property
    def amount_due(self) -> Decimal:
        return Decimal("0.00") if self.paid_at or self.cancelled_at else self.total - self.gift_card_total


class OrderItem(Base):
    __tablename__ = "order_items"

    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int] = mapped_column(ForeignKey("orders.id"), index=True)
    product_id: Mapped[int] = mapped_column(ForeignKey("products.id"), index=True)
    product_name: Mapped[str] = mapped_column(String(255))
    sku: Mapped[str | None] = mapped_column(String(64))
    quantity: Mapped[int]
    price: Mapped[Decimal] = mapped_column(Money)
    total: Mapped[Decimal] = mapped_column(Money)
    fulfilled_quantity: Mapped[int] = mapped_column(default=0)


class FraudCheck(Timed, Base):
    __tablename__ = "fraud_checks"

    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int] = mapped_column(ForeignKey("orders.id"), unique=True)
    risk_score: Mapped[int]
    risk_level: Mapped[str] = mapped_column(String(16))
    action_taken: Mapped[str] = mapped_column(String(32))
    signals: Mapped[dict[str, int]] = mapped_column(JSON)

    @property
    def check_id(self) -> int:
        return self.id

    @property
    def detected_signals(self) -> list[str]:
        return list(self.signals)


class Event(Base):
    """The outbox: what a sender of webhooks would read."""

    __tablename__ = "events"

    id: Mapped[int] = mapped_column(primary_key=True)
    type: Mapped[str] = mapped_column(String(64))
    data: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(Timestamp, default=now)
