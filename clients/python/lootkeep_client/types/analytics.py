"""What `analytics` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from lootkeep_client.types.words import AnalyticsInterval

Period = TypedDict("Period", {"from": "str", "to": "str", "interval": "AnalyticsInterval", "timezone": "str"})


class RevenueTotals(TypedDict):
    gross_revenue: str
    refunds: str
    net_revenue: str
    discounts: str
    gift_card_redeemed: str
    orders_count: int
    average_order_value: str
    tax: str | None
    net_of_tax: str | None


class RevenueChange(TypedDict):
    gross_revenue: float | None
    refunds: float | None
    net_revenue: float | None
    discounts: float | None
    gift_card_redeemed: float | None
    orders_count: float | None
    average_order_value: float | None
    tax: float | None
    net_of_tax: float | None


class RevenuePoint(TypedDict):
    date: str
    gross_revenue: str
    refunds: str
    net_revenue: str
    orders_count: int
    tax: str | None
    net_of_tax: str | None


class Currency(TypedDict):
    gross_revenue: str
    refunds: str
    net_revenue: str
    discounts: str
    gift_card_redeemed: str
    orders_count: int
    average_order_value: str
    tax: str | None
    net_of_tax: str | None
    currency: str


class Revenue(TypedDict):
    period: Period
    currency: str
    totals: RevenueTotals
    previous: RevenueTotals | None
    change: RevenueChange | None
    series: Sequence[RevenuePoint]
    other_currencies: Sequence[Currency]


class SalesTotals(TypedDict):
    orders_count: int
    items_sold: int
    completed_orders: int
    refunded_orders: int
    refund_rate: float
    unique_customers: int
    new_customers: int
    returning_customers: int


class SalesChange(TypedDict):
    orders_count: float | None
    items_sold: float | None
    completed_orders: float | None
    refunded_orders: float | None
    refund_rate: float | None
    unique_customers: float | None
    new_customers: float | None
    returning_customers: float | None


class TopProduct(TypedDict):
    product_id: int
    product_name: str | None
    orders_count: int
    items_sold: int
    gross_revenue: str


class TopCustomer(TypedDict):
    id: int
    name: str
    email: str
    orders_count: int
    total_spent: str


class Country(TypedDict):
    country: str | None
    orders_count: int
    gross_revenue: str


class PaymentMethod(TypedDict):
    payment_method: str | None
    orders_count: int
    gross_revenue: str


class SalesPoint(TypedDict):
    date: str
    orders_count: int
    items_sold: int
    completed_orders: int
    refunded_orders: int
    new_customers: int


class Sales(TypedDict):
    period: Period
    totals: SalesTotals
    previous: SalesTotals | None
    change: SalesChange | None
    by_status: Mapping[str, int]
    top_products: Sequence[TopProduct]
    top_customers: Sequence[TopCustomer]
    by_country: Sequence[Country]
    by_payment_method: Sequence[PaymentMethod]
    series: Sequence[SalesPoint]


class TaxSum(TypedDict):
    country: str | None
    currency: str
    orders_count: int
    gross: str
    tax: str
    contradictions: int
