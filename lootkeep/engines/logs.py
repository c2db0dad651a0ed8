"""Structured logs: for people on a terminal, JSON elsewhere, and never a secret."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from lootkeep.kernel.cause import CURRENT

# Fields with these names are secrets everywhere.
_SECRET_FIELDS = frozenset(
    {"authorization", "code", "cookie", "gift_card_code", "key", "password", "secret", "secret_key", "token"}
)
_REDACTED = "[redacted]"


def configure(level_name: str, form: str) -> None:
    """`form` is `console`, `json`, or `auto`, which depends on the terminal."""
    level = logging.getLevelNamesMapping()[level_name.upper()]
    renderer: Any = structlog.dev.ConsoleRenderer() if is_for_people(form) else structlog.processors.JSONRenderer()
    shared: list[Any] = [
        name_cause,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        redact,
    ]
    if not is_for_people(form):
        # On a terminal the renderer writes exceptions itself.
        shared.append(structlog.processors.format_exc_info)
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(_Stderr()),  # type: ignore[arg-type]
    )
    # Library logs from the standard module get the same format.
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=shared))
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)


def is_for_people(form: str) -> bool:
    return form == "console" or (form == "auto" and sys.stderr.isatty())


class _Stderr:
    """The current standard error, which may have changed since `configure` was called."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def name_cause(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Which request or delivery a line is about."""
    if cause := CURRENT.get():
        for name, value in cause.ids.items():
            event.setdefault(name, value)
    return event


def redact(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for field in _SECRET_FIELDS & event.keys():
        event[field] = _REDACTED
    return event
