"""Every row of PAGES against every role, also one with a single scope, and the rules for all pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import httpx

from lootkeep.console.page import PREFIX, Page, row_path
from lootkeep.console.pages import PAGES
from lootkeep.console.render import ASSETS
from lootkeep.domain.access import SCOPES
from lootkeep.domain.roles import PRESETS, ROLE_SCOPES, Scope
from tests.conftest import only_sqlite
from tests.console.visits import MAIL, MAX_PAGE_BYTES, Visitor, path_of, token, visitor
from tests.world import World

# Nobody, the presets, and a role with nothing but this scope.
ROLES: tuple[str | None, ...] = (None, "read_only", "staff", "owner", *ROLE_SCOPES)
STORE_SCOPES = ("store:read", "store:write", "store:import")
GETS = [page for page in PAGES if page.method == "GET"]
# Attributes with an address outside the console; those that hold text load nothing.
ELSEWHERE = re.compile(r"""([\w-]+)=["']?\s*(?:https?:)?//""")
LINK = re.compile(rf'<a[^>]* href="{PREFIX}([^"?#]*)')
ONLY_TEXT = {"value", "placeholder", "data-stored"}
MAX_ASSET_BYTES = 70_000
# The areas that no line of main_paths.txt begins in, what walks them, and how it names what it does there.
WALKED_BY = {
    "account": ("test_staff_in_a_browser.py", "/console/account"),
    "bulk": ("test_every_page_in_a_browser.py", "a_bulk_action"),
    "deliveries": ("main_paths.txt", "? What it carries | Send again"),
    "palette": ("test_console_in_a_browser.py", "opens_the_palette"),
    "payments": ("test_payments_in_a_browser.py", "/console/payments"),
    "roles": ("main_paths.txt", "| Make a role"),
    "setup": ("test_every_page_in_a_browser.py", "/console/setup"),
    "sign-in": ("test_every_page_in_a_browser.py", "/console/sign-in"),
}


def expected(page: Page, role: str | None) -> str:
    if page.scope is None:
        return "open"
    if role is None:
        return "to the sign-in"
    scopes = PRESETS[role].scopes if role in PRESETS else {role}
    return "open" if page.scope in {*scopes, "account"} else "forbidden"


async def outcome(visits: Visitor, page: Page) -> str:
    """Whether the page is open: a change is, when only the form's token is missing."""
    answer = await visits.http.request(page.method, PREFIX + path_of(page))
    if answer.status_code == 303 and "/sign-in?next=" in answer.headers["location"]:
        return "to the sign-in"
    if answer.status_code == 403 and "needs the scope" in answer.text:
        return "forbidden"
    is_stopped_by_token = answer.status_code == 403 and "not sent from the console" in answer.text
    is_shown = page.method == "GET" and answer.status_code in (200, 303, 422)
    return "open" if is_stopped_by_token or is_shown else f"{answer.status_code}: {answer.text}"


# Roles are the same on both engines; the owner sees every page on each of them below.
@only_sqlite
async def test_every_page_is_open_only_to_roles_with_the_scope_of_its_row(store: World) -> None:
    for role in ROLES:
        visits = await visitor(store, role)
        outcomes = {(page.method, page.path): await outcome(visits, page) for page in PAGES}
        assert outcomes == {(page.method, page.path): expected(page, role) for page in PAGES}, role


@only_sqlite
async def test_no_link_leads_to_a_page_that_the_role_may_not_open(store: World) -> None:
    scopes = {page.path: page.scope for page in GETS}
    for role in ROLES[1:]:
        visits = await visitor(store, role)
        for page in GETS:
            if expected(page, role) == "open" and page.path != MAIL:
                linked = {row_path(path) for path in LINK.findall((await visits.get(path_of(page))).text)}
                may = {*PRESETS[role].scopes} if role in PRESETS else {role}
                closed = {path for path in linked if scopes.get(path) not in {*may, "account", None}}
                assert closed == set(), (role, page.path)


async def test_every_page_names_a_scope_that_exists_and_only_signing_in_needs_none() -> None:
    assert {page.path for page in PAGES if page.scope is None} == {
        "/sign-in",
        "/sign-in/openid",
        "/sign-in/openid/callback",
        "/sign-in/passkey",
        "/sign-in/proxy",
        "/setup",
    }
    assert set(get_args(Scope)) == {*ROLE_SCOPES, "account", "owner"}
    assert {scope for scope in SCOPES if scope not in ROLE_SCOPES} == {*STORE_SCOPES, "events:read", "metrics:read"}


def test_the_main_path_of_every_area_is_walked_in_a_browser() -> None:
    tests = Path(__file__).parent
    lines = (tests / "main_paths.txt").read_text().splitlines()
    begun = {line.partition(":")[0].split("/")[1] for line in lines if line.startswith("/")}
    assert {page.path.split("/")[1] for page in GETS if page.path} - begun == WALKED_BY.keys()
    assert [area for area, (name, words) in WALKED_BY.items() if words not in (tests / name).read_text()] == []


async def test_no_get_changes_anything_and_every_change_needs_more_than_read_access() -> None:
    own = ("/account", "/sign")
    changes = [page for page in PAGES if page.method != "GET" and page.scope is not None]
    assert {page.method for page in PAGES} <= {"GET", "POST"}
    reading = {*PRESETS["read_only"].scopes, "account"}
    assert [page.path for page in changes if page.scope in reading and not page.path.startswith(own)] == []


async def test_every_page_is_small_is_not_stored_and_loads_nothing_from_elsewhere(store: World) -> None:
    visits = await visitor(store, "owner")
    for page in (page for page in GETS if page.path != MAIL):
        answer = await visits.get(path_of(page))
        assert answer.headers["cache-control"] == "no-store", page.path
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert len(answer.content) < MAX_PAGE_BYTES, page.path
        assert not re.search(r"<script(?! src=\"/console/)|<style| style=| on[a-z]+=\"", answer.text), page.path
        assert set(ELSEWHERE.findall(answer.text)) <= ONLY_TEXT, page.path


async def test_the_stylesheet_and_the_script_are_small(store: World) -> None:
    # Buyers' pages have a sheet of their own, which no page of the console loads.
    assert sum(len(body) for name, (_, body) in ASSETS.items() if name != "buyer.css") < MAX_ASSET_BYTES
    visits = await visitor(store, None)
    sheet = await visits.get("/static/console.css")
    assert (sheet.status_code, sheet.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert (await visits.get("/static/nothing.css")).status_code == 404


async def test_the_navigation_has_only_permitted_pages_and_highlights_the_current_one(store: World) -> None:
    page = await (await visitor(store, "read_only")).get("/orders/1")
    assert re.findall(r'href="([^"]+)" aria-current="page"', page.text) == ["/console/orders"]
    rows = [row for row in PAGES if row.group is not None and row.scope in {*PRESETS["read_only"].scopes, "account"}]
    assert all(f'href="{PREFIX}{row.path}"' in page.text for row in rows)


async def test_an_unknown_page_says_so_and_the_root_leads_to_the_console(store: World) -> None:
    visits = await visitor(store, "staff")
    missing = [await visits.get(path) for path in ("/nothing", "/orders/999", f"/orders/{2**63}", "/orders/x")]
    assert [answer.status_code for answer in missing] == [404] * 4
    assert (await store.http.get("/")).headers["location"] == PREFIX


# Forms


async def _post(visits: Visitor, form: dict[str, str], **headers: str) -> httpx.Response:
    return await visits.http.post(f"{PREFIX}/orders/1/fulfill", data=form, headers=headers)


async def test_a_form_without_its_token_or_from_another_site_changes_nothing(store: World) -> None:
    visits = await visitor(store, "staff")
    good = {"token": token(await visits.get("/orders/1"))}
    other = {"token": token(await (await visitor(store, "owner")).get("/orders/1"))}
    refused = [
        await _post(visits, {}),
        await _post(visits, {"token": "0" * 32}),
        await _post(visits, other),
        await _post(visits, good, Origin="https://evil.example"),
        await _post(visits, good, Origin="null"),
        await _post(visits, good, **{"Sec-Fetch-Site": "cross-site"}),
        await _post(visits, good, **{"Sec-Fetch-Site": "same-site"}),
    ]
    assert [answer.status_code for answer in refused] == [403] * 7
    assert (await store.get("/orders/1")).json()["data"]["status"] == "paid"
    allowed = await _post(visits, good, Origin="http://store.test", **{"Sec-Fetch-Site": "same-origin"})
    assert allowed.status_code == 303
    assert (await store.get("/orders/1")).json()["data"]["status"] == "completed"


async def test_a_form_that_is_too_large_or_cannot_be_read_is_rejected(store: World) -> None:
    visits = await visitor(store, "staff")
    answers = [
        await visits.http.post(f"{PREFIX}/sign-out", content=body)
        for body in (b"a=" + b"x" * 2_000_000, b"a=%ff", b"&".join(b"a=1" for _ in range(2000)))
    ]
    assert [answer.status_code for answer in answers] == [422] * 3
