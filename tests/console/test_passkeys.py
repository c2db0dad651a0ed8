"""Passkeys: added with the password, used alone or after it, and every answer that proves nothing."""

from __future__ import annotations

import re

import httpx
import pytest
from msgspec.structs import replace

from lootkeep.domain.attempts import FIRST_PAUSE
from lootkeep.domain.passkeys import CHALLENGE_LIFETIME, MAX_PASSKEYS, relying_party
from lootkeep.domain.roles import PRESETS
from lootkeep.kernel.clock import MINUTE, SECOND
from lootkeep.services import second_factor as second_factor_service, users as users_service
from lootkeep.services.attempts import PER_NETWORK, PER_USER
from lootkeep.storage.access import accounts as accounts_db
from tests.console.authenticator import SITE, Authenticator, adds, after_password, refused, same_password, uses
from tests.console.visits import EMAIL, PASSWORD, Visitor, first_owner, logged, signs_in, token, turn_on_totp, visitor
from tests.world import World

RECOVERY_CODE = re.compile(r"\b[a-z2-7]{5}-[a-z2-7]{5}\b")


@pytest.fixture
def shop(world: World) -> World:
    return World(world.db, clock=world.clock, public_url=SITE)


@pytest.fixture
async def owner(shop: World) -> Visitor:
    return await first_owner(shop)


@pytest.fixture
async def passkey(shop: World, owner: Visitor) -> Authenticator:
    """The owner's, which has not been used yet."""
    passkey = Authenticator()
    assert (await adds(owner, passkey)).status_code == 200
    shop.clock.advance(SECOND)
    passkey.count += 1
    return passkey


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://lootkeep.shop.example", "lootkeep.shop.example"),
        ("https://shop.example:8443", "shop.example"),
        ("http://localhost:8000", "localhost"),
        ("http://shop.example", None),
        ("http://127.0.0.1:8000", None),
        ("https://192.0.2.7", None),
        ("https://[2001:db8::1]", None),
    ],
)
def test_passkeys_work_over_https_with_a_host_name_and_on_localhost(url: str, host: str | None) -> None:
    party = relying_party(url)
    assert (party and (party.id, party.origin)) == (host and (host, url))


async def test_a_passkey_signs_in_alone_and_the_log_says_so(shop: World, passkey: Authenticator) -> None:
    visits = await visitor(shop, None)
    answer = await uses(visits, passkey, next="/console/tickets")
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/tickets"), answer.text
    assert (await visits.get("/account")).status_code == 200
    entries = await logged(shop)
    assert ("Add a passkey", [("passkey", None, "Laptop")]) in entries
    assert ("Signed in", [("method", None, "passkey")]) in entries


async def test_with_a_passkey_the_password_alone_is_not_enough(shop: World, passkey: Authenticator) -> None:
    visits, page = await after_password(shop)
    assert (await visits.get("/account")).status_code == 303
    # A security key without PIN is enough now.
    passkey.flags = 1
    assert (await uses(visits, passkey, page)).status_code == 303
    assert ("Signed in", [("method", None, "password and passkey")]) in await logged(shop)


async def test_a_passkey_without_fingerprint_or_pin_is_not_enough_alone(shop: World, passkey: Authenticator) -> None:
    passkey.flags = 1
    visits = await visitor(shop, None)
    await refused(visits, await uses(visits, passkey))


@pytest.mark.parametrize(
    "lie", [{"origin": "https://evil.example"}, {"host": "evil.example"}, {"flags": 4}, {"count": 1}, {"count": 0}]
)
async def test_an_answer_for_another_site_or_of_a_copied_authenticator_signs_nobody_in(
    shop: World, passkey: Authenticator, lie: dict[str, object]
) -> None:
    for name, value in lie.items():
        setattr(passkey, name, value)
    visits = await visitor(shop, None)
    await refused(visits, await uses(visits, passkey))
    assert ("Failed to sign in", [("wrong", None, "passkey")]) in await logged(shop, "user:unknown")


async def test_an_answer_to_the_challenge_of_another_browser_signs_nobody_in(
    shop: World, passkey: Authenticator
) -> None:
    visits, other = await visitor(shop, None), await visitor(shop, None)
    challenge = token(await other.get("/sign-in"))
    await refused(visits, await uses(visits, passkey, credential=passkey.signs(challenge)))
    answer = await uses(visits, passkey, token=challenge, credential=passkey.signs(challenge))
    assert answer.status_code == 403


async def test_an_answer_works_once(shop: World, passkey: Authenticator) -> None:
    # Many authenticators do not count.
    passkey.count = 0
    async with shop.db.write() as tx:
        row = (await accounts_db.PASSKEYS.find(tx))[0]
        await accounts_db.PASSKEYS.save(tx, row, replace(row, sign_count=0))
    visits, thief = await visitor(shop, None), await visitor(shop, None)
    page = await visits.get("/sign-in")
    thief.http.cookies = httpx.Cookies(visits.http.cookies)
    stolen = passkey.signs(token(page))
    assert (await uses(visits, passkey, page, credential=stolen)).status_code == 303
    await refused(thief, await uses(thief, passkey, page, credential=stolen, next="/console"))


async def test_a_challenge_expires(shop: World, owner: Visitor, passkey: Authenticator) -> None:
    visits = await visitor(shop, None)
    page, challenge = await visits.get("/sign-in"), token(await owner.get("/account"))
    shop.clock.advance(CHALLENGE_LIFETIME)
    await refused(visits, await uses(visits, passkey, page))
    late = Authenticator()
    answer = await adds(owner, late, token=challenge, credential=late.creates(challenge))
    assert (answer.status_code, "could not be verified" in answer.text) == (422, True)


async def test_a_passkey_that_nobody_added_or_of_another_key_signs_nobody_in(
    shop: World, passkey: Authenticator
) -> None:
    for stranger in (Authenticator(), Authenticator(id=passkey.id, count=9)):
        visits = await visitor(shop, None)
        await refused(visits, await uses(visits, stranger))


@pytest.mark.parametrize("credential", ["{}", "[]", "x", '{"id": 1}', '{"id": "\\u0000"}', "null"])
async def test_an_answer_that_is_none_is_refused(shop: World, passkey: Authenticator, credential: str) -> None:
    visits = await visitor(shop, None)
    await refused(visits, await uses(visits, passkey, credential=credential))


async def test_a_broken_answer_with_the_right_id_is_refused(shop: World, passkey: Authenticator) -> None:
    visits = await visitor(shop, None)
    page = await visits.get("/sign-in")
    good = passkey.signs(token(page))
    for old, new in (('"signature": "', '"signature": "AA'), ("public-key", "password"), ('Data": "', 'Data": "AA')):
        await refused(visits, await uses(visits, passkey, page, credential=good.replace(old, new)))
    none = await uses(visits, passkey, page, credential="")
    assert (none.status_code, "need JavaScript" in none.text) == (422, True)


async def test_after_a_password_only_a_passkey_of_that_user_counts(shop: World, passkey: Authenticator) -> None:
    by = PRESETS["owner"]
    _, link = await users_service.invite(shop.deps, "bo@store.example", "Bo", "staff", by)
    bo, own = await visitor(shop, None), Authenticator()
    passwords = {"password": PASSWORD, "repeated": PASSWORD}
    assert (await bo.post("/setup", on=f"/setup?token={link}", link=link, **passwords)).status_code == 303
    assert (await adds(bo, own)).status_code == 200
    shop.clock.advance(SECOND)
    own.count += 1
    visits, page = await after_password(shop)
    await refused(visits, await uses(visits, own, page))
    assert (await uses(visits, passkey, page)).status_code == 303


async def test_the_password_of_another_browser_or_of_long_ago_proves_nothing(
    shop: World, passkey: Authenticator
) -> None:
    passkey.flags = 1
    _, page = await after_password(shop)
    proof = re.findall(r'name="proof" value="([^"]+)"', page.text)[0]
    visits = await visitor(shop, None)
    await refused(visits, await uses(visits, passkey, proof=proof))
    visits, page = await after_password(shop)
    proof = re.findall(r'name="proof" value="([^"]+)"', page.text)[0]
    shop.clock.advance(CHALLENGE_LIFETIME)
    await refused(visits, await uses(visits, passkey, proof=proof))


async def test_wrong_answers_have_growing_pauses(shop: World, passkey: Authenticator) -> None:
    wrong = Authenticator(id=passkey.id)
    visits = await visitor(shop, None, "198.51.100.7")
    answers = [(await uses(visits, wrong)).status_code for _ in range(PER_NETWORK + 1)]
    assert answers == [422] * PER_NETWORK + [429]
    pages = [await after_password(shop, f"198.51.{number}.7") for number in range(PER_USER + 1)]
    second = [(await uses(browser, wrong, page)).status_code for browser, page in pages]
    assert second == [422] * PER_USER + [429]
    shop.clock.advance(FIRST_PAUSE)
    assert (await uses(await visitor(shop, None, "198.51.100.7"), passkey)).status_code == 303


async def test_it_is_added_only_with_the_password_and_an_answer_to_our_challenge(shop: World, owner: Visitor) -> None:
    passkey = Authenticator()
    wrong = [
        await adds(owner, passkey, passkey_password="a guess"),
        await adds(owner, passkey, credential=passkey.creates("another challenge")),
        await adds(owner, passkey, credential="{}"),
        await adds(owner, passkey, credential=""),
        await adds(owner, passkey, name=" "),
        await adds(owner, Authenticator(origin="https://evil.example")),
    ]
    assert [answer.status_code for answer in wrong] == [422] * 6
    async with shop.db.read() as tx:
        assert await accounts_db.PASSKEYS.find(tx) == []
    assert (await signs_in(shop))[0] == 303


async def test_a_passkey_is_added_once_and_a_user_has_a_limited_number(
    shop: World, owner: Visitor, passkey: Authenticator
) -> None:
    assert (await adds(owner, passkey, "Again")).status_code == 409
    more = [(await adds(owner, Authenticator(), f"Key {number}")).status_code for number in range(MAX_PASSKEYS)]
    assert more == [303] * (MAX_PASSKEYS - 1) + [422]


async def test_the_first_one_brings_recovery_codes_which_end_with_the_last(shop: World, owner: Visitor) -> None:
    codes = RECOVERY_CODE.findall((await adds(owner, Authenticator())).text)
    assert len(set(codes)) == 10
    assert not RECOVERY_CODE.findall((await adds(owner, Authenticator(), "Phone")).text)
    page = (await owner.get("/account")).text
    assert "requires a passkey. 10 recovery codes left" in page
    assert [(await signs_in(shop, code=code))[0] for code in (codes[0], codes[0], "000000")] == [303, 422, 422]
    removal = "/account/passkeys/{}/remove"
    assert (await owner.post(removal.format(1), passkey_password="a guess")).status_code == 422
    assert (await owner.post(removal.format(1), passkey_password=PASSWORD)).status_code == 303
    assert (await signs_in(shop, code=codes[1]))[0] == 303
    assert (await owner.post(removal.format(2), passkey_password=PASSWORD)).status_code == 303
    assert (await signs_in(shop))[0] == 303
    assert "recovery code" not in (await owner.get("/account")).text.partition("Sessions")[0].partition("Passkeys")[2]
    assert ("Remove a passkey", [("passkey", "Phone", None)]) in await logged(shop)


async def test_codes_of_an_app_and_passkeys_are_each_enough_and_end_alone(
    shop: World, owner: Visitor, passkey: Authenticator
) -> None:
    await turn_on_totp(shop, owner)
    shop.clock.advance(MINUTE)
    assert (await owner.post("/account/totp/stop", own_password=PASSWORD)).status_code == 303
    assert "10 recovery codes left" in (await owner.get("/account")).text
    visits, page = await after_password(shop)
    assert (await uses(visits, passkey, page)).status_code == 303


async def test_nobody_removes_the_passkey_of_someone_else(shop: World, passkey: Authenticator) -> None:
    other = await visitor(shop, "owner")
    await same_password(shop)
    assert (await other.post("/account/passkeys/1/remove", passkey_password=PASSWORD)).status_code == 404


@pytest.mark.parametrize("cause", ["reset", "link", "disable"])
async def test_what_ends_the_second_factor_ends_passkeys(
    shop: World, owner: Visitor, passkey: Authenticator, cause: str
) -> None:
    if cause == "reset":
        assert [await second_factor_service.reset(shop.deps, EMAIL) for _ in range(2)] == [True, False]
        assert (await signs_in(shop))[0] == 303
    elif cause == "link":
        await first_link(shop)
        assert (await signs_in(shop))[0] == 303
    else:
        by = PRESETS["owner"]
        await users_service.invite(shop.deps, "bo@store.example", "Bo", "owner", by)
        await same_password(shop)
        await users_service.disable(shop.deps, 1, by)
    visits = await visitor(shop, None)
    await refused(visits, await uses(visits, passkey))


async def first_link(shop: World) -> None:
    by = PRESETS["owner"]
    link = await users_service.make_link(shop.deps, 1, by)
    passwords = {"password": PASSWORD, "repeated": PASSWORD}
    visits = await visitor(shop, None)
    assert (await visits.post("/setup", on=f"/setup?token={link}", link=link, **passwords)).status_code == 303


async def test_over_plain_http_the_page_says_what_to_do(world: World) -> None:
    shop = World(world.db, clock=world.clock, public_url="http://shop.example")
    owner = await first_owner(shop)
    assert "only over https and with a host name" in (await owner.get("/account")).text
    assert (await adds(owner, Authenticator())).status_code == 422
    assert "data-passkey" not in (await (await visitor(shop, None)).get("/sign-in")).text


async def test_the_script_is_loaded_only_where_passkeys_are(shop: World, owner: Visitor) -> None:
    pages = [await owner.get(path) for path in ("/account", "/orders")]
    pages.append(await (await visitor(shop, None)).get("/sign-in"))
    assert ["static/passkeys.js" in page.text for page in pages] == [True, False, True]
