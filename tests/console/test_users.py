"""Users in the console: invited by a one-time link, with a role that can change; one owner is always left."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, existing
from lootkeep.services import users as users_service
from lootkeep.storage import audit as audit_db
from lootkeep.storage.access import accounts as accounts_db, rows as access_db
from tests.console.visits import PASSWORD, Visitor, first_owner, signs_in, visitor
from tests.world import World

LINK = re.compile(r'<code class="secret"[^>]*>http://127\.0\.0\.1:8000/console/setup\?token=([^<]+)</code>')


async def invited(world: World, owner: Visitor, role: str = "staff") -> Visitor:
    form = {"name": "Bo Lind", "email": "bo@store.example", "role": role}
    (link,) = LINK.findall((await owner.post("/users/new", on="/users/new", **form)).text)
    visits = await visitor(world, None)
    answer = await visits.post("/setup", on=f"/setup?token={link}", link=link, password=PASSWORD, repeated=PASSWORD)
    assert answer.status_code == 303
    return visits


async def test_a_user_is_invited_signs_in_gets_another_role_and_is_disabled(world: World) -> None:
    owner = await first_owner(world)
    staff = await invited(world, owner)
    assert "Bo Lind" in (await owner.get("/users")).text
    assert (await staff.get("/users")).status_code == 403
    assert (await owner.post("/users/2/role", on="/users/2", role="read_only")).status_code == 303
    assert "Read-only" in (await staff.get("/account")).text
    asked = await owner.post("/users/2/disable", on="/users/2")
    assert "signed out everywhere" in asked.text
    assert (await owner.post("/users/2/disable", on="/users/2", confirmed="yes")).status_code == 303
    assert (await staff.get("/account")).status_code == 303
    assert (await signs_in(world, email="bo@store.example"))[0] == 422
    async with world.db.read() as tx:
        entries = await audit_db.changes_since(tx, "user:2", Instant(0))
    changes = {entry.action: entry.changes for entry in entries if entry.changes}
    assert changes == {
        "Invite a user": [("role", None, "staff")],
        "Change role": [("role", "staff", "read_only")],
        "Disable user": [("can_sign_in", True, False)],
        "Failed to sign in": [("wrong", None, "password")],
    }


async def test_a_link_leads_to_the_public_url_whatever_host_was_asked_for(world: World) -> None:
    owner = await first_owner(World(world.db, clock=world.clock, public_url="http://shop.example"))
    owner.http.headers["host"] = "evil.example"
    form = {"name": "Bo Lind", "email": "bo@store.example", "role": "staff"}
    page = (await owner.post("/users/new", on="/users/new", **form)).text
    assert "http://shop.example/console/setup?token=" in page
    assert "evil.example" not in page


async def test_a_disabled_user_can_sign_in_again_with_a_new_link(world: World) -> None:
    owner = await first_owner(world)
    await invited(world, owner)
    await owner.post("/users/2/disable", on="/users/2", confirmed="yes")
    (link,) = LINK.findall((await owner.post("/users/2/link", on="/users/2")).text)
    visits = await visitor(world, None)
    fields = {"link": link, "password": PASSWORD, "repeated": PASSWORD}
    assert (await visits.post("/setup", on=f"/setup?token={link}", **fields)).status_code == 303
    assert "Staff" in (await visits.get("/account")).text


async def test_the_last_owner_who_can_sign_in_is_never_removed(world: World) -> None:
    owner = await first_owner(world)
    answers = [
        await owner.post("/users/1/role", on="/users/1", role="staff"),
        await owner.post("/users/1/disable", on="/users/1", confirmed="yes"),
    ]
    assert [(answer.status_code, "No other owner has a password" in answer.text) for answer in answers] == [
        (409, True)
    ] * 2
    second = await invited(world, owner, "owner")
    assert (await second.post("/users/1/role", on="/users/1", role="staff")).status_code == 303
    assert (await owner.get("/users")).status_code == 403


async def test_an_owner_without_a_password_stays_one_while_no_other_owner_has_one(world: World) -> None:
    owner = await first_owner(world)
    visits = await visitor(world, "owner")
    # Both come without a password now, as with single sign-on.
    async with world.db.write() as tx:
        account = existing(await accounts_db.ROWS.lock(tx, 1), "Account")
        await accounts_db.ROWS.save(tx, account, replace(account, password_hash=None))
    for user_id in (1, 2):
        answer = await visits.post(f"/users/{user_id}/role", on=f"/users/{user_id}", role="staff")
        assert (answer.status_code, "No other owner has a password" in answer.text) == (409, True)
    assert (await owner.get("/users")).status_code == 200


async def test_a_taken_or_invalid_email_is_rejected_in_the_form(world: World) -> None:
    owner = await first_owner(world)
    wrong = [
        await owner.post("/users/new", on="/users/new", name="Bo", email=email, role=role)
        for email, role in (("nobody", "staff"), ("ada@store.example", "staff"), ("bo@store.example", "king"))
    ]
    assert [answer.status_code for answer in wrong] == [422, 409, 422]


async def test_the_audit_log_is_filtered_and_shows_the_values_before_and_after(store: World) -> None:
    owner, staff = await visitor(store, "owner"), await visitor(store, "staff")
    await staff.post("/orders/1/fulfill", on="/orders/1")
    page = (await owner.get("/audit?record=order:1")).text
    assert '<bdi class="was">paid</bdi> → <bdi>completed</bdi>' in page
    assert 'href="/console/orders/1"' in page
    assert "Mark fulfilled" not in (await owner.get("/audit?record=order:2")).text
    csv = (await owner.get("/audit?record=order:1&format=csv")).text.splitlines()
    assert csv[1].startswith("The staff,order:1,status: paid → completed,")


async def test_a_removed_owner_is_signed_out_logged_and_another_owner_takes_over(world: World) -> None:
    owner = await first_owner(world)
    second = await invited(world, owner, "owner")
    async with world.db.read() as tx:
        first = existing(await access_db.owner(tx), "User")
    removed = await users_service.remove(world.deps, first.email)
    assert removed.id == first.id
    assert (await owner.get("/account")).status_code == 303
    assert (await signs_in(world, email=first.email))[0] == 422
    assert first.email not in (await second.get("/users")).text
    async with world.db.read() as tx:
        assert existing(await access_db.owner(tx), "User").email == "bo@store.example"
        (entry, *_) = await audit_db.changes_since(tx, f"user:{first.id}", Instant(0))
    assert (entry.action, entry.values["email"]) == ("Remove a user", first.email)
    with pytest.raises(Conflict, match="No other owner"):
        await users_service.remove(world.deps, "bo@store.example")
