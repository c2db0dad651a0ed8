"""Headers that a receiver asks for in addition: their names are shown, their values are secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from lootkeep.kernel.errors import invalid

MAX_HEADERS = 10
# The purpose that the seal of the values is bound to.
PURPOSE = "webhook headers"

_MOVED = "The headers field needs all values again, or {} for none: the url leads to another server."
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
_VALUE = re.compile(r"[!-~]([ -~]{0,1022}[!-~])?")
# What every request has, what is said between two hops alone, and what would change how the answer is written.
_TAKEN = frozenset(
    (
        *("accept", "accept-encoding", "content-encoding", "content-length", "content-type", "expect", "host"),
        *("connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "http2-settings"),
        *("proxy-authenticate", "proxy-authorization", "proxy-connection", "traceparent", "user-agent"),
    )
)
# Of signatures and of the sandbox.
_OURS = ("webhook-", "x-webhook-", "lootkeep-")


def check(headers: Mapping[str, str | None]) -> str | None:
    """A value of None is the one that is stored."""
    if len(headers) > MAX_HEADERS:
        return f"must not have more than {MAX_HEADERS} entries"
    names = [name.lower() for name in headers]
    if not all(_NAME.fullmatch(name) for name in headers):
        return "must have names of letters, digits and dashes, such as X-Api-Key"
    if len(set(names)) != len(names):
        return "must not have the same name twice"
    if any(name in _TAKEN or name.startswith(_OURS) for name in names):
        return "must not have a header that the service or the connection sets"
    if not all(value is None or _VALUE.fullmatch(value) for value in headers.values()):
        return "must have values of 1 to 1,024 printable ASCII characters"
    return None


def require_known(url: str, names: list[str], changes: Mapping[str, Any]) -> None:
    """Values that are stored are not sent to another server: who changes the url must know them."""
    if not names or urlsplit(changes.get("url", url))[:2] == urlsplit(url)[:2]:
        return
    if "headers" not in changes or None in changes["headers"].values():
        raise invalid("headers", _MOVED)
