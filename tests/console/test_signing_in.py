"""Signing in: the first start, passwords, codes, sessions, and how often one may try."""

from __future__ import annotations

from lootkeep.domain.accounts import ABSOLUTE_LIMIT, IDLE_LIMIT
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant
from lootkeep.services import access as access_service, sign_in as sign_in_service
from lootkeep.storage import audit as audit_db
from tests.console.visits import EMAIL, PASSWORD, first_owner, signs_in, visitor
from tests.world import World


async def test_the_link_of_the_first_start_creates_the_owner_once(world: World) -> None:
    assert not await sign_in_service.is_set_up(world.deps)
    link = await sign_in_service.make_link(world.deps, None)
    visits = await visitor(world, None)
    page = await visits.get(f"/setup?token={link}")
    assert (page.status_code, "You are the owner" in page.text) == (200, True)
    fields = {"link": link, "name": "Ada", "email": EMAIL, "password": PASSWORD, "repeated": PASSWORD}
    assert (await visits.post("/setup", on=f"/setup?token={link}", **fields)).status_code == 303
    assert "Ada" in (await visits.get("")).text
    assert await sign_in_service.is_set_up(world.deps)
    again = await visitor(world, None)
    assert (await again.get(f"/setup?token={link}")).status_code == 422
    assert (await again.post("/setup", on="/sign-in", **fields)).status_code == 422


async def test_a_link_expires_after_a_day_and_a_newer_one_replaces_it(world: World) -> None:
    first, second = [await sign_in_service.make_link(world.deps, None) for _ in range(2)]
    visits = await visitor(world, None)
    assert (await visits.get(f"/setup?token={first}")).status_code == 422
    world.clock.advance(DAY - 1)
    assert (await visits.get(f"/setup?token={second}")).status_code == 200
    world.clock.advance(1)
    assert (await visits.get(f"/setup?token={second}")).status_code == 422


async def test_a_short_password_or_a_mismatch_is_reported_in_the_form(world: World) -> None:
    link = await sign_in_service.make_link(world.deps, None)
    visits = await visitor(world, None)
    fields = {"on": f"/setup?token={link}", "link": link, "name": "Ada", "email": EMAIL}
    short = await visits.post("/setup", **fields, password="short", repeated="short")
    assert (short.status_code, "at least 12 characters" in short.text) == (422, True)
    unlike = await visits.post("/setup", **fields, password=PASSWORD, repeated=PASSWORD + "x")
    assert (unlike.status_code, "not the same" in unlike.text) == (422, True)
    assert PASSWORD not in unlike.text


async def test_only_the_right_password_signs_in(world: World) -> None:
    await first_owner(world)
    right, visits = await signs_in(world, email=f" {EMAIL.upper()}")
    wrong, _ = await signs_in(world, password="something else entirely")
    unknown, _ = await signs_in(world, email="nobody@store.example")
    assert (right, wrong, unknown) == (303, 422, 422)
    assert (await visits.get("")).status_code == 200


async def test_the_cookie_is_new_with_each_sign_in_and_ends_with_the_sign_out(world: World) -> None:
    visits = await first_owner(world)
    before = visits.http.cookies["lootkeep"]
    await visits.post("/sign-out")
    assert "lootkeep" not in visits.http.cookies
    assert "You are signed out." in (await visits.get("/sign-in")).text
    old = await visitor(world, None)
    old.http.cookies.set("lootkeep", before, domain="store.test")
    assert (await old.get("")).status_code == 303
    answer = await old.post("/sign-in", on="/sign-in", email=EMAIL, password=PASSWORD)
    cookie = answer.headers["set-cookie"]
    assert before not in cookie
    assert all(part in cookie for part in ("HttpOnly", "SameSite=lax", "Path=/"))


async def test_the_cookie_is_secure_and_prefixed_over_https(world: World) -> None:
    visits = await visitor(world, None)
    answer = await visits.http.get("https://store.test/console/sign-in")
    assert answer.headers["set-cookie"].startswith("__Host-lootkeep=")
    assert "Secure" in answer.headers["set-cookie"]


async def test_signing_in_leads_to_the_requested_page_but_never_to_another_site(world: World) -> None:
    await first_owner(world)
    visits = await visitor(world, None)
    asked = await visits.get("/orders?status=paid")
    assert asked.headers["location"] == "/console/sign-in?next=/console/orders%3Fstatus%3Dpaid"
    targets = {}
    for target in ("/console/orders?status=paid", "https://evil.example", "//evil.example", "/console\\@evil"):
        fields = {"email": EMAIL, "password": PASSWORD, "next": target}
        world.clock.advance(MINUTE)
        person = await visitor(world, None)
        answer = await person.post("/sign-in", on="/sign-in", **fields)
        targets[target] = answer.headers["location"]
    assert list(targets.values()) == ["/console/orders?status=paid", "/console", "/console", "/console"]


async def test_a_session_ends_after_an_idle_time_and_after_a_maximum_age(world: World) -> None:
    visits = await first_owner(world)
    for _ in range(ABSOLUTE_LIMIT // (IDLE_LIMIT - HOUR)):
        world.clock.advance(IDLE_LIMIT - HOUR)
        assert (await visits.get("/account")).status_code == 200
    world.clock.advance(IDLE_LIMIT - HOUR)
    assert (await visits.get("/account")).status_code == 303
    idle = await visitor(world, "staff")
    world.clock.advance(IDLE_LIMIT)
    assert (await idle.get("/account")).status_code == 303


async def test_sessions_are_listed_and_can_be_ended_only_by_their_user(world: World) -> None:
    visits = await first_owner(world)
    _, other = await signs_in(world)
    stranger = await visitor(world, "owner")
    page = await visits.get("/account")
    (session,) = {part.split("/")[0] for part in page.text.split("/console/account/sessions/")[1:]}
    assert (await stranger.post(f"/account/sessions/{session}/end")).status_code == 404
    assert (await other.get("/account")).status_code == 200
    assert (await visits.post(f"/account/sessions/{session}/end")).status_code == 303
    assert (await other.get("/account")).status_code == 303


async def test_a_changed_password_is_the_only_one_that_works(world: World) -> None:
    visits = await first_owner(world)
    _, other = await signs_in(world)
    new = "another horse battery"
    wrong = await visits.post("/account/password", current="not it at all", password=new, repeated=new)
    assert (wrong.status_code, "not your current password" in wrong.text) == (422, True)
    assert (await visits.post("/account/password", current=PASSWORD, password=new, repeated=new)).status_code == 303
    assert ((await signs_in(world))[0], (await signs_in(world, password=new))[0]) == (422, 303)
    assert [(await session.get("/account")).status_code for session in (visits, other)] == [200, 303]


async def test_a_new_password_follows_the_same_rule_as_the_first(world: World) -> None:
    visits = await first_owner(world)
    short = await visits.post("/account/password", current=PASSWORD, password="short", repeated="short")
    assert (short.status_code, "at least 12 characters" in short.text) == (422, True)
    assert ((await signs_in(world, password="short"))[0], (await signs_in(world))[0]) == (422, 303)


async def test_an_invited_user_gets_the_role_of_the_link(world: World) -> None:
    await access_service.add_user(world.deps, "bo@store.example", "Bo")
    link = await sign_in_service.make_link(world.deps, "bo@store.example", "read_only")
    visits = await visitor(world, None)
    answer = await visits.post("/setup", on=f"/setup?token={link}", link=link, password=PASSWORD, repeated=PASSWORD)
    assert answer.status_code == 303
    assert "Read-only" in (await visits.get("/account")).text


async def test_signing_in_is_in_the_audit_log(world: World) -> None:
    await first_owner(world)
    await signs_in(world)
    async with world.db.read() as tx:
        entries = await audit_db.changes_since(tx, "user:1", Instant(0))
    assert [(entry.action, entry.user_name) for entry in entries] == [
        ("Signed in", "Ada Park"),
        ("Set a password by link", "Ada Park"),
    ]


async def test_failed_sign_ins_are_in_the_audit_log_but_never_fill_it(world: World) -> None:
    visits = await first_owner(world)
    await signs_in(world, password="wrong" * 4)
    page = (await visits.get("/audit?action=Failed+to+sign+in")).text
    assert "<bdi>Someone</bdi>" in page
    assert 'href="/console/users/1"' in page
    for number in range(sign_in_service.LOGGED_FAILURES + 1):
        for email in (EMAIL, "hunter2hunter2"):
            await signs_in(world, password="wrong" * 4, email=email, ip=f"198.51.{number}.7")
    assert await failures(world, "user:1") == sign_in_service.LOGGED_FAILURES
    assert await failures(world, "user:unknown") == sign_in_service.LOGGED_FAILURES
    assert "hunter2" not in (await visits.get("/audit?format=csv")).text
    world.clock.advance(HOUR)
    await signs_in(world, password="wrong" * 4)
    assert await failures(world, "user:1") == sign_in_service.LOGGED_FAILURES + 1


async def failures(world: World, record: str) -> int:
    async with world.db.read() as tx:
        return len(await audit_db.times(tx, record, "Failed to sign in", 100))
