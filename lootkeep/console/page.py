"""The row of the page table, what a handler is given, and what it answers."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from lootkeep.console.formats import Formats
from lootkeep.deps import CurrentSettings, Deps
from lootkeep.domain.accounts import Person, Session
from lootkeep.domain.deliveries import RETRY_SECONDS
from lootkeep.domain.emails import StoreIdentity
from lootkeep.domain.roles import Scope
from lootkeep.domain.trusted_proxy import TrustedProxy
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, FieldErrors
from lootkeep.services.health import Finding

PREFIX = "/console"
# The pages of buyers: short, because the address is part of e-mails.
BUYER_PREFIX = "/o"


@dataclass(frozen=True, slots=True)
class Options:
    """What the settings say of the console."""

    current: CurrentSettings
    # Seconds to wait after each failed attempt of a delivery.
    retry_delays: Sequence[int] = RETRY_SECONDS
    # Looks at everything the service depends on.
    examine: Callable[[Deps], Awaitable[Sequence[Finding]]] | None = None
    # People sign in with a password, too.
    has_passwords: bool = True
    # Names people who have signed in there.
    proxy: TrustedProxy | None = None

    @property
    def store(self) -> StoreIdentity:
        return self.current.value.identity

    @property
    def store_name(self) -> str:
        return self.store.name

    @property
    def timezone(self) -> str:
        return self.current.value.timezone

    @property
    def is_https(self) -> bool:
        """People reach it over https, whatever the last proxy speaks."""
        return self.store.public_url.startswith("https://")


@dataclass(slots=True)
class Visit:
    """One request that was let in: who asks, and what was sent."""

    deps: Deps
    options: Options
    page: Page
    request: Request
    now: Instant
    # The secret of the cookie; form tokens are derived from it.
    secret: str
    formats: Formats
    person: Person | None = None
    session: Session | None = None
    form: Mapping[str, str] = field(default_factory=dict)
    # What was wrong with the form, by field; the empty name is the form as a whole.
    errors: FieldErrors = field(default_factory=dict)

    @property
    def user(self) -> Person:
        """Who is signed in, on a page that has a scope."""
        assert self.person is not None
        return self.person

    @property
    def is_guest(self) -> bool:
        """Someone looks around who is not signed in."""
        return self.person is not None and self.session is None

    @property
    def id(self) -> int:
        """The `{id}` of the path."""
        return int(self.request.path_params["id"])

    @property
    def query(self) -> dict[str, str]:
        """The parameters of the address; PostgreSQL has no NUL in texts."""
        return {name: value.replace("\0", "") for name, value in self.request.query_params.items()}

    @property
    def ip(self) -> str:
        return self.request.client.host if self.request.client else ""

    def text(self, name: str) -> str | None:
        """A field of the form without blanks around it; None when there is nothing."""
        return self.form.get(name, "").strip() or None

    def check_unchanged(self, record: str, version: object) -> None:
        """Refuses a form that shows an older state of the record; `version` is what the record has now."""
        if "version" in self.form and self.form["version"] != str(version):
            raise Stale(record, self.form["version"])


class Undo(msgspec.Struct, frozen=True):
    """A form that reverses what was done: where it is sent to, and what it holds."""

    to: str
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class Done:
    """A change was made: where to go on, what to say there, and what the audit log holds."""

    to: str
    message: str = ""
    # `order:12`; nothing is logged without it.
    record: str | None = None
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    # Of the message: a test that failed is `bad`, what did not go as usual `warn`, what is not over `info`.
    tone: str = "ok"
    # The secret of a session that begins or ends with this answer; an empty one ends it.
    secret: str | None = None
    # What a browser is known by in which someone signed in.
    browser: str = ""
    # The title, sentence and secret of `secret.html`, which is shown at once: a secret is seen only now. With a
    # `file`, it can be saved under that name.
    secret_page: dict[str, str] | None = None
    # What the record has now, for a form that must not overwrite a later change.
    version: int | None = None
    # Of a form that edits a record: the fields that put back what it has changed.
    reverse: Mapping[str, str] | None = None
    # Filled in by the edge, from the table of what can be undone.
    undo: Undo | None = None


class Stale(Conflict):
    """The record was changed after the form was shown."""

    def __init__(self, record: str, shown_version: str) -> None:
        super().__init__("stale_form", "This was changed after you opened the form. Nothing was saved.")
        self.record = record
        self.shown_version = shown_version


Answer = Mapping[str, Any] | Done | Response
Handler = Callable[[Visit], Awaitable[Answer]]
# The whole question and its button, where they depend on what was sent.
Question = Callable[[Visit], Awaitable[tuple[str, str]]]


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """One page, or one change that a form makes; routing, authorisation, navigation and the audit log read it."""

    method: str
    # Below /console; `{id}` is an integer, any other parameter a word.
    path: str
    # What the role of who comes here must include; None is for those who are not signed in.
    scope: Scope | None
    # The title of a page; of a change, what the audit log calls it.
    title: str
    handler: Handler
    template: str | None = None
    # The group of the navigation that the page is in.
    group: str | None = None
    # The navigation entry that is lit, where the path does not begin with it.
    under: str | None = None
    # A question that is asked before the change is made.
    confirm: str | Question = ""
    # Waits for something other than the database, so that no transaction may be open.
    is_foreign: bool = False
    # Shows what was sent in a frame and changes nothing, so it may be sent again with the same token.
    is_preview: bool = False

    @property
    def entry(self) -> str:
        """The path of the navigation entry that is lit."""
        return self.under or "/".join(self.path.split("/")[:2])


def change(
    path: str,
    scope: Scope | None,
    title: str,
    handler: Handler,
    confirm: str | Question = "",
    *,
    is_foreign: bool = False,
) -> Page:
    """The row of a change. The page of its path, or of the nearest path above, is shown again with what was wrong."""
    return Page("POST", path, scope, title, handler, confirm=confirm, is_foreign=is_foreign)


def page_at(pages: Sequence[Page], path: str) -> Page | None:
    """The page of a path below /console, which has no other parameter than ids."""
    return next((page for page in pages if (page.method, page.path) == ("GET", row_path(path))), None)


def row_path(path: str) -> str:
    """The path of the row in the page table."""
    return _ID.sub("/{id}", path)


_ID = re.compile(r"/[0-9]{1,18}(?=/|$)")


def file(name: str, content: str | bytes, media_type: str) -> Response:
    """Something that the browser saves."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type=media_type)


@lru_cache(maxsize=4096)
def url(path: str) -> str:
    """The address of a page."""
    return PREFIX + quote(path)
