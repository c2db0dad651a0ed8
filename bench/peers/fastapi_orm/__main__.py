"""Serves the peer: `python -m bench.peers.fastapi_orm`.

It reads PEER_DATABASE_URL, PEER_PORT, PEER_TOKEN (made known at start) and PEER_RATE_LIMIT (0: off). Where a
choice was open it fell in the peer's favour, as a yardstick should be hard to beat.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from http import HTTPStatus
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy import Connection, event
from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker, create_async_engine
from starlette.exceptions import HTTPException

from bench.peers.fastapi_orm import routes
from bench.peers.fastapi_orm.gate import Gate
from bench.peers.fastapi_orm.models import ApiToken, Base

PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000", "foreign_keys=ON")


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


def make_engines(url: str) -> tuple[AsyncEngine, AsyncEngine]:
    """For requests of one kind of statement, and for those that read before they write."""
    if url.startswith("postgresql"):
        url = url.replace("postgresql://", "postgresql+asyncpg://")
        # As many as Lootkeep opens. No overflow: it is closed on return, so load would mean ever new connections.
        engine = create_async_engine(url, pool_size=10, max_overflow=0)
        return engine, engine
    return sqlite_engine(url, is_writer=False), sqlite_engine(url, is_writer=True)


def sqlite_engine(url: str, *, is_writer: bool) -> AsyncEngine:
    # More connections only make SQLite's writers wait for one another.
    engine = create_async_engine(url.replace("sqlite://", "sqlite+aiosqlite://"), pool_size=5, max_overflow=0)

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        if is_writer:
            connection.isolation_level = None

    if is_writer:
        # A transaction that begins as a reader cannot become a writer when another has written meanwhile.
        @event.listens_for(engine.sync_engine, "begin")
        def begin(connection: Connection) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    reading, writing = make_engines(os.environ["PEER_DATABASE_URL"])
    app.state.sessions = async_sessionmaker(reading, expire_on_commit=False)
    app.state.writers = async_sessionmaker(writing, expire_on_commit=False)
    app.state.gate = Gate(app.state.sessions, int(os.environ.get("PEER_RATE_LIMIT", "60")))
    async with reading.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    async with app.state.sessions.begin() as session:
        digest = sha256(os.environ["PEER_TOKEN"].encode()).hexdigest()
        session.add(ApiToken(token_hash=digest, scopes=routes.SCOPES))
    yield
    await reading.dispose()
    await writing.dispose()


def make_app() -> FastAPI:
    # Telemetry is off as it would record every request for nobody.
    app = FastAPI(lifespan=lifespan, telemetry={"tracing": False, "metrics": False, "logs": False})
    app.include_router(routes.router)
    app.add_exception_handler(HTTPException, on_http_error)
    app.add_exception_handler(RequestValidationError, on_bad_input)
    return app


if __name__ == "__main__":
    port = int(os.environ["PEER_PORT"])
    uvicorn.run(make_app(), port=port, loop="uvloop", http="httptools", access_log=False, log_level="warning")
