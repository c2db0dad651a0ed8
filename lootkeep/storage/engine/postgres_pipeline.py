"""Statements that nobody waits for: they are sent together with the next one that someone does.

The server runs them in the order in which they were sent, each with a snapshot of its own, and nothing after one that
failed: its error is that of the statement that is waited for. asyncpg has no pipeline, but while it waits for the rows
of its own statement it takes the answers of those before it, if they have no rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import Struct
from typing import Any

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement

from lootkeep.storage.engine.postgres_session import BEGIN, Connection

_COMMIT = "COMMIT"
# Operations go by keys, and gain nothing from a plan for these values, but PostgreSQL would plan some statements again
# for every array of values. The tests of plans explain the statements of operations without values.
_PLAN_ONCE = "SET LOCAL plan_cache_mode = force_generic_plan"
_OPENING = (BEGIN, _PLAN_ONCE)
# Answers nothing, and is there to be waited for.
_NOTHING = "SELECT"
_ALWAYS_PREPARED = (*_OPENING, _COMMIT, _NOTHING)
# Statements that a connection prepares besides those; `python -m tools.statements` lists them all.
_MAX_PREPARED = 500
# At most this many wait for the next one.
_MAX_QUEUED = 50

Encoder = Callable[[Any], bytes]

_INT16 = Struct("!h").pack
_INT32 = Struct("!i").pack
_NULL = _INT32(-1)
_ARRAY = Struct("!iiiiii").pack
# No name, all rows.
_EXECUTE = b"E" + _INT32(9) + b"\0" + _INT32(0)


def _text(value: str) -> bytes:
    encoded = value.encode()
    return _INT32(len(encoded)) + encoded


def _bytes(value: bytes) -> bytes:
    return _INT32(len(value)) + value


def _numbers(form: str, size: int) -> Encoder:
    pack = Struct(form).pack
    return lambda value: pack(size, value)


def _array(oid: int, encode: Encoder) -> Encoder:
    def encode_array(values: Sequence[Any]) -> bytes:
        elements = b"".join([_NULL if value is None else encode(value) for value in values])
        # One dimension, which may hold nulls and begins at 1.
        return _ARRAY(20 + len(elements), 1, 1, oid, len(values), 1) + elements

    return encode_array


# By the number of the type in PostgreSQL, and of its array.
_TYPES: dict[tuple[int, int], Encoder] = {
    (16, 1000): _numbers("!i?", 1),
    (17, 1001): _bytes,
    (20, 1016): _numbers("!iq", 8),
    (23, 1007): _numbers("!ii", 4),
    (25, 1009): _text,
    (1043, 1015): _text,
}
_ENCODERS: dict[int, Encoder] = {oid: encode for (oid, _), encode in _TYPES.items()} | {
    array: _array(oid, encode) for (oid, array), encode in _TYPES.items()
}


class _Prepared:
    """A statement that is prepared on a connection."""

    __slots__ = ("_encoders", "_head", "can_wait", "fetch")

    def __init__(self, statement: PreparedStatement[Any]) -> None:
        self.fetch = statement.fetch
        types = [parameter.oid for parameter in statement.get_parameters()]
        # Rows would be taken for those of the next statement.
        self.can_wait = not statement.get_attributes() and _ENCODERS.keys() >= set(types)
        self._encoders = [_ENCODERS[oid] for oid in types] if self.can_wait else []
        # All parameters are binary.
        self._head = b"\0%b\0" % statement.get_name().encode() + _INT16(1) + _INT16(1) + _INT16(len(types))

    def message(self, arguments: Sequence[Any]) -> bytes:
        """Bind and Execute, without the Sync that would end the pipeline."""
        values = [
            _NULL if value is None else encode(value) for encode, value in zip(self._encoders, arguments, strict=True)
        ]
        body = b"".join((self._head, *values, b"\0\0"))
        return b"B" + _INT32(len(body) + 4) + body + _EXECUTE


class Pipeline:
    """The statements of a transaction, in their order."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._queued: list[bytes] = []
        # Whether the server knows of the transaction.
        self.is_open = False

    async def begin(self, sql: str) -> None:
        if not self._connection.prepared:
            for statement in _ALWAYS_PREPARED:
                await self._prepared(statement, None)
        if sql != BEGIN:
            # It takes no longer than any other statement, so that a broken way is noticed before the long wait.
            await self._connection.execute(sql)
            self.is_open = True
            return
        for statement in _OPENING:
            await self.send(statement, ())

    async def send(self, sql: str, arguments: Sequence[Any], timeout: float | None = None) -> None:
        """The statement runs before the next one that is fetched."""
        prepared = await self._prepared(sql, timeout)
        if not prepared.can_wait:
            await self._fetch(prepared, arguments, timeout)
            return
        self._queued.append(prepared.message(arguments))
        if len(self._queued) > _MAX_QUEUED:
            await self.flush(timeout)

    async def fetch(self, sql: str, arguments: Sequence[Any], timeout: float | None = None) -> list[Any]:
        return await self._fetch(await self._prepared(sql, timeout), arguments, timeout)

    async def flush(self, timeout: float | None = None) -> None:
        """Waits for everything that was sent."""
        if self._queued:
            await self._fetch(self._connection.prepared[_NOTHING], (), timeout)

    async def commit(self, timeout: float | None = None) -> None:
        """A transaction without statements ends where it began."""
        if self.is_open or len(self._queued) > len(_OPENING):
            await self.fetch(_COMMIT, (), timeout)

    def drop(self) -> None:
        """Nothing that still waits will be sent."""
        self._queued.clear()

    async def _prepared(self, sql: str, timeout: float | None) -> _Prepared:
        statements = self._connection.prepared
        if (prepared := statements.get(sql)) is None:
            await self.flush(timeout)
            if len(statements) >= _MAX_PREPARED + len(_ALWAYS_PREPARED):
                # asyncpg closes a statement that nothing refers to any more.
                for name in statements.keys() - set(_ALWAYS_PREPARED):
                    del statements[name]
            prepared = statements[sql] = _Prepared(await self._connection.prepare(sql, timeout=timeout))
        return prepared

    async def _fetch(self, prepared: _Prepared, arguments: Sequence[Any], timeout: float | None) -> list[Any]:
        queued = b"".join(self._queued)
        self._queued.clear()
        self.is_open = True
        if queued:
            self._connection.transport.write(queued)
        try:
            return await prepared.fetch(*arguments, timeout=timeout)
        except (asyncpg.DataError, asyncpg.InterfaceError):
            if queued:
                # asyncpg may have refused a value before it sent anything: then nobody waits for the answers.
                self._connection.terminate()
            raise
        except asyncpg.InvalidCachedStatementError:
            self._connection.prepared.clear()
            raise
