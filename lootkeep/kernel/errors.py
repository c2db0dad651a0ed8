"""The errors of the store: each has a stable code for programs and a sentence a client can show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")

FieldErrors = Mapping[str, Sequence[str]]


class AppError(Exception):
    """An error the caller can act on; the edge maps its class to a status."""

    def __init__(self, code: str, message: str, fields: FieldErrors | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fields = fields


class InvalidFields(AppError):
    """One or more fields are invalid; all of them are named."""

    def __init__(self, fields: FieldErrors, code: str = "validation_failed") -> None:
        super().__init__(code, "The given data was invalid.", fields)


class NotFound(AppError):
    """The record does not exist."""

    def __init__(self, what: str) -> None:
        super().__init__("not_found", f"{what} not found.")


def existing(record: T | None, what: str) -> T:
    """The record that was looked up, if its absence is the caller's mistake."""
    if record is None:
        raise NotFound(what)
    return record


class Conflict(AppError):
    """The state of the record forbids the operation."""


class Unprocessable(AppError):
    """The rules of the store forbid the operation, but no single field is invalid."""


class RateLimited(AppError):
    """Rate limit exceeded; the caller may retry after this many seconds."""

    def __init__(self, code: str, message: str, seconds: int) -> None:
        super().__init__(code, message)
        self.retry_after = seconds


class TooManyRequests(RateLimited):
    def __init__(self, seconds: int) -> None:
        unit = "second" if seconds == 1 else "seconds"
        super().__init__("rate_limited", f"Too many requests. Please try again in {seconds} {unit}.", seconds)


class Unavailable(AppError):
    """A dependency of the service is down; a later retry may work."""

    retry_after = 1

    def __init__(
        self,
        message: str = "The service is temporarily unavailable. Please try again shortly.",
        code: str = "service_unavailable",
    ) -> None:
        super().__init__(code, message)


class Busy(Unavailable):
    """Another process has locked the database for longer than a request can wait."""

    def __init__(self) -> None:
        super().__init__("The database is busy. Please try again shortly.")


class Overloaded(Unavailable):
    """There are more requests than can be served in time; nothing was started."""

    def __init__(self) -> None:
        super().__init__(
            "The service is busy and has not started this request. Please try again shortly.", "overloaded"
        )


class StartupError(Exception):
    """Why the process cannot start or continue: one sentence that says what to do, printed without a traceback."""


class Unreachable(StartupError):
    """Something the process needs does not respond, and may do so later."""


def invalid(field: str, sentence: str, code: str = "validation_failed") -> InvalidFields:
    """Shorthand for a single invalid field."""
    return InvalidFields({field: [sentence]}, code)
