"""Why the store says no: each reason has a stable code for machines and a sentence a client can show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")

Fields = Mapping[str, Sequence[str]]


class AppError(Exception):
    """A rejection the caller can act on; the edge turns its class into a status."""

    def __init__(self, code: str, message: str, fields: Fields | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fields = fields


class InvalidFields(AppError):
    """One or more fields are invalid; all of them are named."""

    def __init__(self, fields: Fields) -> None:
        super().__init__("validation_failed", "The given data was invalid.", fields)


class NotFound(AppError):
    """The addressed thing does not exist."""

    def __init__(self, what: str) -> None:
        super().__init__("not_found", f"{what} not found.")


def existing(record: T | None, what: str) -> T:
    """The record that was looked up, where its absence is the caller's mistake."""
    if record is None:
        raise NotFound(what)
    return record


class Conflict(AppError):
    """The state of the thing forbids the operation."""


class Unprocessable(AppError):
    """The rules of the store forbid the operation, but no single field is invalid."""


class RateLimited(AppError):
    """Rate limit exceeded; may be tried again after this many seconds."""

    def __init__(self, code: str, message: str, seconds: int) -> None:
        super().__init__(code, message)
        self.retry_after = seconds


class Unavailable(AppError):
    """Something the service leans on is gone for now; trying again later may work."""

    retry_after = 1

    def __init__(
        self,
        message: str = "The service is temporarily unavailable. Please try again shortly.",
        code: str = "service_unavailable",
    ) -> None:
        super().__init__(code, message)


class Overloaded(Unavailable):
    """More is asked than can be answered in time; nothing was begun."""

    def __init__(self) -> None:
        super().__init__(
            "The service is busy and has not started this request. Please try again shortly.", "overloaded"
        )


class StartupError(Exception):
    """Why the process cannot start or go on: one sentence that says what to do, printed without a traceback."""


class Unreachable(StartupError):
    """Something the process needs does not answer, and may do so later."""


def invalid(field: str, sentence: str) -> InvalidFields:
    """The short form for a single invalid field."""
    return InvalidFields({field: [sentence]})
