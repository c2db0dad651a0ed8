"""The envelope: the one format of every response, success or failure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from lootkeep.api.http.errors import STATUSES, MethodNotAllowed, Status, Unauthorized
from lootkeep.api.http.routes import Reply
from lootkeep.kernel.errors import AppError, RateLimited, Unavailable
from lootkeep.kernel.paging import last_page
from lootkeep.views.fields import field

Headers = list[tuple[bytes, bytes]]

# Of every response, also of a file.
SAFE_HEADERS: Headers = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
FIXED_HEADERS: Headers = [(b"content-type", b"application/json"), *SAFE_HEADERS]

_encode = msgspec.json.Encoder().encode


class Meta(msgspec.Struct, frozen=True):
    """The position of a page in its list."""

    current_page: Annotated[int, field("The page of this response, from 1.", 1)]
    last_page: Annotated[int, field("The number of the last page, at least 1.", 1)]
    per_page: Annotated[int, field("The number of items per page.", 15)]
    total: Annotated[int, field("The total number of items.", 1)]


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """The format of every error; `errors` is present if fields are invalid."""

    success: bool
    error: Annotated[str, field("The short name of the status.", "Validation Error")]
    code: Annotated[str, field("A stable code for programs.", "validation_failed")]
    message: Annotated[str, field("A message for people.", "The given data was invalid.")]
    errors: (
        Annotated[
            dict[str, Sequence[str]],
            field("The messages by invalid field.", {"name": ["The name field is required."]}),
        ]
        | msgspec.UnsetType
    ) = msgspec.UNSET


def success(reply: Reply, message: str | None) -> bytes:
    parts = [b'{"success":true']
    text = reply.message or message
    if text is not None:
        parts += (b',"message":', _encode(text))
    if reply.data is not msgspec.UNSET:
        parts += (b',"data":', _encode(reply.data))
    if reply.page is not None:
        page = reply.page
        meta = Meta(page.number, last_page(reply.total, page.size), page.size, reply.total)
        parts += (b',"meta":', _encode(meta))
    parts.append(b"}")
    return b"".join(parts)


def failure(reason: AppError) -> tuple[int, bytes, Headers]:
    """Status, body and required headers of a failure."""
    status = status_of(reason)
    fields = dict(reason.fields) if reason.fields else msgspec.UNSET
    body = _encode(Failure(False, status.name, reason.code, reason.message, fields))
    return status.code, body, _headers(reason)


def status_of(reason: AppError) -> Status:
    for kind in type(reason).__mro__:
        if kind in STATUSES:
            return STATUSES[kind]
    raise TypeError(f"{type(reason).__name__} has no row in STATUSES") from reason


def _headers(reason: AppError) -> Headers:
    match reason:
        case Unauthorized():
            return [(b"www-authenticate", b"Bearer")]
        case MethodNotAllowed():
            return [(b"allow", ", ".join(reason.allowed).encode())]
        case RateLimited() | Unavailable():
            return [(b"retry-after", str(reason.retry_after).encode())]
    return []
