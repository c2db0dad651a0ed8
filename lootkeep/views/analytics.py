"""Figures in public: revenue and sales of a period, and how they changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, get_args

import msgspec

from lootkeep.domain.analytics import DateRange, Interval, SalesBreakdown, SalesFigures, TopCustomer
from lootkeep.domain.orders import OrderStatus
from lootkeep.kernel.money import Hundredths, average, text
from lootkeep.views.fields import field

Amount = Annotated[str, field("An amount in the reported currency.", "1999.00")]
Count = Annotated[int, field("How many.", 100)]
Percent = Annotated[float | None, field("In percent; null if the previous value is zero.", 12.5)]

ReportedTax = Annotated[
    str | None, field("The tax in `net_revenue`, as it was reported; null for a single product.", "312.78")
]
NetOfTax = Annotated[str | None, field("`net_revenue` minus `tax`; null for a single product.", "1646.22")]


class PeriodView(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    from_: Annotated[str, field("The first day.", "2026-10-17")]
    to: Annotated[str, field("The last day, inclusive.", "2026-11-15")]
    interval: Annotated[Interval, field("The interval of the series.", "day")]
    timezone: Annotated[str, field("The time zone of the days.", "UTC")]


class RevenueTotalsView(msgspec.Struct, frozen=True):
    gross_revenue: Annotated[str, field("The sum of paid orders, after discounts.", "1999.00")]
    refunds: Annotated[str, field("The sum of refunds made in this period.", "40.00")]
    net_revenue: Annotated[str, field("`gross_revenue` minus `refunds`.", "1959.00")]
    discounts: Annotated[str, field("The sum of coupon discounts.", "120.00")]
    gift_card_redeemed: Annotated[str, field("The part that gift cards paid.", "50.00")]
    orders_count: Annotated[int, field("The number of paid orders.", 100)]
    average_order_value: Annotated[str, field("`gross_revenue` divided by `orders_count`.", "19.99")]
    tax: ReportedTax
    net_of_tax: NetOfTax


class RevenueChangeView(msgspec.Struct, frozen=True):
    gross_revenue: Percent
    refunds: Percent
    net_revenue: Percent
    discounts: Percent
    gift_card_redeemed: Percent
    orders_count: Percent
    average_order_value: Percent
    tax: Percent
    net_of_tax: Percent


class RevenuePointView(msgspec.Struct, frozen=True):
    date: Annotated[str, field("The start: a day, or a UTC time for hours.", "2026-11-15")]
    gross_revenue: Amount
    refunds: Amount
    net_revenue: Amount
    orders_count: Count
    tax: ReportedTax
    net_of_tax: NetOfTax


class CurrencyView(RevenueTotalsView, frozen=True, kw_only=True):
    currency: Annotated[str, field("ISO 4217.", "EUR")]


class RevenueView(msgspec.Struct, frozen=True):
    period: PeriodView
    currency: Annotated[str, field("The store's currency.", "USD")]
    totals: RevenueTotalsView
    previous: RevenueTotalsView | None
    change: RevenueChangeView | None
    series: list[RevenuePointView]
    other_currencies: list[CurrencyView]


class SalesTotalsView(msgspec.Struct, frozen=True):
    orders_count: Annotated[int, field("Paid orders, in any currency.", 100)]
    items_sold: Annotated[int, field("The number of items.", 130)]
    completed_orders: Annotated[int, field("Orders that were completed.", 96)]
    refunded_orders: Annotated[int, field("Orders that were refunded in full.", 2)]
    refund_rate: Annotated[float, field("`refunded_orders` divided by `orders_count`, in percent.", 2.0)]
    unique_customers: Annotated[int, field("Different customers who paid.", 80)]
    new_customers: Annotated[int, field("Those with their first order.", 30)]
    returning_customers: Annotated[int, field("Those with earlier orders.", 50)]


class SalesChangeView(msgspec.Struct, frozen=True):
    orders_count: Percent
    items_sold: Percent
    completed_orders: Percent
    refunded_orders: Percent
    refund_rate: Percent
    unique_customers: Percent
    new_customers: Percent
    returning_customers: Percent


class TopProductView(msgspec.Struct, frozen=True):
    product_id: Annotated[int, field("The product.", 9)]
    product_name: Annotated[str | None, field("Its current name.", "VIP rank")]
    orders_count: Count
    items_sold: Annotated[int, field("The number of units sold.", 70)]
    gross_revenue: Annotated[str, field("The sum of its lines, before discounts on the order.", "1400.00")]


class TopCustomerView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the customer.", 31)]
    name: Annotated[str, field("The customer's name.", "Jun Park")]
    email: Annotated[str, field("The customer's e-mail address.", "jun@example.com")]
    orders_count: Count
    total_spent: Annotated[str, field("In the store's currency, minus refunds of these orders.", "59.97")]


class CountryView(msgspec.Struct, frozen=True):
    country: Annotated[str | None, field("ISO 3166-1 alpha-2; null if unknown.", "KR")]
    orders_count: Count
    gross_revenue: Amount


class PaymentMethodView(msgspec.Struct, frozen=True):
    payment_method: Annotated[str | None, field("The store's name for it; null if unknown.", "card")]
    orders_count: Count
    gross_revenue: Amount


class SalesPointView(msgspec.Struct, frozen=True):
    date: Annotated[str, field("The start: a day, or a UTC time for hours.", "2026-11-15")]
    orders_count: Count
    items_sold: Count
    completed_orders: Count
    refunded_orders: Count
    new_customers: Count


class SalesView(msgspec.Struct, frozen=True):
    period: PeriodView
    totals: SalesTotalsView
    previous: SalesTotalsView | None
    change: SalesChangeView | None
    by_status: Annotated[
        dict[str, int], field("The current status of the orders placed in this period.", {"paid": 4, "completed": 96})
    ]
    top_products: list[TopProductView]
    top_customers: list[TopCustomerView]
    by_country: list[CountryView]
    by_payment_method: list[PaymentMethodView]
    series: list[SalesPointView]


def period(date_range: DateRange, interval: Interval) -> PeriodView:
    return PeriodView(date_range.first.isoformat(), date_range.last.isoformat(), interval, date_range.zone)


def revenue_totals(figures: SalesFigures, *, has_tax: bool) -> RevenueTotalsView:
    tax, net_of_tax = _tax(figures, has_tax=has_tax)
    return RevenueTotalsView(
        gross_revenue=text(figures.gross),
        refunds=text(figures.refunds),
        net_revenue=text(figures.net),
        discounts=text(figures.discounts),
        gift_card_redeemed=text(figures.gift_cards),
        orders_count=figures.orders,
        average_order_value=text(_average(figures)),
        tax=tax,
        net_of_tax=net_of_tax,
    )


def _tax(figures: SalesFigures, *, has_tax: bool) -> tuple[str | None, str | None]:
    """With the revenue net of it. Checkouts report it for whole orders, not for their products."""
    return (text(figures.tax), text(figures.net_of_tax)) if has_tax else (None, None)


def revenue_change(now: SalesFigures, before: SalesFigures, *, has_tax: bool) -> RevenueChangeView:
    return RevenueChangeView(
        gross_revenue=_change(now.gross, before.gross),
        refunds=_change(now.refunds, before.refunds),
        net_revenue=_change(now.net, before.net),
        discounts=_change(now.discounts, before.discounts),
        gift_card_redeemed=_change(now.gift_cards, before.gift_cards),
        orders_count=_change(now.orders, before.orders),
        average_order_value=_change(_average(now), _average(before)),
        tax=_change(now.tax, before.tax) if has_tax else None,
        net_of_tax=_change(now.net_of_tax, before.net_of_tax) if has_tax else None,
    )


def revenue_point(date: str, figures: SalesFigures, *, has_tax: bool) -> RevenuePointView:
    sums = text(figures.gross), text(figures.refunds), text(figures.net), figures.orders
    return RevenuePointView(date, *sums, *_tax(figures, has_tax=has_tax))


def other_currency(currency: str, figures: SalesFigures, *, has_tax: bool) -> CurrencyView:
    return CurrencyView(currency=currency, **msgspec.structs.asdict(revenue_totals(figures, has_tax=has_tax)))


def sales_totals(figures: SalesFigures, unique: int) -> SalesTotalsView:
    return SalesTotalsView(
        orders_count=figures.orders,
        items_sold=figures.items,
        completed_orders=figures.completed_orders,
        refunded_orders=figures.refunded_orders,
        refund_rate=round(figures.refunded_orders / figures.orders * 100, 2) if figures.orders else 0,
        unique_customers=unique,
        new_customers=figures.new_customers,
        returning_customers=unique - figures.new_customers,
    )


def sales_change(now: SalesTotalsView, before: SalesTotalsView) -> SalesChangeView:
    names = SalesChangeView.__struct_fields__
    return SalesChangeView(*(_change(getattr(now, name), getattr(before, name)) for name in names))


def sales_point(date: str, figures: SalesFigures) -> SalesPointView:
    return SalesPointView(
        date=date,
        orders_count=figures.orders,
        items_sold=figures.items,
        completed_orders=figures.completed_orders,
        refunded_orders=figures.refunded_orders,
        new_customers=figures.new_customers,
    )


def by_status(counts: Mapping[str, int]) -> dict[str, int]:
    """Every state, also where there is nothing."""
    return {status: counts.get(status, 0) for status in get_args(OrderStatus)}


def top_product(part: SalesBreakdown, names: Mapping[int, str]) -> TopProductView:
    product_id = int(part.key)
    return TopProductView(product_id, names.get(product_id), part.orders, part.items, text(part.gross))


def top_customer(customer: TopCustomer) -> TopCustomerView:
    return TopCustomerView(customer.id, customer.name, customer.email, customer.orders, text(customer.spent))


def countries(parts: Sequence[SalesBreakdown]) -> list[CountryView]:
    return [CountryView(part.key or None, part.orders, text(part.gross)) for part in parts]


def payment_methods(parts: Sequence[SalesBreakdown]) -> list[PaymentMethodView]:
    return [PaymentMethodView(part.key or None, part.orders, text(part.gross)) for part in parts]


def _average(figures: SalesFigures) -> Hundredths:
    return average(figures.gross, figures.orders)


def _change(now: float, before: float) -> float | None:
    return round((now - before) / abs(before) * 100, 2) if before else None
