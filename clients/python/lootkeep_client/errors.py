"""What can go wrong: an answer that says no, no answer at all, or a delivery that must not be believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class LootkeepError(Exception):
    """Everything that this package raises."""


class ConnectionFailed(LootkeepError):
    """No answer came, also not after trying again."""


class WebhookNotVerified(LootkeepError):
    """A delivery that must not be believed; `reason` is a stable word, the message a sentence."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class FieldsIgnored(LootkeepError):
    """The service did what it understood, but ignored `names`: it does not know them. `answer` is its whole answer."""

    def __init__(self, names: Sequence[str], answer: Mapping[str, Any]) -> None:
        super().__init__(f"The service answered, but does not know and ignored: {', '.join(names)}.")
        self.names = names
        self.answer = answer


class ApiError(LootkeepError):
    """The service said no. `code` is a stable word for machines, `fields` has the sentences by field."""

    def __init__(
        self,
        status: int,
        error: str,
        code: str,
        message: str,
        fields: Mapping[str, Sequence[str]],
        request_id: str | None,
        retry_after: int | None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.error = error
        self.code = code
        self.message = message
        self.fields = fields
        # Names the request in the service's logs.
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        text = f"{self.status} {self.code}: {self.message}"
        for name, sentences in self.fields.items():
            text += f" [{name}] {' '.join(sentences)}"
        return f"{text} (request {self.request_id})" if self.request_id else text


class Unauthorized(ApiError):
    """401: the token is missing, unknown, expired or revoked."""


class Forbidden(ApiError):
    """403: the token lacks a scope."""


class NotFound(ApiError):
    """404: there is no such thing."""


class Conflict(ApiError):
    """409: the state of the thing forbids it."""


class Invalid(ApiError):
    """422: the request is not acceptable; `fields` has the messages of every invalid field."""


class RateLimited(ApiError):
    """429: too many requests; `retry_after` says for how many seconds."""


class ServerError(ApiError):
    """5xx: the service failed or is not available."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    422: Invalid,
    429: RateLimited,
}


def from_answer(status: int, body: Any, request_id: str | None, retry_after: int | None) -> ApiError:
    """The error of an answer. What is between client and service may answer too, and in other words."""
    answer: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    return kind(
        status,
        str(answer.get("error", "Error")),
        str(answer.get("code", "unknown")),
        str(answer.get("message", f"The server answered {status}.")),
        answer.get("errors") or {},
        request_id,
        retry_after,
    )
