"""How a connection to PostgreSQL is opened, its time limits, and which errors are outages."""

from __future__ import annotations

from asyncio import Transport
from dataclasses import dataclass
from typing import Any

import asyncpg

from lootkeep.kernel import sockets

# The server or the connection failed, not the statement. Each class covers all codes of its group.
OUTAGES = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresSystemError,
    asyncpg.DeadlockDetectedError,
    asyncpg.LockNotAvailableError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.ReadOnlySQLTransactionError,
    # A statement that we prepared is on another connection of a pooler.
    asyncpg.InvalidSQLStatementNameError,
    asyncpg.DuplicatePreparedStatementError,
)

# Of these, the connection was cut or the server responds no more: other connections are likely to be cut, too.
CUTS = (
    OSError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
)

# The server cancels slow statements. The connection is closed only if the server does not respond either.
_GRACE_SECONDS = 1.0
# asyncpg's own measure.
_PREPARED = 100

POOLER_SENTENCE = (
    "LOOTKEEP_DATABASE_URL points to a pooler such as PgBouncer. In transaction mode set "
    "LOOTKEEP_DATABASE_POOLER=transaction; in session mode connect to PostgreSQL itself."
)


def is_poolers(error: BaseException) -> bool:
    """Whether only a pooler between the server and us causes such an error."""
    if isinstance(error, asyncpg.ProtocolViolationError):
        return "startup parameter" in str(error)
    return isinstance(error, (asyncpg.InvalidSQLStatementNameError, asyncpg.DuplicatePreparedStatementError))


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How many seconds PostgreSQL may take."""

    # A statement takes milliseconds; a slower one waits for a lock, or for a server that is down.
    statement: float = 5.0
    # Waiting for a free connection, and then for someone's lock on a whole table while reading: five seconds together.
    free_connection: float = 2.5
    read_lock: float = 2.5
    # Opening a connection.
    connection: float = 5.0
    # How long a transaction holds its locks after its process is gone; longer than any outbound request.
    idle_transaction: float = 15.0
    # A report over all orders, which no index or total makes short.
    report: float = 30.0
    # For whole tables: recounts, imports, retention, the audience of a campaign.
    long_statement: float = 600.0
    # For all migrations together, which may rewrite every table.
    migration: float = 86_400.0


DEADLINES = Deadlines()


@dataclass(frozen=True, slots=True)
class Sessions:
    """Opens connections and transactions that all have the same deadlines.

    Behind a pooler in transaction mode the server's connection is another one after each transaction: nothing is set
    or prepared there, and the deadlines come with each transaction.
    """

    url: str
    deadlines: Deadlines
    is_pooled: bool
    # The only schema in the search path; None for the server's default.
    schema: str | None = None

    async def connect(self) -> Connection:
        limits = self.deadlines
        of_server = _SERVER | _limits(limits.statement, limits.idle_transaction)
        of_server["lock_timeout"] = str(round(limits.read_lock * 1000))
        if self.schema:
            of_server["search_path"] = self.schema
        return await asyncpg.connect(
            self.url,
            timeout=limits.connection,
            command_timeout=patience(limits.statement),
            server_settings=_NAMES if self.is_pooled else _NAMES | of_server,
            statement_cache_size=0 if self.is_pooled else _PREPARED,
            connection_class=Connection,
        )

    def begin(self, seconds: float | None) -> str:
        """Opens a transaction; `seconds` is for statements that may take longer than those of a request."""
        if seconds is not None:
            return f"BEGIN; {lengthen(seconds)}"
        if self.is_pooled:
            return f"BEGIN; {_set(_limits(self.deadlines.statement, self.deadlines.idle_transaction) | _WRITES_WAIT)}"
        return _BEGIN


def lengthen(seconds: float) -> str:
    """Sets the time limit for the following statements of an open transaction."""
    return _set(_limits(seconds, seconds) | _WRITES_WAIT)


def report(seconds: float) -> str:
    """Opens a transaction for one long query: a limit cannot be set for a single statement."""
    return f"BEGIN; {_set(_limits(seconds, seconds) | _REPORT_MEMORY)}"


def patience(seconds: float) -> float:
    """How long we wait for a statement that the server ends after a time limit."""
    return seconds + _GRACE_SECONDS


def _set(limits: dict[str, str]) -> str:
    return "; ".join(f"SET LOCAL {name} = {value}" for name, value in limits.items())


# A write may wait for the row of another for as long as a statement may take.
_WRITES_WAIT = {"lock_timeout": "0"}
# A report groups hundreds of thousands of rows: in memory instead of files.
_REPORT_MEMORY = {"work_mem": "'64MB'"}


def _limits(statement: float, idle_transaction: float) -> dict[str, str]:
    return {
        "statement_timeout": str(round(statement * 1000)),
        "idle_in_transaction_session_timeout": str(round(idle_transaction * 1000)),
    }


# Times are our own integers, so the zone only matters to a human reader. Poolers allow both.
_NAMES = {"application_name": "lootkeep", "timezone": "UTC"}
# JIT costs more than it saves on small queries. The server should also notice a lost client; otherwise its connections
# count for two hours.
_SERVER = {
    "jit": "off",
    "tcp_keepalives_idle": str(sockets.IDLE_SECONDS),
    "tcp_keepalives_interval": str(sockets.PROBE_SECONDS),
    "tcp_keepalives_count": str(sockets.PROBES),
}


# Operations go by keys and gain nothing from a plan for their values, but PostgreSQL would plan a statement that takes
# arrays again every time: half of what it costs.
_BEGIN = f"BEGIN; {_set({'plan_cache_mode': 'force_generic_plan', **_WRITES_WAIT})}"


class Connection(asyncpg.Connection):
    """asyncpg's, whose socket notices that the server is gone."""

    __slots__ = ()

    def __init__(self, protocol: Any, transport: Transport, *rest: Any) -> None:
        super().__init__(protocol, transport, *rest)
        sockets.notice_loss(transport)
