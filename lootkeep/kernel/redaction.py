"""Settings and URLs without the secrets in them."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple
from urllib.parse import unquote

HIDDEN = "***"
# The password in `postgresql://USER:PASSWORD@HOST/NAME`, up to the last @: an unencoded password may contain anything,
# and a mistyped URL may lack a slash, the colons or the @. Only a port may follow a colon without an @.
_PASSWORD = re.compile(r"^([a-z][a-z0-9+.-]*:?/{1,3}+)?+([^:/?#@]*+)[:/].*@", re.IGNORECASE | re.DOTALL)
_NO_PORT = re.compile(
    r"^([a-z][a-z0-9+.-]*:?/{1,2}[^:/?#@\[]*):(?!\d{1,5}(?:[/?#,]|$))[^@]*$", re.IGNORECASE | re.DOTALL
)
_PARAMETER = re.compile(r"((?:^|[?&;\s])[^=&;\s]*)\s*=\s*[^&\s]*")
# The values of a query, or a query without names.
_QUERY_PART = re.compile(r"([?&])([^=&#]*)(=[^&#]*)?")
# Parts of the names of secrets in drivers; hiding too much does no harm.
_SECRET_NAMES = re.compile("pass|pwd|secret|token|key", re.IGNORECASE)


class ShownSetting(NamedTuple):
    """A setting that is safe to show; no value if it is not set."""

    name: str
    value: str | None
    description: str
    # Where the value comes from; what the environment sets cannot be changed in the console.
    source: Literal["environment", "console", "default"]
    is_in_console: bool = False


def redacted(url: str) -> str:
    """A URL without its passwords, wherever they are in it."""
    if "@" in url:
        url = _PASSWORD.sub(_redacted_login, url)
    return _PARAMETER.sub(_redacted_parameter, _NO_PORT.sub(rf"\1:{HIDDEN}", url))


def _redacted_login(login: re.Match[str]) -> str:
    return f"{login[1] or ''}{login[2]}:{HIDDEN}@"


def without_query_values(url: str) -> str:
    """A URL whose query may hold secrets: only the names in it are left."""
    return _QUERY_PART.sub(lambda part: part[1] + (f"{part[2]}={HIDDEN}" if part[3] else part[2] and HIDDEN), url)


def _redacted_parameter(parameter: re.Match[str]) -> str:
    return f"{parameter[1]}={HIDDEN}" if _SECRET_NAMES.search(unquote(parameter[1])) else parameter[0]


def shown_value(value: object) -> str | None:
    """A setting as text; a setting that is a secret is hidden completely."""
    if value is None:
        return None
    if hasattr(value, "get_secret_value"):
        return HIDDEN
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(str(part) for part in value)
    return redacted(str(value))
