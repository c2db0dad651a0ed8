"""From a path to its route: a lookup for fixed paths, a walk over segments for the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from lootkeep.api.http.errors import MethodNotAllowed, UnknownPath
from lootkeep.api.http.routes import Route
from lootkeep.domain import inputs as inputs_rules

_WORD = re.compile(inputs_rules.PATH_WORD)
# Parameters of a path that are integers.
IDENTIFIERS = ("id", "item_id", "key_id")
_NOTHING: dict[str, Any] = {}
# The nothing before the first slash, `api`, the name of the API, its version, and a word.
_AREA_PARTS = 5


class _Node:
    """A segment of a path: the fixed segments below it, at most one parameter, and the routes that end here."""

    __slots__ = ("fixed", "parameter", "rows")

    def __init__(self) -> None:
        self.fixed: dict[str, _Node] = {}
        self.parameter: tuple[str, _Node] | None = None
        self.rows: dict[str, Route] = {}


class Router:
    """All routes; those of an area, such as `/api/external/v1/orders`, are added by the first request to it."""

    def __init__(self, routes_below: Callable[[str], Sequence[Route]]) -> None:
        self._routes_below = routes_below
        self._areas: set[str] = set()
        self._root = _Node()
        self._fixed: dict[str, dict[str, Route]] = {}

    def find(self, method: str, path: str) -> tuple[Route, dict[str, Any]]:
        rows = self._fixed.get(path)
        parameters = _NOTHING
        if rows is None:
            match = self._walk(path) or (self._add_area(path) and self._walk(path))
            if not match:
                raise UnknownPath
            rows, parameters = match
        route = rows.get(method)
        if route is None and method == "HEAD":
            route = rows.get("GET")
        if route is None:
            raise MethodNotAllowed(_allowed(rows))
        return route, parameters

    def _add_area(self, path: str) -> bool:
        """False if its routes are known, or there are none."""
        area = "/".join(path.split("/", _AREA_PARTS)[:_AREA_PARTS])
        if area in self._areas:
            return False
        routes = self._routes_below(area)
        for route in routes:
            self._add(route)
        if routes:
            self._areas.add(area)
        return bool(routes)

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

    def _walk(self, path: str) -> tuple[dict[str, Route], dict[str, Any]] | None:
        node = self._root
        parameters: dict[str, Any] = {}
        for segment in path.split("/")[1:]:
            below = node.fixed.get(segment)
            if below is None:
                if node.parameter is None:
                    return None
                name, below = node.parameter
                parameters[name] = _identifier(segment) if name in IDENTIFIERS else _word(segment)
            node = below
        return (node.rows, parameters) if node.rows else None


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
