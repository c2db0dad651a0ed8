"""Signing in at an OpenID Connect provider: with a real one, and with one that lies."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from joserfc.jwk import OctKey

from lootkeep.domain.roles import PRESETS
from lootkeep.kernel.clock import HOUR, SECOND, ManualClock, instant
from lootkeep.services import users as users_service
from tests.console.providers import SETTINGS, LyingProvider, at_the_provider, leave, real_provider
from tests.console.visits import EMAIL, PASSWORD, SUPPORT, Visitor, first_owner, logged, signs_in, token, visitor
from tests.receiver import Receiver
from tests.world import World

UNPROVEN = "could not be verified"


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with real_provider(tmp_path_factory.mktemp("provider")) as url:
        yield url


@pytest.fixture
async def shop(world: World, issuer: str) -> AsyncIterator[World]:
    """A store whose people sign in at the real provider, in its time."""
    shop = World(world.db, clock=ManualClock(instant(datetime.now(UTC))), **SETTINGS, oidc_issuer=issuer)
    await users_service.create_role(shop.deps, SUPPORT)
    yield shop
    assert shop.deps.openid
    await shop.deps.openid.close()


@pytest.fixture
async def liar(world: World) -> AsyncIterator[tuple[World, LyingProvider]]:
    async with Receiver() as receiver:
        provider = LyingProvider(receiver)
        shop = World(world.db, clock=world.clock, **SETTINGS, oidc_issuer=provider.issuer)
        yield shop, provider
        assert shop.deps.openid
        await shop.deps.openid.close()


async def refused(visits: Visitor, path: str, sentence: str) -> None:
    """Leads back to the sign-in, which says the sentence, and nobody is signed in."""
    answer = await visits.get(path)
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/sign-in"), answer.text
    assert sentence in (await visits.get("/sign-in")).text
    assert (await visits.get("/account")).status_code == 303


async def test_someone_signs_in_at_a_real_provider_with_the_role_of_their_group(shop: World) -> None:
    visits = await visitor(shop, None)
    assert "Sign in with your provider" in (await visits.get("/sign-in")).text
    back = await at_the_provider(await leave(visits, "/console/tickets"), "bo")
    answer = await visits.get(back)
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/tickets"), answer.text
    assert "bo at the provider" in (await visits.get("/tickets")).text
    assert [(await visits.get(path)).status_code for path in ("/orders", "/users")] == [403, 403]
    assert await logged(shop, "user:2") == [("Signed in", [("method", None, "OpenID Connect")])]


async def test_the_role_follows_the_groups_but_the_last_owner_stays_one(shop: World) -> None:
    owner = await first_owner(shop)
    other = await visitor(shop, None)
    assert (await other.get(await at_the_provider(await leave(other), "bo"))).status_code == 303
    assert (await owner.post("/users/2/role", on="/users/2", role="staff")).status_code == 303
    assert (await other.get("/orders")).status_code == 200
    assert (await other.get(await at_the_provider(await leave(other), "bo"))).status_code == 303
    assert (await other.get("/orders")).status_code == 403
    # Ada is the owner here, and in no group of owners there.
    async with Receiver() as receiver:
        provider = LyingProvider(receiver)
        liar = World(shop.db, clock=shop.clock, **SETTINGS, oidc_issuer=provider.issuer)
        visits = await visitor(liar, None)
        back = provider.begin(await leave(visits), shop.clock.now() // SECOND, groups=["helpers"])
        assert (await visits.get(back)).status_code == 303
        assert (await visits.get("/users")).status_code == 200
        assert liar.deps.openid
        await liar.deps.openid.close()


async def test_who_is_disabled_stays_out_until_a_new_link_is_used(shop: World) -> None:
    owner, other = await first_owner(shop), await visitor(shop, None)
    assert (await other.get(await at_the_provider(await leave(other), "bo"))).status_code == 303
    assert (await owner.post("/users/2/disable", on="/users/2", confirmed="yes")).status_code == 303
    assert (await other.get("/tickets")).status_code == 303
    visits = await visitor(shop, None)
    await refused(visits, await at_the_provider(await leave(visits), "bo"), "is disabled")
    link = await users_service.make_link(shop.deps, 2, PRESETS["owner"])
    form = {"link": link, "password": PASSWORD, "repeated": PASSWORD}
    stranger = await visitor(shop, None)
    assert (await stranger.post("/setup", on=f"/setup?token={link}", **form)).status_code == 303
    assert (await visits.get(await at_the_provider(await leave(visits), "bo"))).headers["location"] == "/console"


@pytest.mark.parametrize(("login", "sentence"), [("eve", "none of your groups"), ("mallory", "that it is yours")])
async def test_who_has_no_group_or_no_address_of_their_own_is_refused(shop: World, login: str, sentence: str) -> None:
    visits = await visitor(shop, None)
    await refused(visits, await at_the_provider(await leave(visits), login), sentence)
    assert [action for action, _ in await logged(shop, "user:unknown")] == ["Failed to sign in"]


async def test_a_code_works_once_and_only_in_the_browser_that_began(shop: World) -> None:
    visits, other = await visitor(shop, None), await visitor(shop, None)
    back = await at_the_provider(await leave(visits), "ada")
    await refused(other, back, "another browser")
    await leave(other)
    await refused(other, back, "another browser")
    assert (await visits.get(back)).headers["location"] == "/console"
    assert "lootkeep-attempt" not in visits.http.cookies
    await visits.post("/sign-out", on="/account")
    await refused(visits, back, "another browser")


async def test_a_sign_in_that_took_too_long_is_refused(shop: World) -> None:
    visits = await visitor(shop, None)
    back = await at_the_provider(await leave(visits), "ada")
    shop.clock.advance(HOUR)
    await refused(visits, back, "too long ago")


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "/console/\\evil", "/consolex"])
async def test_a_sign_in_never_leads_to_another_site(liar: tuple[World, LyingProvider], target: str) -> None:
    world, provider = liar
    visits = await visitor(world, None)
    back = provider.begin(await leave(visits, target), world.clock.now() // SECOND)
    assert (await visits.get(back)).headers["location"] == "/console"


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"iss": "https://evil.example"},
        {"aud": "another-client"},
        {"aud": ["lootkeep", "another-client"]},
        {"azp": "another-client"},
        {"exp": 1},
        {"iat": 10**11},
        {"sub": None},
    ],
)
async def test_an_id_token_for_someone_or_something_else_signs_nobody_in(
    liar: tuple[World, LyingProvider], claims: dict[str, Any]
) -> None:
    world, provider = liar
    visits = await visitor(world, None)
    back = provider.begin(await leave(visits), world.clock.now() // SECOND, **claims)
    provider.claims = {name: value for name, value in provider.claims.items() if value is not None}
    await refused(visits, back, UNPROVEN)


@pytest.mark.parametrize("algorithm", ["none", "HS256", "another key"])
async def test_an_id_token_that_the_provider_did_not_sign_signs_nobody_in(
    liar: tuple[World, LyingProvider], algorithm: str
) -> None:
    world, provider = liar
    visits = await visitor(world, None)
    back = provider.begin(await leave(visits), world.clock.now() // SECOND)
    if algorithm == "another key":
        provider.key = LyingProvider(Receiver()).key
    else:
        provider.header, provider.key = {"alg": algorithm}, OctKey.import_key(SETTINGS["oidc_client_secret"])
    await refused(visits, back, UNPROVEN)


@pytest.mark.parametrize("document", [{"issuer": "https://evil.example"}, {"token_endpoint": 7}])
async def test_a_discovery_document_of_another_issuer_is_refused(
    liar: tuple[World, LyingProvider], document: dict[str, Any]
) -> None:
    world, provider = liar
    provider.document = document
    await refused(await visitor(world, None), "/sign-in/openid", UNPROVEN)


async def test_while_the_provider_is_down_people_sign_in_with_their_password(world: World) -> None:
    async with Receiver() as receiver:
        gone = receiver.url.removesuffix("/hook")
    shop = World(world.db, clock=world.clock, **SETTINGS, oidc_issuer=gone)
    await first_owner(shop)
    await refused(await visitor(shop, None), "/sign-in/openid", "cannot be reached")
    assert (await signs_in(shop))[0] == 303
    assert ("Signed in", [("method", None, "password")]) in await logged(shop, "user:1")


async def test_a_provider_in_a_private_network_is_reached_only_if_the_operator_says_so(world: World) -> None:
    async with Receiver() as receiver:
        provider = LyingProvider(receiver)
        settings = SETTINGS | {"oidc_allowed_networks": ""}
        shop = World(world.db, clock=world.clock, **settings, oidc_issuer=provider.issuer)
        await refused(await visitor(shop, None), "/sign-in/openid", "cannot be reached")
        assert receiver.connects == 0


async def test_passwords_can_be_switched_off(liar: tuple[World, LyingProvider]) -> None:
    world, provider = liar
    await first_owner(world)
    only = World(world.db, clock=world.clock, **SETTINGS, oidc_issuer=provider.issuer, password_sign_in=False)
    page = (await (await visitor(only, None)).get("/sign-in")).text
    assert 'type="password"' not in page
    early, late = await visitor(world, None), await visitor(only, None)
    form = {"token": token(await early.get("/sign-in")), "email": EMAIL, "password": PASSWORD}
    late.http.cookies = early.http.cookies
    answer = await late.http.post("/console/sign-in", data=form)
    assert (answer.status_code, "switched off" in answer.text) == (422, True)
