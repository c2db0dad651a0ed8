"""A kind of record that forms change: how it is loaded, where its page is, and what the audit log holds of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from lootkeep.console.page import Done, Visit, url
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant, iso
from lootkeep.kernel.errors import existing
from lootkeep.storage.engine.database import Transaction

# Of the bodies of e-mails, which may be half a megabyte, the log holds how they begin.
_MAX_BODY = 200


class Versioned(Protocol):
    """A record that says when it was changed."""

    @property
    def id(self) -> int: ...

    @property
    def updated_at(self) -> Instant: ...


R = TypeVar("R", bound=Versioned)
R_co = TypeVar("R_co", bound=Versioned, covariant=True)


class Storage(Protocol[R_co]):
    """The storage module of a kind of record."""

    @property
    def get(self) -> Callable[[Transaction, int], Awaitable[R_co | None]]: ...

    @property
    def get_for_update(self) -> Callable[[Transaction, int], Awaitable[R_co | None]]: ...


@dataclass(frozen=True, slots=True)
class Record(Generic[R]):
    # What people call it.
    name: str
    # Where a change leads to; `{id}` is the id of the record.
    path: str
    storage: Storage[R]
    # What the log holds of it: times are written as such, and so are amounts.
    fields: Sequence[str]
    amounts: Sequence[str] = ()

    async def get(self, visit: Visit) -> R:
        """The page's record."""
        async with visit.deps.db.read() as tx:
            return existing(await self.storage.get(tx, visit.id), self.name)

    async def lock(self, visit: Visit) -> R:
        """The page's record before the change, which the form must have shown."""
        async with visit.deps.db.write() as tx:
            record = existing(await self.storage.get_for_update(tx, visit.id), self.name)
        visit.check_unchanged(self.key(visit.id), record.updated_at)
        return record

    def key(self, record_id: int) -> str:
        """`gift_card:12`, as the log names it."""
        return f"{self.name.lower().replace(' ', '_')}:{record_id}"

    def done(self, message: str, before: R | None, after: R | None, **more: Any) -> Done:
        """The answer to a change; without `after` the record is gone, and its list is where to go on."""
        record = after or before
        assert record is not None
        to = self.path.format(id=record.id) if after else self.path.partition("/{")[0]
        return Done(url(to), message, self.key(record.id), self.audited(before), self.audited(after), **more)

    def audited(self, record: R | None) -> Mapping[str, Any]:
        if record is None:
            return {}
        values = {name: _written(name, getattr(record, name)) for name in self.fields}
        return values | {name: money.text(getattr(record, name)) for name in self.amounts}


def _written(name: str, value: Any) -> Any:
    if name.startswith("body_"):
        return (value or "")[:_MAX_BODY]
    return iso(value) if value is not None and name.endswith(("_at", "_until")) else value
