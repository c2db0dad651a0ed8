"""The second factor: how it is turned on, what it asks for, and what turns it off."""

from __future__ import annotations

import re

import httpx
import pytest

from lootkeep.domain.accounts import TOTP_SETUP_LIFETIME, TOTP_STEP_SECONDS, accepted_step, totp_code
from lootkeep.domain.attempts import FIRST_PAUSE
from lootkeep.kernel.clock import MINUTE, SECOND, Instant
from lootkeep.services import second_factor as second_factor_service
from lootkeep.services.attempts import PER_USER
from tests.console.visits import (
    EMAIL,
    PASSWORD,
    Visitor,
    code_of,
    first_owner,
    offered,
    signs_in,
    turn_on_totp,
    visitor,
)
from tests.world import World

# RFC 6238, appendix B: the secret "12345678901234567890", six digits.
SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
RECOVERY_CODE = re.compile(r"\b[a-z2-7]{5}-[a-z2-7]{5}\b")


@pytest.mark.parametrize(("seconds", "code"), [(59, "287082"), (1111111109, "081804"), (20000000000, "353130")])
def test_one_time_codes_match_the_rfc(seconds: int, code: str) -> None:
    assert totp_code(SECRET, seconds // TOTP_STEP_SECONDS) == code


def test_a_code_is_accepted_once_and_up_to_one_step_early_or_late() -> None:
    now = Instant(1_000_000_000 * SECOND)
    step = 1_000_000_000 // TOTP_STEP_SECONDS
    accepted = [accepted_step(SECRET, totp_code(SECRET, step + shift), now, None) for shift in (-2, -1, 0, 1, 2)]
    assert accepted == [None, step - 1, step, step + 1, None]
    assert accepted_step(SECRET, totp_code(SECRET, step), now, step) is None


async def test_a_second_factor_is_required_once_set_up_and_a_code_works_once(world: World) -> None:
    visits = await first_owner(world)
    secret = await turn_on_totp(world, visits)
    assert (await signs_in(world, code=code_of(world, secret)))[0] == 422
    world.clock.advance(MINUTE + SECOND)
    later = code_of(world, secret)
    assert [(await signs_in(world, code=given))[0] for given in ("", later, later)] == [422, 303, 422]
    world.clock.advance(MINUTE + SECOND)
    assert (await visits.post("/account/totp/stop", own_password=PASSWORD)).status_code == 303
    assert (await signs_in(world))[0] == 303


async def test_it_is_turned_on_only_with_the_password_and_the_code_of_a_secret_that_we_made(world: World) -> None:
    visits = await first_owner(world)
    setup = await offered(visits)
    good = {"setup": setup["setup"], "code": code_of(world, setup["secret"]), "own_password": PASSWORD}
    owner, until, _ = setup["setup"].split(":")
    chosen = {"setup": f"{owner}:{until}:{SECRET}.{setup['setup'].rpartition('.')[2]}", "code": code_of(world, SECRET)}
    wrong = ({"own_password": "a guess"}, {"code": "000000"}, chosen, {"setup": SECRET} | chosen, {"setup": "!!!"})
    for form in wrong:
        world.clock.advance(MINUTE)
        good["code"] = code_of(world, setup["secret"])
        assert (await visits.post("/account/totp", **(good | form))).status_code == 422, form
    world.clock.advance(TOTP_SETUP_LIFETIME)
    late = good | {"code": code_of(world, setup["secret"])}
    assert (await visits.post("/account/totp", **late)).status_code == 422
    assert (await signs_in(world))[0] == 303


async def test_the_secret_stays_the_same_when_the_code_was_wrong(world: World) -> None:
    visits = await first_owner(world)
    setup = await offered(visits)
    answer = await visits.post("/account/totp", setup=setup["setup"], code="000000", own_password=PASSWORD)
    assert (answer.status_code, setup["secret"] in answer.text) == (422, True)


async def test_a_secret_that_was_shown_to_one_user_is_not_one_for_another(world: World) -> None:
    visits = await first_owner(world)
    setup = await offered(await visitor(world, "staff"))
    form = {"setup": setup["setup"], "code": code_of(world, setup["secret"]), "own_password": PASSWORD}
    assert (await visits.post("/account/totp", **form)).status_code == 422


@pytest.fixture
async def protected(world: World) -> Visitor:
    """The owner, with a second factor."""
    visits = await first_owner(world)
    await turn_on_totp(world, visits)
    world.clock.advance(MINUTE + SECOND)
    return visits


async def test_the_second_factor_ends_only_with_the_password_and_that_is_logged(
    world: World, protected: Visitor
) -> None:
    assert "anyone who knows your password can sign in" in (await protected.get("/account")).text
    refused = [await protected.post("/account/totp/stop", **form) for form in ({}, {"own_password": "a guess"})]
    assert [(page.status_code, "This is not your current password." in page.text) for page in refused] == [
        (422, True)
    ] * 2
    assert (await signs_in(world))[0] == 422
    assert (await protected.post("/account/totp/stop", own_password=PASSWORD)).status_code == 303
    assert (await signs_in(world))[0] == 303
    log = (await protected.get("/audit?action=Turn off two-factor authentication")).text
    assert (log.count('<td class="changes">'), "Ada Park" in log) == (1, True)


async def test_a_browser_that_is_signed_in_cannot_replace_the_second_factor(world: World, protected: Visitor) -> None:
    secret, setup = second_factor_service.offer(world.deps, 1)
    form = {"setup": setup, "code": code_of(world, secret), "own_password": PASSWORD}
    assert (await protected.post("/account/totp", **form)).status_code == 422
    assert (await signs_in(world))[0] == 422


async def test_guesses_at_the_password_of_a_signed_in_browser_have_growing_pauses(
    world: World, protected: Visitor
) -> None:
    guesses = [await protected.post("/account/totp/stop", own_password=f"guess {number}") for number in range(6)]
    assert [page.status_code for page in guesses] == [422] * 5 + [429]
    passwords = {"password": "another long password", "repeated": "another long password"}
    assert (await protected.post("/account/password", current=PASSWORD, **passwords)).status_code == 429
    assert (await signs_in(world, password="guess"))[0] == 422


async def test_wrong_codes_have_growing_pauses_on_every_network(world: World, protected: Visitor) -> None:
    networks = [f"198.51.{number}.7" for number in range(PER_USER + 1)]
    answers = [(await signs_in(world, code="000000", ip=network))[0] for network in networks]
    assert answers == [422] * PER_USER + [429]
    world.clock.advance(FIRST_PAUSE)
    assert [(await signs_in(world, code="000000", ip="198.51.9.7"))[0] for _ in range(2)] == [422, 429]
    world.clock.advance(FIRST_PAUSE)
    assert (await signs_in(world, code="000000", ip="198.51.9.7"))[0] == 429


async def test_who_does_not_know_the_password_cannot_make_codes_wait(world: World) -> None:
    secret = await turn_on_totp(world, await first_owner(world))
    for number in range(PER_USER + 1):
        assert (await signs_in(world, password="a guess", code="000000", ip=f"198.51.{number}.7"))[0] == 422
    world.clock.advance(MINUTE)
    assert (await signs_in(world, code=code_of(world, secret)))[0] == 303


# Recovery codes


async def test_ten_recovery_codes_are_shown_once_and_each_signs_in_once(world: World) -> None:
    visits = await first_owner(world)
    await turn_on_totp(world, visits)
    codes = RECOVERY_CODE.findall((await renewed(visits)).text)
    assert len(set(codes)) == 10
    assert not RECOVERY_CODE.findall((await visits.get("/account")).text)
    typed = codes[0].upper().replace("-", " ")
    assert [(await signs_in(world, code=code))[0] for code in (typed, codes[0], codes[1])] == [303, 422, 303]
    assert "8 recovery codes left" in (await visits.get("/account")).text
    log = (await visits.get("/audit?action=Signed in with a recovery code")).text
    assert log.count('<td class="changes">') == 2
    stored = (await visits.get("/audit?format=csv")).text
    assert not any(code in stored for code in codes)


async def test_new_recovery_codes_need_the_password_and_replace_the_others(world: World) -> None:
    visits = await first_owner(world)
    await turn_on_totp(world, visits)
    old = RECOVERY_CODE.findall((await renewed(visits)).text)
    assert (await renewed(visits, "a guess")).status_code == 422
    new = RECOVERY_CODE.findall((await renewed(visits)).text)
    assert [(await signs_in(world, code=code))[0] for code in (old[0], new[0])] == [422, 303]


async def test_recovery_codes_end_with_the_second_factor(world: World, protected: Visitor) -> None:
    codes = RECOVERY_CODE.findall((await renewed(protected)).text)
    await protected.post("/account/totp/stop", own_password=PASSWORD)
    assert (await renewed(protected)).status_code == 404
    await turn_on_totp(world, protected)
    assert (await signs_in(world, code=codes[0]))[0] == 422


async def test_the_page_shows_a_qr_code_without_styles(world: World) -> None:
    page = (await (await first_owner(world)).get("/account")).text
    drawing = page.partition("<svg")[2].partition("</svg>")[0]
    assert "<path" in drawing
    assert "style" not in drawing


async def test_the_command_line_resets_the_second_factor_of_a_user(world: World, protected: Visitor) -> None:
    assert [await second_factor_service.reset(world.deps, EMAIL) for _ in range(2)] == [True, False]
    assert (await signs_in(world))[0] == 303
    assert "The command line" in (await protected.get("/audit?action=Reset the second factor")).text


async def renewed(visits: Visitor, password: str = PASSWORD) -> httpx.Response:
    return await visits.post("/account/recovery", own_password=password)
