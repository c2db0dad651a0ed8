"""The only folder that chooses engines: it builds Deps, the worker and the application from the settings."""

from __future__ import annotations

import gc
from functools import cache
from typing import TYPE_CHECKING, Any

import structlog

from lootkeep import __version__
from lootkeep.engines import logs
from lootkeep.settings import load
from lootkeep.wiring.observation import observing
from lootkeep.wiring.sandbox import exists as sandbox_exists, opened_sandbox, opened_store
from lootkeep.wiring.store import (
    check_settings,
    intelligence,
    mailer,
    make_outbound,
    open_database,
    opened,
    openid_provider,
    stored_settings,
    upgrade,
    webhook_rules,
)

# Most commands need only Deps: what serves and what works is loaded by those that do.
if TYPE_CHECKING:
    from lootkeep.api.http.router import Router
    from lootkeep.api.http.routes import Group
    from lootkeep.wiring.serving import Application

__all__ = [
    "app",
    "check_settings",
    "intelligence",
    "mailer",
    "make_outbound",
    "observing",
    "open_database",
    "opened",
    "opened_sandbox",
    "opened_store",
    "openid_provider",
    "sandbox_exists",
    "stored_settings",
    "upgrade",
    "webhook_rules",
]


def app() -> Application:
    """The factory that servers name: `lootkeep.wiring:app`."""
    from lootkeep.wiring.serving import Application

    settings = load()
    logs.configure(settings.log_level, settings.log_format)
    for sentence in settings.unknown_names:
        structlog.get_logger(__name__).warning("unknown setting", sentence=sentence)
    # Loaded modules stay: scanning them for garbage would block the event loop for 50 milliseconds.
    gc.freeze()
    return Application(settings)


def groups() -> tuple[Group, ...]:
    """The route table: every endpoint of every API."""
    from lootkeep.api import groups

    return groups.every()


@cache
def router() -> Router:
    from lootkeep.api import groups
    from lootkeep.api.http.router import Router

    return Router(groups.routes_below)


@cache
def document() -> dict[str, Any]:
    from lootkeep.api.http import openapi

    return openapi.document(groups(), __version__)
