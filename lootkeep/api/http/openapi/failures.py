"""The errors in the OpenAPI document: what each one means, and which of them an operation can return."""

from __future__ import annotations

from lootkeep.api.http import errors
from lootkeep.api.http.errors import Status
from lootkeep.api.http.openapi.schemas import Json, ref
from lootkeep.api.http.routes import MAX_BODY, Route
from lootkeep.kernel.errors import TooManyRequests

# What each error means, and when an operation can return it.
_FAILURES: dict[str, tuple[Status, str, str, str]] = {
    "Unauthorized": (
        errors.UNAUTHORIZED,
        "unauthorized",
        "The token is missing or not valid.",
        errors.Unauthorized().message,
    ),
    "Forbidden": (
        errors.FORBIDDEN,
        "forbidden",
        "The token lacks the scope.",
        errors.Forbidden("referrals:write").message,
    ),
    "NotFound": (errors.NOT_FOUND, "not_found", "The record does not exist.", "Referral tier not found."),
    "Conflict": (
        errors.CONFLICT,
        "idempotency_key_in_use",
        "The state of the record, or a running request with the same key, does not allow it.",
        "A request with this Idempotency-Key is still running.",
    ),
    "PayloadTooLarge": (
        errors.PAYLOAD_TOO_LARGE,
        "payload_too_large",
        "The body is larger than the operation accepts.",
        errors.PayloadTooLarge(MAX_BODY).message,
    ),
    "UnsupportedMediaType": (
        errors.UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        "The body is not application/json.",
        errors.UnsupportedMediaType().message,
    ),
    "ValidationError": (
        errors.VALIDATION_ERROR,
        "validation_failed",
        "Fields are invalid (`Validation Error`), or the body or the operation is not acceptable (`Unprocessable`).",
        "The given data was invalid.",
    ),
    "TooManyRequests": (
        errors.TOO_MANY_REQUESTS,
        "rate_limited",
        "The rate limit is exceeded; `Retry-After` is the number of seconds to wait.",
        TooManyRequests(12).message,
    ),
    "ServerError": (errors.SERVER_ERROR, "server_error", "An error in the service.", errors.ServerError().message),
    "ServiceUnavailable": (
        errors.SERVICE_UNAVAILABLE,
        "service_unavailable",
        "A dependency of the service is down (`service_unavailable`), or the service is overloaded and the request "
        "was not started (`overloaded`); `Retry-After` is the number of seconds to wait.",
        "The service is temporarily unavailable. Please try again shortly.",
    ),
}


def responses() -> Json:
    """Every error as a named component."""
    return {name: _response(*row) for name, row in _FAILURES.items()}


def refs(route: Route) -> Json:
    """The errors that an operation can return, by status."""
    return {str(_FAILURES[name][0].code): ref(name, "responses") for name in _names(route)}


def _names(route: Route) -> list[str]:
    """Derived from the operation's route."""
    names = ["Unauthorized", "Forbidden"]
    if "{" in route.path or route.may_miss:
        names.append("NotFound")
    if route.method == "POST" or route.may_conflict:
        names.append("Conflict")
    if route.body:
        names += ["PayloadTooLarge", "UnsupportedMediaType"]
    if route.body or route.query or route.method == "POST" or route.is_strict:
        names.append("ValidationError")
    return [*names, "TooManyRequests", "ServerError", "ServiceUnavailable"]


def _response(status: Status, code: str, description: str, message: str) -> Json:
    example: Json = {"success": False, "error": status.name, "code": code, "message": message}
    if code == "validation_failed":
        example["errors"] = {"name": ["The name field is required."]}
    return {
        "description": description,
        "content": {"application/json": {"schema": ref("Failure"), "example": example}},
    }
