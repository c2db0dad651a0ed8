"""The result of a check: ok, warning or bad; the sentence says what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple, Protocol

Level = Literal["ok", "warning", "bad"]


class Finding(NamedTuple):
    what: str
    level: Level
    sentence: str

    @property
    def title(self) -> str:
        return _TITLES.get(self.what, f"List: {self.what}")


# The label of each check; a list has its own name.
_TITLES = {
    "settings": "Settings",
    "database": "Database",
    "key": "Secret key",
    "replica": "Replica",
    "files": "Files",
    "redis": "Redis",
    "mail": "Mail",
    "accounts": "Accounts",
    "worker": "Workers",
    "keys": "Keys",
    "servers": "Game servers",
    "payments": "Payments",
    "clock": "Clock",
    "retention": "Retention",
    "alerts": "Alerts",
    "disk": "Disk space",
    "egress": "Receivers",
    "webhooks": "Webhooks",
    "public URL": "Public URL",
    "lists": "Lists",
}


def worst(findings: list[Finding]) -> Level:
    levels = {finding.level for finding in findings}
    return "bad" if "bad" in levels else "warning" if "warning" in levels else "ok"


class Config(Protocol):
    """The settings that the checks need."""

    @property
    def environment(self) -> str: ...
    @property
    def rate_limit_per_minute(self) -> int: ...
    @property
    def sqlite_path(self) -> Path | None: ...
    @property
    def listen_url(self) -> str | None: ...
    @property
    def read_database_url(self) -> str | None: ...
    @property
    def read_max_lag(self) -> float: ...
    @property
    def database_pooler(self) -> str: ...
    @property
    def key_sources(self) -> tuple[str | None, Path | None]: ...
    @property
    def redis_url(self) -> str | None: ...
    @property
    def smtp_url(self) -> object | None: ...
    @property
    def public_url(self) -> str | None: ...
    @property
    def data_dir(self) -> Path: ...
    @property
    def unknown_names(self) -> list[str]: ...
