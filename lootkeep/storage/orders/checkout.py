"""What a checkout needs to know, in two statements: before and after it has waited for its turn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Table, bindparam, literal_column, null, select

from lootkeep.domain.customers import Customer
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.products import Product
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import ByEngine
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import columns_of, padded
from lootkeep.storage.schema import customers, fraud_checks, order_items, orders, products, settings

_CUSTOMER = columns_of(customers, Customer)
_THIS = customers.c.id == bindparam("customer")
# There is always one row, even without such a customer.
_always = select(literal_column("1").label("one")).subquery("always")
_START = Query(
    select(
        settings.c.version,
        settings.c.value,
        select(orders.c.id).where(orders.c.external_id == bindparam("external")).scalar_subquery(),
        *_CUSTOMER,
    )
    .select_from(_always)
    .outerjoin(settings, settings.c.name == bindparam("setting"))
    .outerjoin(customers, _THIS)
)
_referrer = customers.alias("referrer")
_TO_CUSTOMER = 2
_TO_PRODUCT = _TO_CUSTOMER + len(_CUSTOMER)


class CheckoutStart(NamedTuple):
    # With its version.
    policy: tuple[int, Policy]
    customer: Customer | None
    # The order that has the external id of the cart.
    existing_order_id: int | None


class CheckoutContext(NamedTuple):
    customer: Customer | None
    # The code with which the customer registered.
    referral_code: str | None
    products: dict[int, Product]


async def start(tx: Transaction, customer_id: int, external_id: str | None) -> CheckoutStart:
    """What decides whom the order has to wait for."""
    ((version, document, order_id, *fields),) = await tx.all(
        _START, customer=customer_id, external=external_id, setting=SETTINGS
    )
    policy = settings_db.parsed(version, document, Policy)
    return CheckoutStart(policy, _customer(fields), order_id)


async def context(
    tx: Transaction, customer_id: int, line_products: Sequence[int], *, is_judged: bool
) -> CheckoutContext:
    """Read after the wait; with the ids that the order, its lines and its check are going to have."""
    wanted = padded(line_products)
    tables = (orders, *(order_items for _ in line_products), *((fraud_checks,) if is_judged else ()))
    rows = await tx.all(
        _context(tables, len(wanted)), customer=customer_id, **{f"of_{i}": product for i, product in enumerate(wanted)}
    )
    if not rows:
        return CheckoutContext(None, None, {})
    ids, referral_code, *fields = rows[0]
    tx.keep_ids(zip((table.name for table in tables), ids or (), strict=False))
    existing = [Product(*row[_TO_PRODUCT:]) for row in rows if row[_TO_PRODUCT] is not None]
    customer = _customer(fields[: len(_CUSTOMER)])
    return CheckoutContext(customer, referral_code, {product.id: product for product in existing})


@cache
def _context(tables: tuple[Table, ...], length: int) -> Query[tuple[Any, ...]]:
    """A row for each product: few, so that repeating the customer costs less than a second statement."""
    these: list[BindParameter[int]] = [bindparam(f"of_{number}") for number in range(length)]
    is_wanted = products.c.id.in_(these) & products.c.deleted_at.is_(None)
    return Query(
        select(_new_ids(tables), _referrer.c.referral_code, *_CUSTOMER, *columns_of(products, Product))
        .select_from(customers)
        .outerjoin(_referrer, _referrer.c.id == customers.c.referred_by_id)
        .outerjoin(products, is_wanted)
        .where(_THIS)
    )


def _new_ids(tables: tuple[Table, ...]) -> ByEngine:
    """On SQLite a row gets its id for free when it is added."""
    values = ", ".join(f"nextval('{table.name}_id_seq')" for table in tables)
    return ByEngine(sqlite=null(), postgresql=literal_column(f"(SELECT ARRAY[{values}])"))


def _customer(fields: Any) -> Customer | None:
    return None if fields[0] is None else Customer(*fields)
