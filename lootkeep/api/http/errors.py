"""The only table from errors to statuses, and the errors that the edge itself detects."""

from __future__ import annotations

from typing import NamedTuple

from lootkeep.kernel import errors
from lootkeep.kernel.errors import AppError


def as_size(count: int) -> str:
    """Bytes in readable units: 64 KiB, 1 MiB."""
    kibibytes = count // 1024
    return f"{kibibytes // 1024} MiB" if kibibytes >= 1024 else f"{kibibytes} KiB"


class Status(NamedTuple):
    code: int
    name: str


BAD_REQUEST = Status(400, "Bad Request")
UNAUTHORIZED = Status(401, "Unauthorized")
FORBIDDEN = Status(403, "Forbidden")
NOT_FOUND = Status(404, "Not Found")
METHOD_NOT_ALLOWED = Status(405, "Method Not Allowed")
REQUEST_TIMEOUT = Status(408, "Request Timeout")
CONFLICT = Status(409, "Conflict")
PAYLOAD_TOO_LARGE = Status(413, "Payload Too Large")
UNSUPPORTED_MEDIA_TYPE = Status(415, "Unsupported Media Type")
UNPROCESSABLE = Status(422, "Unprocessable")
VALIDATION_ERROR = Status(422, "Validation Error")
TOO_MANY_REQUESTS = Status(429, "Too Many Requests")
SERVER_ERROR = Status(500, "Server Error")
SERVICE_UNAVAILABLE = Status(503, "Service Unavailable")


class BadRequest(AppError):
    """The request is not valid HTTP."""


class Unauthorized(AppError):
    def __init__(self) -> None:
        super().__init__("unauthorized", "A valid access token is required.")


class Forbidden(AppError):
    def __init__(self, scope: str) -> None:
        super().__init__("forbidden", f"The token lacks the required scope {scope}.")


class UnknownPath(AppError):
    def __init__(self) -> None:
        super().__init__("not_found", "There is nothing at this path.")


class MethodNotAllowed(AppError):
    def __init__(self, allowed: list[str]) -> None:
        super().__init__("method_not_allowed", f"This path only supports {', '.join(allowed)}.")
        self.allowed = allowed


class TooSlow(AppError):
    def __init__(self) -> None:
        super().__init__("request_timeout", "The request did not arrive in time. Please send it again.")


class PayloadTooLarge(AppError):
    def __init__(self, max_bytes: int) -> None:
        super().__init__("payload_too_large", f"The request body must not be larger than {as_size(max_bytes)}.")


class UnsupportedMediaType(AppError):
    def __init__(self, message: str = "The request body must be sent as application/json.") -> None:
        super().__init__("unsupported_media_type", message)


class ServerError(AppError):
    def __init__(self) -> None:
        super().__init__("server_error", "Something went wrong on our side. The request id helps us to find it.")


STATUSES: dict[type[AppError], Status] = {
    errors.InvalidFields: VALIDATION_ERROR,
    errors.Unprocessable: UNPROCESSABLE,
    errors.NotFound: NOT_FOUND,
    errors.Conflict: CONFLICT,
    errors.Unavailable: SERVICE_UNAVAILABLE,
    BadRequest: BAD_REQUEST,
    Unauthorized: UNAUTHORIZED,
    Forbidden: FORBIDDEN,
    UnknownPath: NOT_FOUND,
    MethodNotAllowed: METHOD_NOT_ALLOWED,
    TooSlow: REQUEST_TIMEOUT,
    PayloadTooLarge: PAYLOAD_TOO_LARGE,
    UnsupportedMediaType: UNSUPPORTED_MEDIA_TYPE,
    errors.RateLimited: TOO_MANY_REQUESTS,
    ServerError: SERVER_ERROR,
}
