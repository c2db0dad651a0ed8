"""From a path to its route: a lookup for fixed paths, a walk over segments for the others."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from lootkeep.api.http.errors import MethodNotAllowed, UnknownPath
from lootkeep.api.http.routes import Group, Route
from lootkeep.domain import inputs as inputs_rules

_WORD = re.compile(inputs_rules.PATH_WORD)
# Parameters of a path that are integers.
IDENTIFIERS = ("id", "item_id", "key_id")
_NOTHING: dict[str, Any] = {}


class _Node:
    """A segment of a path: the fixed segments below it, at most one parameter, and the routes that end here."""

    __slots__ = ("fixed", "parameter", "rows")

    def __init__(self) -> None:
        self.fixed: dict[str, _Node] = {}
        self.parameter: tuple[str, _Node] | None = None
        self.rows: dict[str, Route] = {}


class Router:
    """All routes of all groups."""

    def __init__(self, groups: tuple[Group, ...]) -> None:
        self._root = _Node()
        self._fixed: dict[str, dict[str, Route]] = {}
        for group in groups:
            for route in group.routes:
                # With the whole path, by which metrics and traces know the API.
                self._add(replace(route, path=group.prefix + route.path))

    def find(self, method: str, path: str) -> tuple[Route, dict[str, Any]]:
        rows = self._fixed.get(path)
        parameters = _NOTHING
        if rows is None:
            rows, parameters = self._walk(path)
        route = rows.get(method)
        if route is None and method == "HEAD":
            route = rows.get("GET")
        if route is None:
            raise MethodNotAllowed(_allowed(rows))
        return route, parameters

    def _add(self, route: Route) -> None:
        node, path = self._root, route.path
        for segment in path.split("/")[1:]:
            if segment.startswith("{"):
                if node.parameter is None:
                    node.parameter = (segment[1:-1], _Node())
                node = node.parameter[1]
            else:
                node = node.fixed.setdefault(segment, _Node())
        node.rows[route.method] = route
        if "{" not in path:
            self._fixed[path] = node.rows

    def _walk(self, path: str) -> tuple[dict[str, Route], dict[str, Any]]:
        node = self._root
        parameters: dict[str, Any] = {}
        for segment in path.split("/")[1:]:
            below = node.fixed.get(segment)
            if below is None:
                if node.parameter is None:
                    raise UnknownPath
                name, below = node.parameter
                parameters[name] = _identifier(segment) if name in IDENTIFIERS else _word(segment)
            node = below
        if not node.rows:
            raise UnknownPath
        return node.rows, parameters


def _identifier(segment: str) -> int:
    """An id is an integer; anything else matches nothing."""
    number = inputs_rules.integer(segment)
    if number is None or segment.startswith("-"):
        raise UnknownPath
    return number


def _word(segment: str) -> str:
    """Any other parameter is a word of letters, digits and dashes."""
    if not _WORD.fullmatch(segment):
        raise UnknownPath
    return segment


def _allowed(rows: dict[str, Route]) -> list[str]:
    return sorted({*rows, "HEAD"} if "GET" in rows else rows)
