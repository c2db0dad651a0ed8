"""The second factor: how it is turned on, what it asks for, and what turns it off."""

from __future__ import annotations

import pytest

from lootkeep.domain.accounts import TOTP_SETUP_LIFETIME, TOTP_STEP_SECONDS, accepted_step, totp_code
from lootkeep.kernel.clock import MINUTE, SECOND, Instant
from lootkeep.services import sign_in as sign_in_service
from tests.console.visits import PASSWORD, Visitor, code_of, first_owner, offered, signs_in, turn_on_totp, visitor
from tests.world import World

# RFC 6238, appendix B: the secret "12345678901234567890", six digits.
SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


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
    found = await offered(visits)
    good = {"setup": found["setup"], "code": code_of(world, found["secret"]), "own_password": PASSWORD}
    owner, until, _ = found["setup"].split(":")
    chosen = {"setup": f"{owner}:{until}:{SECRET}.{found['setup'].rpartition('.')[2]}", "code": code_of(world, SECRET)}
    wrong = ({"own_password": "a guess"}, {"code": "000000"}, chosen, {"setup": SECRET} | chosen, {"setup": "!!!"})
    for form in wrong:
        world.clock.advance(MINUTE)
        good["code"] = code_of(world, found["secret"])
        assert (await visits.post("/account/totp", **(good | form))).status_code == 422, form
    world.clock.advance(TOTP_SETUP_LIFETIME)
    late = good | {"code": code_of(world, found["secret"])}
    assert (await visits.post("/account/totp", **late)).status_code == 422
    assert (await signs_in(world))[0] == 303


async def test_the_secret_stays_the_same_when_the_code_was_wrong(world: World) -> None:
    visits = await first_owner(world)
    found = await offered(visits)
    answer = await visits.post("/account/totp", setup=found["setup"], code="000000", own_password=PASSWORD)
    assert (answer.status_code, found["secret"] in answer.text) == (422, True)


async def test_a_secret_that_was_shown_to_one_user_is_not_one_for_another(world: World) -> None:
    visits = await first_owner(world)
    found = await offered(await visitor(world, "staff"))
    form = {"setup": found["setup"], "code": code_of(world, found["secret"]), "own_password": PASSWORD}
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
    secret, setup = sign_in_service.offer_totp(world.deps, 1)
    form = {"setup": setup, "code": code_of(world, secret), "own_password": PASSWORD}
    assert (await protected.post("/account/totp", **form)).status_code == 422
    assert (await signs_in(world))[0] == 422


async def test_guesses_at_the_password_of_a_signed_in_browser_are_limited(world: World, protected: Visitor) -> None:
    guesses = [await protected.post("/account/totp/stop", own_password=f"guess {number}") for number in range(6)]
    assert [page.status_code for page in guesses] == [422] * 5 + [429]
    passwords = {"password": "another long password", "repeated": "another long password"}
    assert (await protected.post("/account/password", current=PASSWORD, **passwords)).status_code == 429
