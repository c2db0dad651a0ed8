"""Customers and their maintained totals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace
from sqlalchemy import BindParameter, bindparam, case, delete, or_, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.domain.customers import Customer
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of, insertion
from lootkeep.storage.schema import customer_identities, customer_tags, customers

ROWS = Rows(customers, Customer, derived=("search_text",), totals="customers", key_share=True)

_THIS = customers.c.id == bindparam("customer")
# That of an erased customer is nobody's.
_OWNER_OF_CODE = Query(
    select(*columns_of(customers, Customer)).where(
        customers.c.referral_code == bindparam("code"), customers.c.erased_at.is_(None)
    ),
    Customer,
)
_TAG = insertion(customer_tags, "tag", "customer_id", set_based=True)
_UNTAG = Query(delete(customer_tags).where(customer_tags.c.customer_id == bindparam("customer")))
_IDENTIFY = Query(
    postgresql.insert(customer_identities)
    .values(player=bindparam("key"), customer_id=bindparam("customer"))
    .on_conflict_do_nothing()
)
_FORGET = Query(delete(customer_identities).where(customer_identities.c.customer_id == bindparam("customer")))
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


async def get_for_update(
    tx: Transaction, customer_id: int, email: str | None = None, external_id: str | None = None
) -> Customer | None:
    """Locked until the transaction ends; waits for orders that are being placed, and later ones wait for it.

    Operations that need the same new e-mail or external id wait too.
    """
    await take_turn(tx, customer_id, *_names(email, external_id))
    return await ROWS.lock(tx, customer_id)


async def wait_for_names(tx: Transaction, email: str, external_id: str | None) -> None:
    """Waits for operations that assign one of these to another customer."""
    await tx.wait_for(*_names(email, external_id))


async def take_turn(tx: Transaction, customer_id: int, *names: str) -> None:
    """Serialises operations that read a customer first and write based on it later. Waits for more names too."""
    await tx.wait_for(f"customer {customer_id}", *names)


async def take_turns(tx: Transaction, customer_ids: Iterable[int]) -> None:
    """The same for several customers."""
    await tx.wait_for(*(f"customer {customer_id}" for customer_id in customer_ids))


def _names(email: str | None, external_id: str | None) -> list[str]:
    names = {"email": email and email.lower(), "external id": external_id}
    return [f"customer {name} {value}" for name, value in names.items() if value]


async def save(tx: Transaction, before: Customer, after: Customer) -> None:
    """With the tags."""
    await ROWS.save(tx, before, after)
    if after.tags != before.tags:
        await tx.run(_UNTAG, customer=after.id)
        tags = msgspec.json.decode(after.tags, type=list[str])
        if tags:
            await tx.execute_many(_TAG, [{"tag": tag, "customer_id": after.id} for tag in tags])
    if after.identities != before.identities:
        await tx.run(_FORGET, customer=after.id)
        for player in after.players:
            await tx.run(_IDENTIFY, key=player.key, customer=after.id)


async def owner_of_code(tx: Transaction, referral_code: str) -> Customer | None:
    return await tx.one(_OWNER_OF_CODE, code=referral_code)


async def code_that_brought(tx: Transaction, customer: Customer) -> str | None:
    """The code with which the customer registered."""
    if customer.referred_by_id is None:
        return None
    referrer = await ROWS.get(tx, customer.referred_by_id)
    return referrer.referral_code if referrer else None


class CustomerPayment(msgspec.Struct, frozen=True):
    """What a customer paid, and when."""

    customer: int
    amount: int
    paid_at: Instant


async def add_payments(tx: Transaction, payments: Sequence[CustomerPayment]) -> None:
    """Adds a payment to the totals of each customer, always in the same order, so no two deadlock."""
    rows = sorted((msgspec.structs.asdict(payment) for payment in payments), key=lambda row: row["customer"])
    before = await ROWS.lock_many(tx, [payment.customer for payment in payments])
    await tx.execute_many(_ADD_PAYMENT, rows)
    for payment in payments:
        customer = before[payment.customer]
        first_order_at = min(payment.paid_at, customer.first_order_at or payment.paid_at)
        tx.totals.count("customers", customer, replace(customer, first_order_at=first_order_at))


async def take_back(tx: Transaction, customer_id: int, amount: int, *, orders: int) -> None:
    """After a refund; a full refund also subtracts the order."""
    await tx.run(_TAKE_BACK, customer=customer_id, amount=amount, orders=orders)
