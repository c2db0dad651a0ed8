"""The peer's ten endpoints."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.exceptions import HTTPException

from bench.peers.fastapi_orm import store
from bench.peers.fastapi_orm.gate import require
from bench.peers.fastapi_orm.models import Order, Product, ReferralTier
from bench.peers.fastapi_orm.schemas import (
    Answer,
    Changed,
    CustomerIn,
    OrderIn,
    OrderOut,
    Paged,
    PaymentIn,
    Placed,
    ProductIn,
    ProductOut,
    SignedUp,
    TierIn,
    TierOut,
)

EXTERNAL, STORE = "/api/external/v1", "/api/store/v1"
SCOPES = ["referrals:read", "referrals:write", "products:read", "orders:read", "store:write"]


async def get_session(request: Request) -> AsyncIterator[AsyncSession]:
    async with request.app.state.sessions() as session:
        yield session


async def get_writer(request: Request) -> AsyncIterator[AsyncSession]:
    async with request.app.state.writers() as session:
        yield session


Session = Annotated[AsyncSession, Depends(get_session)]
Writer = Annotated[AsyncSession, Depends(get_writer)]
PageNumber = Annotated[int, Query(ge=1)]
PageSize = Annotated[int, Query(ge=1, le=100)]
router = APIRouter()


def needs(scope: str) -> list[Any]:
    return [Depends(require(scope))]


def paged(page: int, size: int, rows: Any, total: int) -> dict[str, Any]:
    meta = {"current_page": page, "last_page": max(1, -(-total // size)), "per_page": size, "total": total}
    return {"data": rows, "meta": meta}


@router.get(f"{EXTERNAL}/referrals/tiers", response_model=Answer[list[TierOut]], dependencies=needs("referrals:read"))
async def list_tiers(session: Session) -> Any:
    order = ReferralTier.sort_order, ReferralTier.referrals_required, ReferralTier.id
    tiers = await session.scalars(select(ReferralTier).order_by(*order))
    return {"data": tiers.all()}


@router.post(
    f"{EXTERNAL}/referrals/tiers",
    status_code=201,
    response_model=Changed[TierOut],
    dependencies=needs("referrals:write"),
)
async def create_tier(body: TierIn, session: Session) -> Any:
    # claims_count and the timestamps come from column defaults, the id from RETURNING: no refresh is needed.
    tier = ReferralTier(**body.model_dump())
    session.add(tier)
    await session.commit()
    return {"message": "Referral tier created successfully", "data": tier}


@router.get(f"{EXTERNAL}/products", response_model=Paged[ProductOut], dependencies=needs("products:read"))
async def list_products(session: Session, page: PageNumber = 1, per_page: PageSize = 15) -> Any:
    return paged(page, per_page, *await store.page_of_products(session, page, per_page))


@router.get(f"{EXTERNAL}/products/{{id}}", response_model=Answer[ProductOut], dependencies=needs("products:read"))
async def get_product(id: int, session: Session) -> Any:  # noqa: A002
    product = await session.get(Product, id)
    if product is None:
        raise HTTPException(404, "The product does not exist.")
    return {"data": product}


@router.get(f"{EXTERNAL}/orders", response_model=Paged[OrderOut], dependencies=needs("orders:read"))
async def list_orders(session: Session, page: PageNumber = 1, per_page: PageSize = 15) -> Any:
    return paged(page, per_page, *await store.page_of_orders(session, page, per_page))


@router.get(f"{EXTERNAL}/orders/{{id}}", response_model=Answer[OrderOut], dependencies=needs("orders:read"))
async def get_order(id: int, session: Session) -> Any:  # noqa: A002
    order = await session.get(Order, id, options=store.WHOLE)
    if order is None:
        raise HTTPException(404, "The order does not exist.")
    return {"data": order}


@router.post(
    f"{STORE}/products", status_code=201, response_model=Changed[ProductOut], dependencies=needs("store:write")
)
async def create_product(body: ProductIn, session: Writer) -> Any:
    return {"message": "Product created successfully", "data": await store.create_product(session, body)}


@router.post(f"{STORE}/customers", status_code=201, response_model=Changed[SignedUp], dependencies=needs("store:write"))
async def create_customer(body: CustomerIn, session: Writer) -> Any:
    customer = await store.create_customer(session, body)
    return {"message": "Customer created successfully", "data": {"customer": customer}}


@router.post(f"{STORE}/orders", status_code=201, response_model=Changed[Placed], dependencies=needs("store:write"))
async def place_order(body: OrderIn, session: Writer) -> Any:
    order = await store.place_order(session, body)
    return {"message": "Order placed successfully", "data": {"order": order, "fraud_check": order.fraud}}


@router.post(f"{STORE}/orders/{{id}}/pay", response_model=Changed[OrderOut], dependencies=needs("store:write"))
async def pay_order(id: int, body: PaymentIn, session: Writer) -> Any:  # noqa: A002
    return {"message": "Order paid successfully", "data": await store.pay_order(session, id, body)}
