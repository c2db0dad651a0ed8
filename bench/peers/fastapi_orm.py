"""The tier list and tier creation in idiomatic FastAPI, pydantic and SQLAlchemy ORM (async), run by uvicorn.

It reads PEER_DATABASE_URL, PEER_PORT, PEER_TOKEN (made known at start) and PEER_RATE_LIMIT (0: off). Where a
choice was open it fell in the peer's favour, as a yardstick should be hard to beat.
"""

import math
import os
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256
from http import HTTPStatus
from typing import Annotated, Any, Literal, Self

import uvicorn
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, model_validator
from sqlalchemy import JSON, DateTime, Dialect, Index, Numeric, String, TypeDecorator, event, select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from starlette.exceptions import HTTPException

SCOPES = ["referrals:read", "referrals:write"]
MAX_PERCENTAGE = Decimal(100)
SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£"}
WINDOW_SECONDS = 60.0
# As long as Lootkeep trusts a token it has seen.
TOKEN_CACHE_SECONDS = 5.0


class UtcDateTime(TypeDecorator[datetime]):
    """SQLite keeps no time zone, so it is put back on the way out."""

    impl, cache_ok = DateTime, True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


# asyncpg answers aware datetimes by itself, so only SQLite pays for the decorator.
Timestamp = DateTime(timezone=True).with_variant(UtcDateTime(), "sqlite")


def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


class Base(DeclarativeBase):
    """The registry of the tables."""


class ApiToken(Base):
    __tablename__ = "api_tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[list[str]] = mapped_column(JSON)


class ReferralTier(Base):
    __tablename__ = "referral_tiers"
    __table_args__ = (Index("ix_tier_order", "sort_order", "referrals_required", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    description: Mapped[str | None] = mapped_column(String(1000))
    referrals_required: Mapped[int]
    reward_type: Mapped[str] = mapped_column(String(32))
    reward_value: Mapped[Decimal] = mapped_column(Numeric(12, 2))
    reward_currency: Mapped[str | None] = mapped_column(String(3))
    coupon_validity_days: Mapped[int] = mapped_column(default=30)
    is_active: Mapped[bool] = mapped_column(default=True)
    sort_order: Mapped[int] = mapped_column(default=0)
    # Kept by the writer like Lootkeep's: counting claims at reading would burden the peer alone.
    claims_count: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime] = mapped_column(Timestamp, default=now)
    updated_at: Mapped[datetime] = mapped_column(Timestamp, default=now, onupdate=now)

    @property
    def formatted_reward(self) -> str:
        if self.reward_type == "percentage_discount":
            return f"{self.reward_value.normalize():f}% off"
        return f"{SYMBOLS.get(self.reward_currency or '', '')}{self.reward_value:,.2f} off"


class TierIn(BaseModel):
    model_config = ConfigDict(strict=True)
    name: Annotated[str, Field(min_length=1, max_length=255)]
    description: Annotated[str | None, Field(max_length=1000)] = None
    referrals_required: Annotated[int, Field(ge=1)]
    reward_type: Literal["percentage_discount", "fixed_discount"]
    reward_value: Annotated[Decimal, Field(strict=False, ge=Decimal("0.01"), max_digits=12, decimal_places=2)]
    reward_currency: Annotated[str | None, Field(pattern="^[A-Z]{3}$")] = None
    coupon_validity_days: Annotated[int, Field(ge=1, le=365)] = 30
    is_active: bool = True
    sort_order: int = 0

    @model_validator(mode="after")
    def fit_reward(self) -> Self:
        if self.reward_type == "percentage_discount":
            if self.reward_value > MAX_PERCENTAGE:
                raise ValueError("A percentage is at most 100.")
            self.reward_currency = None
        elif self.reward_currency is None:
            self.reward_currency = "USD"
        self.reward_value = self.reward_value.quantize(Decimal("0.01"))
        return self


class TierOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: int
    name: str
    description: str | None
    referrals_required: int
    reward_type: str
    reward_value: Decimal
    reward_currency: str | None
    coupon_validity_days: int
    is_active: bool
    sort_order: int
    formatted_reward: str
    claims_count: int
    created_at: datetime
    updated_at: datetime


class TierList(BaseModel):
    success: Literal[True] = True
    data: list[TierOut]


class TierCreated(BaseModel):
    success: Literal[True] = True
    message: str
    data: TierOut


class Token:
    """What stays in memory of a token: its scopes, and the times of its requests inside the window."""

    def __init__(self, scopes: frozenset[str], hits: deque[float]) -> None:
        self.scopes = scopes
        self.hits = hits
        self.trusted_until = time.monotonic() + TOKEN_CACHE_SECONDS


class Gate:
    """Tokens by hash, trusted for a few seconds, and the sliding window of each."""

    def __init__(self, sessions: async_sessionmaker[AsyncSession], limit: int) -> None:
        self.sessions = sessions
        self.limit = limit
        self.tokens: dict[str, Token] = {}

    async def token(self, secret: str) -> Token:
        digest = sha256(secret.encode()).hexdigest()
        token = self.tokens.get(digest)
        if token is None or token.trusted_until < time.monotonic():
            self.tokens[digest] = token = await self._load(digest, token)
        return token

    async def _load(self, digest: str, known: Token | None) -> Token:
        async with self.sessions() as session:
            row = await session.scalar(select(ApiToken).where(ApiToken.token_hash == digest))
        if row is None:
            raise HTTPException(401, "The token is not valid.", {"WWW-Authenticate": "Bearer"})
        return Token(frozenset(row.scopes), deque() if known is None else known.hits)

    def count(self, token: Token) -> dict[str, str]:
        """Count one request and say how the window stands; each time enters and leaves the deque once."""
        if not self.limit:
            return {}
        moment, hits = time.time(), token.hits
        while hits and hits[0] <= moment - WINDOW_SECONDS:
            hits.popleft()
        allowed = len(hits) < self.limit
        if allowed:
            hits.append(moment)
        headers = {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.limit - len(hits)),
            "X-RateLimit-Reset": str(math.ceil(hits[0] + WINDOW_SECONDS)),
        }
        if not allowed:
            wait = str(math.ceil(hits[0] + WINDOW_SECONDS - moment))
            raise HTTPException(429, "Too many requests.", headers | {"Retry-After": wait})
        return headers


Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))]


def require(scope: str) -> Callable[..., Coroutine[Any, Any, None]]:
    """Token, rate limit and scope in one dependency, as each further one costs time on every request."""

    async def check(request: Request, response: Response, credentials: Credentials) -> None:
        if credentials is None:
            raise HTTPException(401, "A bearer token is needed.", {"WWW-Authenticate": "Bearer"})
        gate: Gate = request.app.state.gate
        token = await gate.token(credentials.credentials)
        headers = gate.count(token)
        if scope not in token.scopes:
            raise HTTPException(403, f"The token lacks the scope {scope}.", headers)
        response.headers.update(headers)

    return check


async def get_session(request: Request) -> AsyncIterator[AsyncSession]:
    async with request.app.state.sessions() as session:
        yield session


Session = Annotated[AsyncSession, Depends(get_session)]
router = APIRouter(prefix="/api/external/v1/referrals")


@router.get("/tiers", response_model=TierList, dependencies=[Depends(require("referrals:read"))])
async def list_tiers(session: Session) -> Any:
    order = ReferralTier.sort_order, ReferralTier.referrals_required, ReferralTier.id
    tiers = await session.scalars(select(ReferralTier).order_by(*order))
    return {"data": tiers.all()}


@router.post("/tiers", status_code=201, response_model=TierCreated, dependencies=[Depends(require("referrals:write"))])
async def create_tier(body: TierIn, session: Session) -> Any:
    # claims_count and the timestamps come from column defaults, the id from RETURNING: no refresh is needed.
    tier = ReferralTier(**body.model_dump())
    session.add(tier)
    await session.commit()
    return {"message": "Referral tier created successfully", "data": tier}


async def on_http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    name = HTTPStatus(error.status_code).phrase
    failure = {"success": False, "error": name, "message": error.detail}
    return JSONResponse(failure, error.status_code, error.headers)


async def on_bad_input(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    errors: dict[str, list[str]] = {}
    for found in error.errors():
        errors.setdefault(".".join(map(str, found["loc"][1:])) or "body", []).append(found["msg"])
    failure = {"success": False, "error": "Validation Error", "message": "The given data was invalid."}
    return JSONResponse(failure | {"errors": errors}, 422)


def make_engine(url: str) -> AsyncEngine:
    if url.startswith("postgresql"):
        url = url.replace("postgresql://", "postgresql+asyncpg://")
        # As many as Lootkeep opens. No overflow: it is closed on return, so load would mean ever new connections.
        return create_async_engine(url, pool_size=10, max_overflow=0)
    # More connections only make SQLite's writers wait for one another.
    engine = create_async_engine(url.replace("sqlite://", "sqlite+aiosqlite://"), pool_size=5, max_overflow=0)

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    return engine


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    engine = make_engine(os.environ["PEER_DATABASE_URL"])
    app.state.sessions = async_sessionmaker(engine, expire_on_commit=False)
    app.state.gate = Gate(app.state.sessions, int(os.environ.get("PEER_RATE_LIMIT", "60")))
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    async with app.state.sessions.begin() as session:
        digest = sha256(os.environ["PEER_TOKEN"].encode()).hexdigest()
        session.add(ApiToken(token_hash=digest, scopes=SCOPES))
    yield
    await engine.dispose()


def make_app() -> FastAPI:
    # Telemetry is off as it would record every request for nobody.
    app = FastAPI(lifespan=lifespan, telemetry={"tracing": False, "metrics": False, "logs": False})
    app.include_router(router)
    app.add_exception_handler(HTTPException, on_http_error)
    app.add_exception_handler(RequestValidationError, on_bad_input)
    return app


if __name__ == "__main__":
    port = int(os.environ["PEER_PORT"])
    uvicorn.run(make_app(), port=port, loop="uvloop", http="httptools", access_log=False, log_level="warning")
