"""Customers and their maintained totals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace
from sqlalchemy import BigInteger, BindParameter, Boolean, bindparam, case, delete, insert, or_, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.domain.customers import Customer
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.search import search_text
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customer_tags, customers

_CUSTOMER = [customers.c[name] for name in Customer.__struct_fields__]
_THIS = customers.c.id == bindparam("customer")


class NewCustomer(msgspec.Struct, frozen=True):
    """The fields of a new customer; the rest starts empty."""

    email: str
    name: str
    username: str | None
    external_id: str | None
    country: str | None
    accepts_marketing: bool
    referral_code: str
    created_at: Instant


_ADD = Query(
    postgresql.insert(customers)
    .values(
        {
            **{name: bindparam(name) for name in (*NewCustomer.__struct_fields__, "search_text")},
            "updated_at": bindparam("created_at"),
            "status": "active",
            "email_status": "ok",
            "orders_count": 0,
            "total_spent": 0,
            "tags": "[]",
            "consent_given_at": case(
                (bindparam("accepts_marketing", type_=Boolean), bindparam("created_at", type_=BigInteger))
            ),
        }
    )
    .on_conflict_do_nothing()
    .returning(*_CUSTOMER),
    Customer,
)
_GET = Query(select(*_CUSTOMER).where(_THIS), Customer)
_BY_EMAIL = Query(select(*_CUSTOMER).where(customers.c.email == bindparam("email")), Customer)
_BY_EXTERNAL_ID = Query(select(*_CUSTOMER).where(customers.c.external_id == bindparam("external_id")), Customer)
_BY_CODE = Query(select(*_CUSTOMER).where(customers.c.referral_code == bindparam("code")), Customer)
# The columns that an update may change; other operations maintain the totals.
_CHANGING = (
    *("email", "name", "username", "external_id", "country", "status", "accepts_marketing", "email_status", "tags"),
    *("note", "updated_at", "status_reason", "consent_given_at", "consent_withdrawn_at", "erased_at"),
)
_SAVE = Query(update(customers).where(_THIS).values({name: bindparam(name) for name in (*_CHANGING, "search_text")}))
_TAG = Query(
    insert(customer_tags).values(tag=bindparam("word"), customer_id=bindparam("customer")).inline(), set_based=True
)
_UNTAG = Query(delete(customer_tags).where(customer_tags.c.customer_id == bindparam("customer")))
_SET_REFERRER = Query(
    update(customers).where(_THIS).values(referred_by_id=bindparam("referrer")).returning(*_CUSTOMER), Customer
)

# Locked as by an UPDATE: a new order, which refers to its customer, neither waits nor deadlocks with a payment.
_LOCK = Query(select(*_CUSTOMER).where(_THIS).with_for_update(key_share=True), Customer)
_paid_at: BindParameter[int] = bindparam("paid_at")
_ADD_PAYMENT = Query(
    update(customers)
    .where(_THIS)
    .values(
        orders_count=customers.c.orders_count + 1,
        total_spent=customers.c.total_spent + bindparam("amount"),
        first_order_at=case(
            (or_(customers.c.first_order_at.is_(None), customers.c.first_order_at > _paid_at), _paid_at),
            else_=customers.c.first_order_at,
        ),
        last_order_at=case(
            (or_(customers.c.last_order_at.is_(None), customers.c.last_order_at < _paid_at), _paid_at),
            else_=customers.c.last_order_at,
        ),
    ),
    set_based=True,
)
_TAKE_BACK = Query(
    update(customers)
    .where(_THIS)
    .values(
        orders_count=customers.c.orders_count - bindparam("orders"),
        total_spent=customers.c.total_spent - bindparam("amount"),
    )
)


async def add(tx: Transaction, new: Iterable[NewCustomer]) -> list[Customer]:
    """Customers with a taken e-mail, external id or code are missing in the result."""
    rows = [
        msgspec.structs.asdict(customer) | {"search_text": search_text(customer.name, customer.email)}
        for customer in new
    ]
    return await tx.fetch_for_each(_ADD, rows)


async def get(tx: Transaction, customer_id: int) -> Customer | None:
    return await tx.one(_GET, customer=customer_id)


async def get_for_update(
    tx: Transaction, customer_id: int, email: str | None = None, external_id: str | None = None
) -> Customer | None:
    """Locked until the transaction ends; waits for orders that are being placed, and later ones wait for it.

    Operations that need the same new e-mail or external id wait too.
    """
    await take_turn(tx, customer_id, *_names(email, external_id))
    return await tx.one(_LOCK, customer=customer_id)


async def wait_for_names(tx: Transaction, email: str, external_id: str | None) -> None:
    """Waits for operations that assign one of these to another customer."""
    await tx.wait_for(*_names(email, external_id))


async def take_turn(tx: Transaction, customer_id: int, *names: str) -> bool:
    """Serialises operations that read a customer first and write based on it later. Waits for more names too.

    False if what was read before is still valid.
    """
    return await tx.wait_for(f"customer {customer_id}", *names)


def _names(email: str | None, external_id: str | None) -> list[str]:
    names = {"email": email and email.lower(), "external id": external_id}
    return [f"customer {name} {value}" for name, value in names.items() if value]


async def save(tx: Transaction, before: Customer, after: Customer) -> None:
    values = {name: getattr(after, name) for name in _CHANGING}
    await tx.run(_SAVE, customer=after.id, search_text=after.search_text, **values)
    if after.tags != before.tags:
        await tx.run(_UNTAG, customer=after.id)
        words = msgspec.json.decode(after.tags, type=list[str])
        if words:
            await tx.execute_many(_TAG, [{"word": word, "customer": after.id} for word in words])


async def get_many(tx: Transaction, customer_ids: Iterable[int]) -> dict[int, Customer]:
    """By id; unknown ids are missing."""
    rows = await tx.fetch_for_each(_GET, [{"customer": customer_id} for customer_id in sorted(set(customer_ids))])
    return {customer.id: customer for customer in rows}


async def by_email(tx: Transaction, email: str) -> Customer | None:
    return await tx.one(_BY_EMAIL, email=email)


async def by_external_id(tx: Transaction, external_id: str) -> Customer | None:
    return await tx.one(_BY_EXTERNAL_ID, external_id=external_id)


async def by_referral_code(tx: Transaction, code: str) -> Customer | None:
    return await tx.one(_BY_CODE, code=code)


async def code_that_brought(tx: Transaction, customer: Customer) -> str | None:
    """The code with which the customer registered."""
    if customer.referred_by_id is None:
        return None
    referrer = await get(tx, customer.referred_by_id)
    return referrer.referral_code if referrer else None


async def set_referrer(tx: Transaction, customer_id: int, referrer_id: int) -> Customer:
    (customer,) = await tx.all(_SET_REFERRER, customer=customer_id, referrer=referrer_id)
    return customer


class CustomerPayment(msgspec.Struct, frozen=True):
    """What a customer paid, and when."""

    customer: int
    amount: int
    paid_at: Instant


async def add_payments(tx: Transaction, payments: Sequence[CustomerPayment]) -> None:
    """Adds a payment to the totals of each customer, always in the same order, so no two deadlock."""
    rows = sorted((msgspec.structs.asdict(payment) for payment in payments), key=lambda row: row["customer"])
    before = {
        customer.id: customer
        for customer in await tx.fetch_for_each(_LOCK, [{"customer": r["customer"]} for r in rows])
    }
    await tx.execute_many(_ADD_PAYMENT, rows)
    for payment in payments:
        customer = before[payment.customer]
        first_order_at = min(payment.paid_at, customer.first_order_at or payment.paid_at)
        tx.totals.count("customers", customer, replace(customer, first_order_at=first_order_at))


async def take_back(tx: Transaction, customer_id: int, amount: int, *, orders: int) -> None:
    """After a refund; a full refund also subtracts the order."""
    await tx.run(_TAKE_BACK, customer=customer_id, amount=amount, orders=orders)
