"""Signing in by the word of a proxy: from its address alone, whatever else a client sends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lootkeep.domain.roles import PRESETS
from lootkeep.domain.trusted_proxy import TrustedProxy
from lootkeep.kernel.errors import StartupError
from lootkeep.services import users as users_service
from lootkeep.settings import Settings
from lootkeep.wiring import check_settings
from tests.cli.terminal import SECONDS, Serving, environment, served, start
from tests.console.visits import EMAIL, PASSWORD, SUPPORT, Visitor, first_owner, logged, signs_in, token, visitor
from tests.world import World

PROXY, STRANGER = "10.0.0.5", "198.51.100.7"
SETTINGS: dict[str, Any] = {"proxy_auth_header": "Remote-Email", "proxy_auth_networks": "10.0.0.0/28, 2001:db8::5/128"}
GROUPS: dict[str, Any] = {
    "proxy_auth_groups_header": "Remote-Groups",
    "proxy_auth_roles": "admins=owner; helpers=Support",
}


@pytest.fixture
def shop(world: World) -> World:
    return World(world.db, clock=world.clock, **SETTINGS)


async def through(shop: World, email: str = EMAIL, ip: str = PROXY, **headers: str) -> Visitor:
    visits = await visitor(shop, None, ip)
    visits.http.headers.update({"Remote-Email": email} | headers)
    return visits


async def is_in(visits: Visitor, path: str = "/account") -> bool:
    answer = await visits.get(path, follow_redirects=True)
    return answer.url.path == f"/console{path}"


async def test_whom_the_proxy_names_is_signed_in_and_led_to_the_page(shop: World) -> None:
    await first_owner(shop)
    visits = await through(shop, EMAIL.upper())
    answer = await visits.get("/orders?status=paid", follow_redirects=True)
    assert (answer.status_code, answer.url.path, answer.url.query) == (200, "/console/orders", b"status=paid")
    assert ("Signed in", [("method", None, "proxy")]) in await logged(shop)
    # Once: the cookie does the rest.
    assert (await visits.get("/account")).status_code == 200


@pytest.mark.parametrize("ip", [STRANGER, "10.0.0.16", "127.0.0.1", "2001:db8::6", "::ffff:198.51.100.7"])
async def test_from_any_other_address_the_header_is_ignored(shop: World, ip: str) -> None:
    await first_owner(shop)
    visits = await through(shop, ip=ip, **{"X-Forwarded-For": PROXY, "X-Real-IP": PROXY, "Forwarded": f"for={PROXY}"})
    assert (await visits.get("/account")).headers["location"].startswith("/console/sign-in?next=")
    answer = await visits.get("/sign-in/proxy")
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/sign-in")
    assert not await is_in(visits)


@pytest.mark.parametrize("ip", ["::ffff:10.0.0.5", "2001:db8::5"])
async def test_the_proxy_may_have_an_address_of_the_other_kind(shop: World, ip: str) -> None:
    await first_owner(shop)
    assert await is_in(await through(shop, ip=ip))


@pytest.mark.parametrize(
    "headers",
    [
        [("Remote-Email", EMAIL), ("Remote-Email", EMAIL)],
        [("Remote-Email", EMAIL), ("remote-email", "bo@store.example")],
        [("Remote_Email", EMAIL)],
        [("REMOTE_EMAIL", EMAIL)],
        [("Remote-Email", "")],
        [("X-Remote-Email", EMAIL)],
    ],
)
async def test_a_header_that_a_client_smuggled_in_signs_nobody_in(shop: World, headers: list[tuple[str, str]]) -> None:
    await first_owner(shop)
    visits = await visitor(shop, None, PROXY)
    visits.http.headers = httpx.Headers([*visits.http.headers.items(), *headers])
    assert not await is_in(visits)
    assert [action for action, _ in await logged(shop)].count("Signed in") == 0


@pytest.mark.parametrize("email", ["eve@store.example", f"{EMAIL}, eve@store.example", "' OR 1=1 --", "\xff"])
async def test_who_has_no_account_is_refused_and_may_use_the_password(shop: World, email: str) -> None:
    await first_owner(shop)
    visits = await visitor(shop, None, PROXY)
    visits.http.headers = httpx.Headers([(b"Remote-Email", email.encode("latin-1"))])
    page = await visits.get("/account", follow_redirects=True)
    assert (page.url.path, "you have no account here" in page.text) == ("/console/sign-in", True)
    assert ("Failed to sign in", [("wrong", None, "no_account")]) in await logged(shop, "user:unknown")


async def test_when_someone_else_signs_in_at_the_proxy_the_session_of_before_ends(shop: World) -> None:
    await first_owner(shop)
    by = PRESETS["owner"]
    await users_service.invite(shop.deps, "bo@store.example", "Bo", "read_only", by)
    visits = await through(shop)
    assert await is_in(visits, "/users")
    before = httpx.Cookies(visits.http.cookies)
    visits.http.headers["Remote-Email"] = "bo@store.example"
    assert "Bo" in (await visits.get("/account", follow_redirects=True)).text
    thief = await visitor(shop, None)
    thief.http.cookies = before
    assert not await is_in(thief)


async def test_forms_need_their_token_also_behind_the_proxy(shop: World) -> None:
    await first_owner(shop)
    visits, other = await through(shop), await through(shop)
    assert await is_in(visits)
    good = {"token": token(await visits.get("/account")), "name": "Support", "scopes": "orders:read"}
    # A form of another site has no cookie of the console: nothing is changed, and nobody is signed in by it.
    answer = await other.http.post("/console/roles/new", data=good)
    assert answer.headers["location"].startswith("/console/sign-in/proxy?next=")
    forged = [{"token": "0" * 32}, {"token": token(await (await visitor(shop, "owner")).get("/account"))}]
    answers = [await visits.http.post("/console/roles/new", data=good | form) for form in forged]
    assert [answer.status_code for answer in answers] == [403, 403]
    assert (await visits.http.post("/console/roles/new", data=good)).status_code == 303


async def test_who_signs_out_stays_out_until_they_open_a_page(shop: World) -> None:
    await first_owner(shop)
    visits = await through(shop)
    assert await is_in(visits)
    assert (await visits.post("/sign-out", on="/account")).headers["location"] == "/console/sign-in"
    page = await visits.get("/sign-in")
    assert "You are signed out." in page.text
    assert "/console/sign-in/proxy" in page.text
    assert await is_in(visits)


async def test_groups_of_the_proxy_decide_the_role(world: World) -> None:
    shop = World(world.db, clock=world.clock, **SETTINGS, **GROUPS)
    await first_owner(shop)
    await users_service.create_role(shop.deps, SUPPORT)
    visits = await through(shop, "bo@store.example", **{"Remote-Groups": "users, helpers"})
    assert await is_in(visits, "/tickets")
    assert (await visits.get("/orders")).status_code == 403
    chief = await through(shop, "cy@store.example", **{"Remote-Groups": "helpers,admins"})
    assert await is_in(chief, "/users")
    for groups in ({}, {"Remote-Groups": "users"}, {"Remote_Groups": "admins"}):
        nobody = await through(shop, "eve@store.example", **groups)
        assert "none of your groups" in (await nobody.get("/account", follow_redirects=True)).text


async def test_the_link_of_the_first_start_works_behind_the_proxy(shop: World) -> None:
    assert "no account here" in (await (await through(shop)).get("/account", follow_redirects=True)).text
    await first_owner(shop)
    assert await is_in(await through(shop))


async def test_passwords_can_be_switched_off_behind_a_proxy(world: World) -> None:
    await first_owner(world)
    only = World(world.db, clock=world.clock, **SETTINGS, password_sign_in=False)
    page = (await (await visitor(only, None)).get("/sign-in")).text
    assert ('type="password"' in page, "data-passkey" in page, "through the proxy" in page) == (False, False, True)
    assert await is_in(await through(only))
    assert (await signs_in(world, PASSWORD))[0] == 303


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({"proxy_auth_header": "Remote-Email"}, "LOOTKEEP_PROXY_AUTH_NETWORKS"),
        (SETTINGS | {"proxy_auth_groups_header": "Remote-Groups"}, "LOOTKEEP_PROXY_AUTH_ROLES"),
        ({"password_sign_in": False}, "LOOTKEEP_PROXY_AUTH_HEADER"),
    ],
)
def test_the_service_does_not_start_with_half_of_it(settings: dict[str, Any], missing: str) -> None:
    with pytest.raises(StartupError, match=missing):
        check_settings(Settings(_env_file=None, **settings))


def test_an_address_that_is_none_is_not_trusted() -> None:
    proxy = TrustedProxy("Remote-Email", Settings(_env_file=None, **SETTINGS).proxy_auth_networks)
    assert [proxy.email(peer, [(b"remote-email", b"a@b.c")]) for peer in ("", "unix", PROXY)] == [None, None, "a@b.c"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    """Its proxy is at 127.0.0.2; 127.0.0.1 may say for whom it asks, as every proxy on the same machine."""
    settings = SETTINGS | {"proxy_auth_networks": "127.0.0.2/32", "log_level": "warning"}
    with served(start(tmp_path, environment(settings), "serve", "--port", "0")) as server:
        yield server


def test_the_address_of_the_connection_counts_whatever_is_forwarded(server: Serving) -> None:
    owner = {"Remote-Email": "owner@lootkeep.local", "X-Forwarded-For": "127.0.0.2"}
    for local, path in (("127.0.0.2", "/console/sign-in/proxy"), ("127.0.0.1", "/console/sign-in")):
        transport = httpx.HTTPTransport(local_address=local)
        with httpx.Client(transport=transport, base_url=server.url, timeout=SECONDS) as http:
            location = http.get("/console/account", headers=owner).headers["location"]
        assert location.partition("?")[0] == path


@pytest.mark.parametrize("settings", [SETTINGS, SETTINGS | GROUPS], ids=["without groups", "with groups"])
async def test_who_is_disabled_stays_out_until_a_new_link_is_used(world: World, settings: dict[str, Any]) -> None:
    shop = World(world.db, clock=world.clock, **settings)
    owner = await first_owner(shop)
    user_id, _ = await users_service.invite(shop.deps, "bo@store.example", "Bo", "owner", PRESETS["owner"])
    groups = {"Remote-Groups": "admins"}
    assert await is_in(await through(shop, "bo@store.example", **groups))
    assert (await owner.post(f"/users/{user_id}/disable", on=f"/users/{user_id}", confirmed="yes")).status_code == 303
    visits = await through(shop, "bo@store.example", **groups)
    assert "Your account in this console is disabled." in (await visits.get("/account", follow_redirects=True)).text
    assert "Disabled" in (await owner.get("/users")).text
    link = await users_service.make_link(shop.deps, user_id, PRESETS["owner"])
    form = {"link": link, "password": PASSWORD, "repeated": PASSWORD}
    stranger = await visitor(shop, None)
    assert (await stranger.post("/setup", on=f"/setup?token={link}", **form)).status_code == 303
    assert await is_in(await through(shop, "bo@store.example", **groups))
