"""A kind of record that forms change: how it is loaded, where its page is, and what the audit log holds of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from lootkeep.console import forms, undo
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.deps import Deps
from lootkeep.domain.roles import Scope
from lootkeep.kernel import money
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import existing
from lootkeep.kernel.redaction import without_query_values
from lootkeep.storage.rows import Rows

# Of the bodies of e-mails, which may be half a megabyte, the log holds how they begin.
_MAX_BODY = 200
# What is said of a record that is gone.
DELETED = "{0.name} is deleted."
R = TypeVar("R", bound=msgspec.Struct)
Operation = Callable[..., Awaitable[R | None]]
Edit = Callable[[Deps, int, dict[str, Any]], Awaitable[R]]


@dataclass(frozen=True)
class Record(Generic[R]):
    # What people call it.
    name: str
    # Where a change leads to; `{id}` is the id of the record.
    path: str
    rows: Rows[R]
    # What the log holds of it: times are written as such, and so are amounts.
    fields: Sequence[str]
    amounts: Sequence[str] = ()

    async def get(self, visit: Visit) -> R:
        """The page's record."""
        async with visit.deps.db.read() as tx:
            record: R = existing(await self.rows.get(tx, visit.id), self.name)
        return record

    async def lock(self, visit: Visit) -> R:
        """The page's record before the change, which the form must have shown."""
        async with visit.deps.db.write() as tx:
            record: Any = existing(await self.rows.lock(tx, visit.id), self.name)
        visit.check_unchanged(self.key(visit.id), record.updated_at)
        locked: R = record
        return locked

    def key(self, record_id: int) -> str:
        """`gift_card:12`, as the log names it."""
        return f"{self.name.lower().replace(' ', '_')}:{record_id}"

    def done(self, message: str, before: R | None, after: R | None, **more: Any) -> Done:
        """The answer to a change; without `after` the record is gone, and its list is where to go on."""
        record: Any = after or before
        to = self.path.format(id=record.id) if after else self.path.partition("/{")[0]
        version = getattr(after, "updated_at", None)
        logged = self.audited(before), self.audited(after)
        return Done(url(to), message, self.key(record.id), *logged, version=version, **more)

    def saved(self, visit: Visit, fields: forms.Fields, message: str, before: R, after: R) -> Done:
        """The answer to a form of these fields that edits the record; what changed nothing is not logged."""
        if after == before:
            return Done(self.done("", before, after).to, "Nothing was changed.")
        return self.done(message, before, after, reverse=undo.form_of_before(visit, fields, before))

    def noted(self, visit: Visit, message: str, tone: str = "ok", **noted: Any) -> Done:
        """The answer to an operation that does not change the page's record; the log holds what was done."""
        return Done(url(self.path.format(id=visit.id)), message, self.key(visit.id), after=noted, tone=tone)

    def audited(self, record: R | None) -> Mapping[str, Any]:
        if record is None:
            return {}
        values = {name: getattr(record, name) for name in (*self.fields, *self.amounts)}
        amounts = {
            name: money.text(value) for name, value in values.items() if name in self.amounts and value is not None
        }
        return {name: _written(name, value) for name, value in values.items()} | amounts

    def change(
        self,
        path: str,
        scope: Scope,
        title: str,
        operation: Operation[R],
        message: str,
        confirm: str = "",
        fields: forms.Fields = (),
    ) -> Page:
        """The row of a change by one operation, which gets what the form holds; without its record that is gone."""

        async def handler(visit: Visit) -> Answer:
            before = await self.lock(visit)
            after = await operation(visit.deps, visit.id, **forms.read(visit, fields))
            return self.done(message.format(after or before), before, after)

        return change(path, scope, title, handler, confirm)

    def edit(
        self, path: str, scope: Scope, action: str, cards: forms.Fields, operation: Edit[R], **page: Any
    ) -> tuple[Page, Page]:
        """The rows of a form that edits the record by one operation; the texts of its page may name `{0.name}`."""

        async def show(visit: Visit) -> Answer:
            record = await self.get(visit)
            texts = {"title": "Edit {0.name}", "back": self.path} | page
            filled = {name: text.format(record, id=visit.id) for name, text in texts.items() if isinstance(text, str)}
            return forms.show(visit, cards, record, **(texts | filled))

        async def save(visit: Visit) -> Answer:
            before = await self.lock(visit)
            after = await operation(visit.deps, visit.id, forms.read(visit, cards))
            return self.saved(visit, cards, f"The {self.name.lower()} is saved.", before, after)

        return forms.rows(path, scope, action, show, save)


def _written(name: str, value: Any) -> Any:
    if name == "url":
        return without_query_values(value)
    if name.startswith("body_"):
        return (value or "")[:_MAX_BODY]
    return iso(value) if value is not None and name.endswith(("_at", "_until")) else value
