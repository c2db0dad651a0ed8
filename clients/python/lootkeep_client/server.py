"""Which service a client talks to, checked before the first call."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Server:
    """A service's URL, and a token for it, which no repr shows."""

    url: str
    token: str = field(repr=False)

    @classmethod
    def given(cls, url: str | None, token: str | None) -> Self:
        """The values given, or else those of the environment."""
        url = url or os.environ.get("LOOTKEEP_URL")
        token = token or os.environ.get("LOOTKEEP_TOKEN")
        if not url:
            raise ValueError("Give the URL of the service, or set LOOTKEEP_URL.")
        if not token:
            raise ValueError("Give a token, or set LOOTKEEP_TOKEN.")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not a URL of the service: it starts with http:// or https://.")
        return cls(url, token)
