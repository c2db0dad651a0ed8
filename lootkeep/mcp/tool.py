"""The rows of the table of tools: what a model reads about each, its scope, and what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from lootkeep.mcp.arguments import Arguments
from lootkeep.mcp.caller import Caller


@dataclass(frozen=True, slots=True)
class Tool:
    """`run` reads what the console shows; it gets the arguments as `arguments` has checked them."""

    name: str
    description: str
    scope: str
    arguments: type[Arguments]
    run: Callable[[Caller, Any], Awaitable[Any]]


class Plan(NamedTuple):
    """One change: the sentence that names it, how the audit log calls it, and the call that does it."""

    sentence: str
    action: str
    record: str
    path: str
    body: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A tool that changes something. It is named first, and done with the confirmation of the first call."""

    name: str
    description: str
    scope: str
    arguments: type[Arguments]
    plan: Callable[[Caller, Any], Awaitable[Plan]]
