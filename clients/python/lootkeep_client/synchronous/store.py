"""The methods of `store`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Pages, Rows
from lootkeep_client.parameters import store as takes


class StoreSupportTickets:
    """`client.store.support_tickets`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.OpenSupportTicket]
    ) -> types.TicketDetail:
        """Open a support ticket."""
        return self._core.one(
            types.TicketDetail, "POST", "/api/store/v1/support-tickets", body=body, key=idempotency_key
        )

    def add_message(
        self, support_ticket_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.AddCustomerMessage]
    ) -> types.PostedMessage:
        """Add a customer's message."""
        return self._core.one(
            types.PostedMessage,
            "POST",
            "/api/store/v1/support-tickets/{id}/messages",
            support_ticket_id,
            body=body,
            key=idempotency_key,
        )


class StoreSubscriptions:
    """`client.store.subscriptions`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateSubscription]
    ) -> types.PaidPeriod:
        """Create a subscription."""
        return self._core.one(types.PaidPeriod, "POST", "/api/store/v1/subscriptions", body=body, key=idempotency_key)

    def list(self, **query: Unpack[takes.ListSubscriptions]) -> Pages[types.Subscription]:
        """List subscriptions."""
        return self._core.pages(types.Subscription, "GET", "/api/store/v1/subscriptions", query=query)

    def get(self, subscription_id: int) -> types.Subscription:
        """Read a subscription."""
        return self._core.one(types.Subscription, "GET", "/api/store/v1/subscriptions/{id}", subscription_id)

    def renew(self, subscription_id: int, *, idempotency_key: str | None = None) -> types.PaidPeriod:
        """Renew a subscription."""
        return self._core.one(
            types.PaidPeriod, "POST", "/api/store/v1/subscriptions/{id}/renew", subscription_id, key=idempotency_key
        )

    def cancel(
        self, subscription_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.CancelSubscription]
    ) -> types.Subscription:
        """Cancel a subscription."""
        return self._core.one(
            types.Subscription,
            "POST",
            "/api/store/v1/subscriptions/{id}/cancel",
            subscription_id,
            body=body,
            key=idempotency_key,
        )


class StoreProducts:
    """`client.store.products`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateProduct]) -> types.Product:
        """Create a product."""
        return self._core.one(types.Product, "POST", "/api/store/v1/products", body=body, key=idempotency_key)

    def update(self, product_id: int, **body: Unpack[takes.UpdateProduct]) -> types.Product:
        """Update a product."""
        return self._core.one(types.Product, "PUT", "/api/store/v1/products/{id}", product_id, body=body)

    def delete(self, product_id: int) -> str:
        """Delete a product."""
        return self._core.message("DELETE", "/api/store/v1/products/{id}", product_id)


class StoreOrders:
    """`client.store.orders`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.PlaceOrder]) -> types.PlacedOrder:
        """Place an order."""
        return self._core.one(types.PlacedOrder, "POST", "/api/store/v1/orders", body=body, key=idempotency_key)

    def list(self, **query: Unpack[takes.FindOrders]) -> Pages[types.Order]:
        """Find orders."""
        return self._core.pages(types.Order, "GET", "/api/store/v1/orders", query=query)

    def get(self, order_id: int) -> types.Order:
        """Read an order of the store."""
        return self._core.one(types.Order, "GET", "/api/store/v1/orders/{id}", order_id)

    def pay(
        self, order_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.PayOrder]
    ) -> types.PaidOrder:
        """Mark an order as paid."""
        return self._core.one(
            types.PaidOrder, "POST", "/api/store/v1/orders/{id}/pay", order_id, body=body, key=idempotency_key
        )

    def refund(
        self, order_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.RefundOrder]
    ) -> types.RefundedOrder:
        """Refund an order."""
        return self._core.one(
            types.RefundedOrder, "POST", "/api/store/v1/orders/{id}/refund", order_id, body=body, key=idempotency_key
        )

    def cancel(
        self, order_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.CancelOrder]
    ) -> types.Order:
        """Cancel an order."""
        return self._core.one(
            types.Order, "POST", "/api/store/v1/orders/{id}/cancel", order_id, body=body, key=idempotency_key
        )

    def decline(
        self, order_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.ReportDeclinedPayment]
    ) -> types.PaymentAttempt:
        """Report a declined payment."""
        return self._core.one(
            types.PaymentAttempt,
            "POST",
            "/api/store/v1/orders/{id}/payment-attempts",
            order_id,
            body=body,
            key=idempotency_key,
        )

    def dispute(
        self, order_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.ReportDispute]
    ) -> types.Dispute:
        """Report a dispute."""
        return self._core.one(
            types.Dispute, "POST", "/api/store/v1/orders/{id}/dispute", order_id, body=body, key=idempotency_key
        )

    def goods(self, order_id: int) -> Rows[types.HandedGood]:
        """Read what an order handed over."""
        return self._core.many(types.HandedGood, "GET", "/api/store/v1/orders/{id}/goods", order_id)


class StoreGiftCards:
    """`client.store.gift_cards`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateGiftCard]
    ) -> types.GiftCardWithCode:
        """Create a gift card."""
        return self._core.one(
            types.GiftCardWithCode, "POST", "/api/store/v1/gift-cards", body=body, key=idempotency_key
        )


class StoreCustomers:
    """`client.store.customers`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateCustomer]) -> types.SignedUp:
        """Create a customer."""
        return self._core.one(types.SignedUp, "POST", "/api/store/v1/customers", body=body, key=idempotency_key)

    def list(self, **query: Unpack[takes.FindCustomers]) -> Pages[types.Customer]:
        """Find customers."""
        return self._core.pages(types.Customer, "GET", "/api/store/v1/customers", query=query)

    def get(self, customer_id: int) -> types.Customer:
        """Read a customer of the store."""
        return self._core.one(types.Customer, "GET", "/api/store/v1/customers/{id}", customer_id)

    def update(self, customer_id: int, **body: Unpack[takes.ChangeStoreCustomer]) -> types.ChangedCustomer:
        """Change a customer of the store."""
        return self._core.one(types.ChangedCustomer, "PUT", "/api/store/v1/customers/{id}", customer_id, body=body)

    def delete(self, customer_id: int) -> str:
        """Erase a customer."""
        return self._core.message("DELETE", "/api/store/v1/customers/{id}", customer_id)

    def export(self, customer_id: int) -> types.CustomerExport:
        """Export a customer."""
        return self._core.one(types.CustomerExport, "GET", "/api/store/v1/customers/{id}/export", customer_id)

    def referrals(self, customer_id: int) -> types.CustomerReferrals:
        """Read a customer's referrals."""
        return self._core.one(types.CustomerReferrals, "GET", "/api/store/v1/customers/{id}/referrals", customer_id)

    def claim(
        self, customer_id: int, *, idempotency_key: str | None = None, **body: Unpack[takes.ClaimTier]
    ) -> types.OwnClaim:
        """Claim a reward tier."""
        return self._core.one(
            types.OwnClaim, "POST", "/api/store/v1/customers/{id}/claims", customer_id, body=body, key=idempotency_key
        )

    def goods(self, customer_id: int, **query: Unpack[takes.ListCustomerGoods]) -> Pages[types.OwnedGood]:
        """List what a customer owns."""
        return self._core.pages(types.OwnedGood, "GET", "/api/store/v1/customers/{id}/goods", customer_id, query=query)


class StoreCoupons:
    """`client.store.coupons`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def preview(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.PreviewCoupon]
    ) -> types.CouponPreview:
        """Price a cart with a coupon."""
        return self._core.one(
            types.CouponPreview, "POST", "/api/store/v1/coupons/preview", body=body, key=idempotency_key
        )


class Store:
    """`client.store`."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.coupons = StoreCoupons(core)
        self.customers = StoreCustomers(core)
        self.gift_cards = StoreGiftCards(core)
        self.orders = StoreOrders(core)
        self.products = StoreProducts(core)
        self.subscriptions = StoreSubscriptions(core)
        self.support_tickets = StoreSupportTickets(core)
