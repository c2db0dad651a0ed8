"""A request as it goes out, and an answer as it comes in: what sync and async share."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from lootkeep_client import errors
from lootkeep_client.retrying import seconds_asked

VERSION = "0.1.0"


@dataclass(frozen=True, slots=True)
class Request:
    """One call; `path` has the ids in it already."""

    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)


def headers(token: str) -> dict[str, str]:
    """What every request carries."""
    return {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json",
        "User-Agent": f"lootkeep-client-python/{VERSION}",
    }


def prepare(
    method: str,
    path: str,
    ids: tuple[int | str, ...] = (),
    *,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    key: str | None = None,
) -> Request:
    """Every POST gets a key, so that the service does it once however often it is sent."""
    for value in ids:
        before, _, after = path.partition("{")
        path = before + quote(str(value), safe="") + after.partition("}")[2]
    return Request(
        method,
        path,
        {_plain(name): _word(value) for name, value in (query or {}).items() if value is not None},
        None if body is None else {_plain(name): value for name, value in body.items()},
        {"Idempotency-Key": key or str(uuid.uuid4())} if method == "POST" else {},
    )


def parse(response: httpx.Response) -> dict[str, Any]:
    """The envelope of a success; anything else is raised, also what was ignored: it was meant to do something."""
    body = _json(response)
    if response.is_success and isinstance(body, dict) and body.get("success") is True:
        if ignored := response.headers.get("x-ignored-fields"):
            raise errors.FieldsIgnored(ignored.split(", "), body)
        return body
    raise errors.from_answer(response.status_code, body, response.headers.get("x-request-id"), seconds_asked(response))


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None


def _plain(name: str) -> str:
    """`from_` is `from`, which Python keeps for itself."""
    return name.removesuffix("_")


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
