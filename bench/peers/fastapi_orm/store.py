"""What the peer does: each function is the endpoint of the same name of Lootkeep, with less behind it.

Compared with Lootkeep an order is judged by three signals instead of all, its buyer's traces are not recorded, totals
and figures are counted when they are read, and nobody sends what the outbox holds.
"""

import secrets
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload, selectinload
from starlette.exceptions import HTTPException

from bench.peers.fastapi_orm.models import Customer, Event, FraudCheck, Order, OrderItem, Product, now
from bench.peers.fastapi_orm.schemas import CENT, CustomerIn, OrderIn, PaymentIn, ProductIn

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
VELOCITY_WINDOW = timedelta(minutes=60)
MAX_PER_IP, MAX_PER_CUSTOMER = 5, 3
NEW_ACCOUNT = timedelta(days=1)
# The label of each signal with its points.
VELOCITY_IP, VELOCITY_CUSTOMER, NEW = (
    ("Many orders from one IP", 25),
    ("Many orders of one customer", 25),
    ("New account", 20),
)
LEVELS = ((80, "critical"), (60, "high"), (40, "medium"), (20, "low"), (0, "minimal"))
FLAGGED_AT, BLOCKED_AT = 40, 70
# What an answer shows of an order, in one query and one more for all lines.
WHOLE = (joinedload(Order.customer), joinedload(Order.fraud), selectinload(Order.items))


async def page_of_products(session: AsyncSession, page: int, size: int) -> tuple[Sequence[Product], int]:
    newest = select(Product).order_by(Product.created_at.desc(), Product.id.desc())
    products = (await session.scalars(newest.limit(size).offset((page - 1) * size))).all()
    return products, await session.scalar(select(func.count()).select_from(Product)) or 0


async def page_of_orders(session: AsyncSession, page: int, size: int) -> tuple[Sequence[Order], int]:
    newest = select(Order).options(*WHOLE).order_by(Order.created_at.desc(), Order.id.desc())
    orders = (await session.scalars(newest.limit(size).offset((page - 1) * size))).all()
    return orders, await session.scalar(select(func.count()).select_from(Order)) or 0


async def create_product(session: AsyncSession, body: ProductIn) -> Product:
    base = slug = "-".join(body.name.lower().split())
    number = 1
    while await session.scalar(select(Product.id).where(Product.slug == slug)):
        number += 1
        slug = f"{base}-{number}"
    product = Product(**body.model_dump() | {"image_url": body.image_url and str(body.image_url)}, slug=slug)
    product.price = body.price.quantize(CENT)
    session.add(product)
    await session.flush()
    session.add(Event(type="product.created", data=product_event(product)))
    await session.commit()
    return product


def product_event(product: Product) -> dict[str, Any]:
    shown = {name: getattr(product, name) for name in ("slug", "sku", "currency", "status", "stock")}
    return {"product_id": product.id, "product_name": product.name, "price": str(product.price), **shown}


async def create_customer(session: AsyncSession, body: CustomerIn) -> Customer:
    email = body.email.lower()
    if await session.scalar(select(Customer.id).where(Customer.email == email)):
        raise HTTPException(422, "The e-mail address is taken.")
    customer = Customer(
        **body.model_dump(exclude={"email", "ip_address", "device_id"}),
        email=email,
        consent_given_at=now() if body.accepts_marketing else None,
        referral_code="".join(secrets.choice(ALPHABET) for _ in range(8)),
    )
    session.add(customer)
    await session.commit()
    return customer


async def place_order(session: AsyncSession, body: OrderIn) -> Order:
    customer = await session.get(Customer, body.customer_id)
    if customer is None or customer.status != "active":
        raise HTTPException(422, "The customer may not order.")
    items = await reserved(session, body)
    subtotal = sum((item.total for item in items), Decimal(0))
    fields = body.model_dump(exclude={"items", "ip_address", "customer_id"})
    order = Order(
        **fields,
        customer=customer,
        items=items,
        ip_address=str(body.ip_address),
        subtotal=subtotal,
        total=subtotal,
        currency="USD",
    )
    order.fraud = await judged(session, order, customer)
    if order.fraud.action_taken == "blocked":
        order.status, order.cancel_reason, order.cancelled_at = "cancelled", "fraud", now()
    session.add(order)
    await session.flush()
    session.add(Event(type="order.created", data=order_event(order) | {"created_at": order.created_at.isoformat()}))
    await session.commit()
    return order


async def reserved(session: AsyncSession, body: OrderIn) -> list[OrderItem]:
    """The lines at today's prices, with their stock taken; products are locked by id, so that no two deadlock."""
    ids = {line.product_id for line in body.items}
    locked = select(Product).where(Product.id.in_(ids)).order_by(Product.id).with_for_update()
    products = {product.id: product for product in await session.scalars(locked)}
    items = []
    for line in body.items:
        product = products.get(line.product_id)
        if product is None or product.status != "active":
            raise HTTPException(422, "A product cannot be bought.")
        if product.stock is not None:
            if product.stock < line.quantity:
                raise HTTPException(422, "A product is sold out.")
            product.stock -= line.quantity
        items.append(
            OrderItem(
                product_id=product.id,
                product_name=product.name,
                sku=product.sku,
                quantity=line.quantity,
                price=product.price,
                total=product.price * line.quantity,
            )
        )
    return items


async def judged(session: AsyncSession, order: Order, customer: Customer) -> FraudCheck:
    since = now() - VELOCITY_WINDOW
    recent = select(func.count()).select_from(Order).where(Order.created_at >= since)
    signals = []
    if (await session.scalar(recent.where(Order.ip_address == order.ip_address)) or 0) >= MAX_PER_IP:
        signals.append(VELOCITY_IP)
    if (await session.scalar(recent.where(Order.customer_id == customer.id)) or 0) >= MAX_PER_CUSTOMER:
        signals.append(VELOCITY_CUSTOMER)
    if now() - customer.created_at < NEW_ACCOUNT:
        signals.append(NEW)
    score = min(sum(points for _, points in signals), 100)
    action = "blocked" if score >= BLOCKED_AT else "flagged" if score >= FLAGGED_AT else "allowed"
    level = next(name for least, name in LEVELS if score >= least)
    return FraudCheck(risk_score=score, risk_level=level, action_taken=action, signals=dict(signals))


async def pay_order(session: AsyncSession, order_id: int, body: PaymentIn) -> Order:
    order = await session.scalar(select(Order).options(*WHOLE).where(Order.id == order_id).with_for_update(of=Order))
    if order is None:
        raise HTTPException(404, "The order does not exist.")
    if order.paid_at and body.transaction_id and order.transaction_id == body.transaction_id:
        return order
    if order.status != "pending":
        raise HTTPException(409, "The order cannot be paid.")
    order.status, order.paid_at = "paid", now()
    order.payment_method, order.transaction_id = body.payment_method, body.transaction_id
    locked = select(Product).where(Product.id.in_([item.product_id for item in order.items]))
    products = {product.id: product for product in await session.scalars(locked.order_by(Product.id).with_for_update())}
    for item in order.items:
        products[item.product_id].sales_count += item.quantity
    customer = order.customer
    customer.orders_count += 1
    customer.total_spent += order.total
    customer.first_order_at = customer.first_order_at or order.paid_at
    customer.last_order_at = order.paid_at
    session.add(Event(type="order.paid", data=order_event(order)))
    await session.commit()
    return order


def order_event(order: Order) -> dict[str, Any]:
    names = ("product_id", "product_name", "quantity")
    return {
        "order_id": order.id,
        "order_number": order.order_number,
        "customer_email": order.customer.email,
        "customer_name": order.customer.name,
        "total": str(order.total),
        "currency": order.currency,
        "status": order.status,
        "items": [{name: getattr(item, name) for name in names} | {"price": str(item.price)} for item in order.items],
    }
