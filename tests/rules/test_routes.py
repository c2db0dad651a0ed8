"""Every row of the route table has a scope that fits, words, a page and a test."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable

from lootkeep import wiring
from lootkeep.api.http.routes import Group, Route
from lootkeep.domain.access import SCOPES, SERVER_SCOPE
from tests.rules.tree import ROOT, files

EXTERNAL = "/api/external/v1"
STORE = "/api/store/v1"
GAME = "/api/game/v1"

# POSTs that change nothing: they need the scope for reading.
READING_POSTS = {("POST", "/referrals/validate"), ("POST", "/gift-cards/validate"), ("POST", "/coupons/preview")}
# Paths of the External API whose first word is not the group of their scope.
OTHER_GROUPS = {
    "payment-sources": "payments",
    "payment-events": "payments",
    "commands": "servers",
}

METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
_STYLE = re.compile(r"(/([a-z][a-z0-9]*(-[a-z0-9]+)*|\{[a-z]+(_[a-z]+)*\}))+")
_CONSTANT = re.compile(r"^(([A-Z_]+) = f?\"([^\"]*)\")$", re.MULTILINE)
# In a test a parameter is a value, or an expression in an f-string.
_VALUE = r"(\{[^}]*\}|[^/\"'?\s{}]+)"


def _with_constants(test: str) -> str:
    """A test's text as it reads when each constant is replaced by its path, its own and those that it imports."""
    test = "\n".join([*_imported_constants(test), test])
    for _, constant, value in _CONSTANT.findall(test):
        test = test.replace(f"{{{constant}}}", value)
    return test


def _imported_constants(test: str) -> list[str]:
    """The lines in other files that define what a test imports."""
    lines: list[str] = []
    for node in ast.parse(test).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            source = ROOT / f"{node.module.replace('.', '/')}.py"
            definitions = _CONSTANT.findall(source.read_text()) if source.is_file() else []
            names = {alias.name for alias in node.names}
            lines += [line for line, constant, _ in definitions if constant in names]
    return lines


ROWS = [(group, route) for group in wiring.groups() for route in group.routes]
# The generated list of the client's methods explains no row.
PAGES = {
    file.name: file.read_text() for file in files("*.md", under=ROOT / "docs/api") if file.name != "client-methods.md"
}
TESTS = "\n".join(_with_constants(file.read_text()) for file in files("test_*.py", under=ROOT / "tests/api"))


def title(group: Group, route: Route) -> str:
    return f"{route.method} {group.prefix}{route.path}"


def offenders(is_offender: Callable[[Group, Route], bool]) -> list[str]:
    return [title(*row) for row in ROWS if is_offender(*row)]


def test_every_row_has_a_known_scope() -> None:
    assert offenders(lambda _, route: route.scope not in {*SCOPES, SERVER_SCOPE}) == []


def test_reading_needs_the_scope_to_read_and_everything_else_the_scope_to_write() -> None:
    assert offenders(lambda group, route: route.scope != _expected_scope(group, route)) == []


def test_every_row_has_a_method_and_a_path_in_house_style() -> None:
    assert offenders(lambda _, route: route.method not in METHODS or not _STYLE.fullmatch(route.path)) == []


def test_every_summary_begins_like_a_sentence_and_has_no_full_stop() -> None:
    assert offenders(lambda _, route: not re.fullmatch(r"[A-Z].*[^.\s]", route.summary)) == []


def test_every_row_says_what_it_answers() -> None:
    assert offenders(lambda _, route: not (route.answer.view or route.answer.message)) == []
    assert offenders(lambda _, route: route.answer.status not in (200, 201)) == []


def test_every_row_is_named_in_the_docs() -> None:
    missing = offenders(lambda group, route: not _is_in_docs(group, route))
    assert not missing, f"Add a curl and its answer to a page in docs/api for {missing}."


def test_every_row_has_a_test() -> None:
    missing = offenders(lambda _, route: not _is_tested(route))
    assert not missing, f"No test in tests/api calls {missing}."


def test_no_two_rows_share_a_method_and_a_path() -> None:
    assert _twice(title(*row) for row in ROWS) == []


def test_every_row_is_found_by_the_words_of_its_group() -> None:
    router = wiring.router()
    handlers = [router.find(route.method, _example(group, route))[0].handler for group, route in ROWS]
    assert handlers == [route.handler for _, route in ROWS]


def test_no_two_rows_share_a_handler_name_which_is_their_name_in_openapi() -> None:
    assert _twice(route.handler.__name__ for _, route in ROWS) == []


def test_every_group_has_a_name_and_a_sentence() -> None:
    silent = [group.prefix for group in wiring.groups() if not group.name or not group.description.endswith(".")]
    assert silent == []


def _example(group: Group, route: Route) -> str:
    return group.prefix + re.sub(r"\{\w+\}", "1", route.path)


def _expected_scope(group: Group, route: Route) -> str:
    if group.prefix == GAME:
        return SERVER_SCOPE
    is_reading = route.method == "GET" or (route.method, route.path) in READING_POSTS
    return f"{_scope_group(group, route)}:{'read' if is_reading else 'write'}"


def _is_in_docs(group: Group, route: Route) -> bool:
    pattern = re.compile(rf"{route.method} ({group.prefix})?{re.escape(route.path)}(?![\w/{{-])")
    return any(pattern.search(page) for page in PAGES.values())


def _is_tested(route: Route) -> bool:
    path = re.sub(r"\\\{\w+\\\}", lambda _: _VALUE, re.escape(route.path))
    return re.search(rf"{path}(?=[\"'?\s{{])", TESTS) is not None


def _scope_group(group: Group, route: Route) -> str:
    if group.prefix == STORE:
        return "store"
    assert group.prefix == EXTERNAL, f"The prefix {group.prefix} is new: say here which scope its routes need."
    first = route.path.split("/")[1]
    return OTHER_GROUPS.get(first, first)


def _twice(names: object) -> list[str]:
    assert hasattr(names, "__iter__")
    return [name for name, count in Counter(names).items() if count > 1]
