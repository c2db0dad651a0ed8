"""API tokens in the console: created with scopes and shown once, and revoked."""

from __future__ import annotations

import re

from lootkeep.kernel.clock import Instant
from lootkeep.storage import audit as audit_db
from tests.console.visits import visitor
from tests.world import World

SECRET = re.compile(r'<code class="secret"[^>]*>([^<]+)</code>')


async def test_a_token_is_shown_once_works_and_stops_working_when_it_is_revoked(world: World) -> None:
    visits = await visitor(world, "owner")
    form = {"on": "/tokens/new", "name": "Discord bot", "scopes": "orders:read", "expires_in_days": "30"}
    (secret,) = SECRET.findall((await visits.post("/tokens/new", **form)).text)
    assert (await world.get("/orders", token=secret)).status_code == 200
    assert (await world.get("/customers", token=secret)).status_code == 403
    page = (await visits.get("/tokens")).text
    assert ("Discord bot" in page, secret in page, secret[:7] in page) == (True, False, True)
    asked = await visits.post("/tokens/2/revoke", on="/tokens")
    assert "This cannot be undone" in asked.text
    assert (await world.get("/orders", token=secret)).status_code == 200
    assert (await visits.post("/tokens/2/revoke", on="/tokens", confirmed="yes")).status_code == 303
    assert (await world.get("/orders", token=secret)).status_code == 401
    async with world.db.read() as tx:
        entries = await audit_db.changes_since(tx, "token:2", Instant(0))
    assert [entry.action for entry in entries] == ["Revoke token", "Create a token"]
    assert secret not in entries[1].after
    assert ("scopes", None, "orders:read") in entries[1].changes


async def test_a_token_without_scopes_or_with_invalid_numbers_is_not_created(world: World) -> None:
    visits = await visitor(world, "owner")
    form = {"on": "/tokens/new", "name": "Bot"}
    wrong = [
        await visits.post("/tokens/new", **form),
        await visits.post("/tokens/new", **form, scopes="everything"),
        await visits.post("/tokens/new", **form, scopes="orders:read", expires_in_days="0"),
        await visits.post("/tokens/new", **form, scopes="orders:read", rate_limit="-1"),
    ]
    assert [answer.status_code for answer in wrong] == [422] * 4
    assert "Choose at least one scope." in wrong[0].text
    assert (await visits.get("/tokens")).text.count("/revoke") == 1
