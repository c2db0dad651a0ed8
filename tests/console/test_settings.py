"""Settings in the console: changed while the store runs, fixed by the environment, audited without secrets."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from lootkeep.console import forms, settings as settings_page
from lootkeep.domain.store_settings import SETTINGS, StoredSettings
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import Instant
from lootkeep.services import settings as settings_service
from lootkeep.settings import Settings, is_in_console
from lootkeep.storage import audit as audit_db, settings as settings_db
from lootkeep.wiring.observation import NOT_OBSERVED
from lootkeep.wiring.workers import make_queues
from tests.builders import new_customer, new_product, paid_order
from tests.console.visits import SETTINGS_FORM, Visitor, token, visitor
from tests.mailbox import MailServer
from tests.worker.emailing import write
from tests.world import World

FORM = SETTINGS_FORM | {"store_name": ""}
MAIL = {"mail_host": "mail.example", "mail_user": "shop", "mail_password": "hunter22", "mail_from": "shop@example.com"}


async def change(owner: Visitor, **fields: str) -> httpx.Response:
    return await owner.post("/settings", **FORM | fields)


async def entries(world: World) -> list[list[tuple[str, object, object]]]:
    async with world.db.read() as tx:
        return [entry.changes for entry in await audit_db.changes_since(tx, "settings", Instant(0))]


async def test_a_name_that_is_set_is_on_every_page_and_in_the_audit_log(world: World) -> None:
    owner = await visitor(world, "owner")
    answer = await change(owner, store_name="Pixel Forge")
    assert answer.status_code == 303
    page = (await owner.get("/settings")).text
    assert "1 change is in effect. Name: not set → Pixel Forge" in page
    assert "Settings · Pixel Forge</title>" in page
    assert world.deps.store.name == "Pixel Forge"
    assert await entries(world) == [[("store_name", "not set", "Pixel Forge")]]
    await change(owner, store_name="Pixel Forge", campaign_tracking="no")
    assert "Count opens and clicks: yes → no" in (await owner.get("/settings")).text


async def test_another_world_sees_what_was_changed_once_it_looks(world: World) -> None:
    other = World(world.db, clock=world.clock)
    await change(await visitor(world, "owner"), timezone="Europe/Berlin", events_kept_days="90")
    await settings_service.refresh(other.deps)
    assert (other.deps.settings.value.timezone, other.deps.settings.value.events_kept_days) == ("Europe/Berlin", 90)
    assert "days in Europe/Berlin" in (await (await visitor(other, "owner")).get("/analytics")).text
    await other.close()


async def test_what_the_environment_sets_is_locked_and_names_its_variable(world: World) -> None:
    settings: dict[str, Any] = {
        "store_name": "Of the environment",
        "mail_from": "Shop <shop@example.com>",
        "redis_url": "redis://:swordfish@cache.example/0",
        "smtp_url": "smtp://shop:hunter22@mail.example:25",
    }
    other = World(world.db, clock=world.clock, **settings)
    owner = await visitor(other, "owner")
    await change(owner, store_name="Of the console", store_url="https://shop.example")
    page = (await owner.get("/settings")).text
    for variable in ("LOOTKEEP_STORE_NAME", "LOOTKEEP_SMTP_URL", "LOOTKEEP_MAIL_FROM"):
        assert f"Fixed by <code>{variable}</code> in the environment" in page
    assert (other.deps.store.name, other.deps.store.url) == ("Of the environment", "https://shop.example")
    assert ("hunter22" in page, "swordfish" in page, "cache.example" in page) == (False, False, True)
    await other.close()


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("store_url", "shop.example", "Must be a URL such as https://shop.example."),
        ("public_url", "javascript:alert(1)", "Must be a URL such as https://shop.example."),
        ("store_colour", "red", "Must be a colour such as #b45309."),
        ("timezone", "Mars/Olympus", "Choose one of the values."),
        ("events_kept_days", "0", "This must be a whole number of 1 to 36,500."),
        ("mail_host", "mail.example/inbox", "Enter the name of the server, such as smtp.example.com."),
        ("mail_from", "Shop", "Must be an address such as Shop &lt;shop@example.com&gt;."),
    ],
)
async def test_a_value_that_cannot_be_is_refused_at_its_field(
    shared_world: World, field: str, value: str, sentence: str
) -> None:
    answer = await change(await visitor(shared_world, "owner"), **{field: value})
    assert (answer.status_code, sentence in answer.text) == (422, True)
    assert shared_world.deps.settings.version == 0


async def test_the_currency_stays_once_there_are_orders(world: World) -> None:
    owner = await visitor(world, "owner")
    assert (await change(owner, currency="EUR")).status_code == 303
    customer = (await new_customer(world))["customer"]
    await paid_order(world, customer["id"], ((await new_product(world))["id"], 1))
    answer = await change(owner, currency="USD")
    assert answer.status_code == 422
    assert "The currency stays as it is: there are orders" in answer.text
    assert world.deps.currency == "EUR"


async def test_the_mail_password_is_sealed_and_nobody_reads_it(world: World) -> None:
    owner = await visitor(world, "owner")
    await change(owner, **MAIL)
    page = (await owner.get("/settings")).text
    assert ("Set and sealed" in page, "hunter22" in page) == (True, False)
    assert world.deps.store.has_mail_server
    assert "smtp://shop:***@mail.example:587?starttls=required" in str(await entries(world))
    assert "hunter22" not in str(await entries(world))
    log = (await owner.get("/audit")).text
    assert ("mail server" in log, "sender of e-mails" in log, "smtp url" in log) == (True, True, False)
    async with world.db.read() as tx:
        stored = await settings_db.get(tx, SETTINGS, StoredSettings)
    assert "hunter22" not in str(stored)
    assert "hunter22" in world.deps.settings.stored["smtp_url"]


async def test_an_empty_password_is_the_stored_one_but_never_for_another_server(world: World) -> None:
    owner = await visitor(world, "owner")
    await change(owner, **MAIL)
    kept = await change(owner, **MAIL | {"mail_password": "", "mail_port": "2525"})
    assert kept.status_code == 303
    await settings_service.refresh(world.deps)
    assert world.deps.settings.stored["smtp_url"] == "smtp://shop:hunter22@mail.example:2525?starttls=required"
    stolen = await change(owner, **MAIL | {"mail_password": "", "mail_host": "mail.evil.example"})
    assert (stolen.status_code, "Enter the password again" in stolen.text) == (422, True)


async def test_a_mail_server_needs_a_sender(world: World) -> None:
    answer = await change(await visitor(world, "owner"), mail_host="mail.example")
    assert (answer.status_code, "Enter the sender that the server accepts" in answer.text) == (422, True)


async def test_a_mail_test_shows_the_answer_of_the_server(world: World) -> None:
    owner = await visitor(world, "owner")
    async with MailServer() as server:
        host, port = server.url.removeprefix("smtp://").split(":")
        mail = {"mail_host": host, "mail_port": port, "mail_security": "never", "mail_from": "Shop <shop@example.com>"}
        await change(owner, **mail)
        await owner.get("/settings")
        answer = await owner.post("/settings/mail-test", test_email="ada@store.example")
        assert (answer.status_code, answer.headers["location"]) == (303, "/console/settings#mail")
        page = (await owner.get("/settings")).text
        assert [email.recipients for email in server.arrived] == [["ada@store.example"]]
        assert "Works, tested" in page
        assert "<code>250 OK, not encrypted</code>" in page
        await owner.post("/settings/mail-test", test_email="policy@store.example")
        page = (await owner.get("/settings")).text
    assert 'class="notice bad" role="alert"><b>Not sent:</b> the mail server answered 550: 5.7.1 not today.' in page
    assert "The server refuses this sender or recipient." in page
    await change(owner, **mail | {"mail_from": "Other <other@example.com>"})
    assert "tested" not in (await owner.get("/settings")).text.partition("From the environment")[0]


async def test_a_running_worker_sends_to_the_server_that_is_set_now(world: World) -> None:
    owner = await visitor(world, "owner")
    _, worker, *_ = make_queues(world.deps, world.settings, Wakeup(), None, NOT_OBSERVED)
    async with MailServer() as first, MailServer() as second:
        for server in (first, second):
            host, port = server.url.removeprefix("smtp://").split(":")
            mail = {"mail_host": host, "mail_port": port, "mail_security": "never", "mail_from": "shop@example.com"}
            await change(owner, **mail, store_name="Pixel Forge")
            await settings_service.refresh(world.deps)
            await write(world)
            await worker.run_once()
        await worker.drain()
    assert (len(first.arrived), len(second.arrived)) == (1, 1)
    # The address has no name, so the e-mail has that of the store.
    assert first.arrived[0].names("From") == [("Pixel Forge", "shop@example.com")]


async def test_https_is_not_set_by_someone_who_could_not_come_back(world: World) -> None:
    owner = await visitor(world, "owner")
    form = {"token": token(await owner.get("/settings"))} | FORM | {"public_url": "https://loot.example"}
    refused = await owner.http.post("/console/settings", data=form, headers={"origin": "http://store.test"})
    assert (refused.status_code, "You came here over http" in refused.text) == (422, True)


async def test_a_form_that_shows_older_settings_is_refused(world: World) -> None:
    owner = await visitor(world, "owner")
    await change(owner, store_name="First")
    answer = await change(owner, store_name="Second", version="1")
    assert (answer.status_code, "was changed after you opened the form" in answer.text) == (409, True)


async def test_nothing_is_logged_if_nothing_was_changed(world: World) -> None:
    owner = await visitor(world, "owner")
    await change(owner)
    assert "Nothing was changed." in (await owner.get("/settings")).text
    assert await entries(world) == []


def test_every_setting_that_can_change_has_a_field_in_the_console() -> None:
    fields = {settings_page._setting(item.name) for item in forms.flat(settings_page.cards())}
    assert fields == {name for name in Settings.model_fields if is_in_console(name)}


async def test_a_store_without_a_name_shows_what_pages_say_as_a_placeholder_and_no_value(world: World) -> None:
    page = (await (await visitor(world, "owner")).get("/settings")).text
    (field,) = re.findall(r'<input id="store_name"[^>]*>', page)
    assert ('value=""' in field, 'placeholder="Lootkeep"' in field) == (True, True)
