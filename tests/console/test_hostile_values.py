"""Every row of PAGES, sent what no browser should send: in its path, its query, its form and its headers."""

from __future__ import annotations

import inspect
import re
from types import ModuleType
from urllib.parse import quote

import pytest

from lootkeep.console import lists, pages
from lootkeep.console.page import PREFIX
from tests.console.visits import path_of, token, visitor
from tests.world import World

HOSTILE = {
    "5000 digits": "1" * 5000,
    "20 digits": "1" + "0" * 19,
    "a superscript": "²",
    "a negative number": "-1",
    "NUL": "a\0b",
    # Half of a pair in UTF-16, as UTF-8 must not write it.
    "a lone surrogate": "%ED%A0%80",
    "the last day": "9999-12-31",
    "the first day": "0001-01-01",
    "a page far away": str(10**18 - 1),
    "marks": "!!!",
}
# What one database could take differently than the other; the rest is refused before either is asked.
FOR_DATABASES = ("20 digits", "NUL", "a lone surrogate", "the last day", "the first day", "a page far away")
CASES = [*(("sqlite", name) for name in HOSTILE), *(("postgresql", name) for name in FOR_DATABASES)]
each_case = pytest.mark.parametrize(("db_location", "name"), CASES, indirect=["db_location"])
ENCODED = {name: value if value.startswith("%") else quote(value) for name, value in HOSTILE.items()}
ROWS = [(area, page) for area in pages.AREAS for page in area.PAGES]
_QUERY = re.compile(r'query\.get\("(\w+)"|"(\w+)" in visit\.query')
_FORM = re.compile(r'(?:form\.get|visit\.text|Field)\(\s*"(\w+)"|form\["(\w+)"\]')


def read_names(pattern: re.Pattern[str], *modules: ModuleType) -> set[str]:
    """The parameters that the code of these areas reads."""
    source = "".join(inspect.getsource(module) for module in modules)
    return {name for names in pattern.findall(source) for name in names if name}


def queries(area: ModuleType) -> list[set[str]]:
    """The days alone, then the rest: one that is wrong hides those that are read after it."""
    linked = {name for spec in vars(area).values() if isinstance(spec, lists.ListPage) for name in spec.linked}
    others = {"search", "record", "whole"} | linked | read_names(_QUERY, area, lists)
    names = sorted(others - {"from", "to"})
    return [{"from"}, {"to"}, {"from", "to"}, *({*names[start::3]} for start in range(3))]


def fields(area: ModuleType) -> list[set[str]]:
    """The version alone, then the rest but the token; a form says everything that is wrong with it."""
    return [{"version"}, {"kept"} | read_names(_FORM, area) - {"token"}]


def encoded(names: set[str], value: str) -> str:
    return "&".join(f"{name}={value}" for name in sorted(names))


@each_case
async def test_no_path_causes_an_internal_error(store: World, name: str) -> None:
    people = [await visitor(store, None), await visitor(store, "owner")]
    for page in (page for _, page in ROWS if "{" in page.path):
        path = PREFIX + re.sub(r"{\w+}", ENCODED[name], page.path)
        answers = [await person.http.request(page.method, path) for person in people]
        assert {answer.status_code for answer in answers} <= {303, 403, 404, 405}, page.path


@each_case
async def test_no_query_causes_an_internal_error(store: World, name: str) -> None:
    owner = await visitor(store, "owner")
    for area, page in ROWS:
        for names in queries(area) if page.method == "GET" else ():
            answer = await owner.get(f"{path_of(page)}?{encoded(names, ENCODED[name])}")
            assert answer.status_code in (200, 303, 404, 422), (page.path, names)


@each_case
async def test_no_form_causes_an_internal_error(store: World, name: str) -> None:
    for area, page in ROWS:
        for names in fields(area) if page.method == "POST" else ():
            person = await visitor(store, "owner" if page.scope else None)
            key = token(await person.get("/search" if page.scope else "/sign-in"))
            body = f"token={key}&confirmed=yes&{encoded(names, ENCODED[name])}"
            answer = await person.http.post(PREFIX + path_of(page), content=body)
            assert answer.status_code in (200, 303, 404, 409, 422, 429), (page.path, names)


@pytest.mark.parametrize("header", ["Host", "Origin", "Referer", "Cookie", "Content-Length", "User-Agent"])
async def test_no_header_causes_an_internal_error(store: World, header: str) -> None:
    for value in ("http://[", "²", "1" * 5000, "lootkeep=²; lootkeep-message=²", "-1"):
        for person in (await visitor(store, None), await visitor(store, "owner")):
            for method, path in (("GET", ""), ("GET", "/sign-in"), ("POST", "/sign-in"), ("POST", "/orders/1/cancel")):
                headers = {header.encode(): value.encode()}
                answer = await person.http.request(method, PREFIX + path, headers=headers, content=b"")
                assert answer.status_code < 500, (method, path, value[:20])
