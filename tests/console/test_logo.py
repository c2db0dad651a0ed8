"""The store's logo: a picture that is checked by its content, shown on pages and in e-mails."""

from __future__ import annotations

import httpx
import pytest

from lootkeep.services import settings as settings_service
from lootkeep.views import emails as emails_views
from tests.console.visits import SETTINGS_FORM, Visitor, token, visitor
from tests.world import World

PNG = b"\x89PNG\r\n\x1a\n\r\n--x\r\n" + bytes(range(256))
JPEG = b"\xff\xd8\xff\xe0" + bytes(100)


async def upload(owner: Visitor, content: bytes, name: str = "logo.png") -> httpx.Response:
    form = {"token": token(await owner.get("/settings"))}
    return await owner.http.post("/console/settings/logo", data=form, files={"logo": (name, content, "image/png")})


async def test_a_logo_is_served_as_it_was_uploaded_and_shown_in_the_console_and_in_e_mails(world: World) -> None:
    owner = await visitor(world, "owner")
    await owner.post("/settings", **SETTINGS_FORM | {"public_url": "http://store.test"})
    assert (await upload(owner, PNG)).status_code == 303
    page = (await owner.get("/settings")).text
    path = world.deps.store.logo
    assert path is not None
    assert f'<img class="logo" src="{path}" alt="">' in page
    answer = await owner.http.get(path)
    assert (answer.content, answer.headers["content-type"]) == (PNG, "image/png")
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    html = emails_views.render("mail_test", world.deps.store, "a@b.example", "").html
    assert f'<img src="http://store.test{path}"' in html


async def test_the_address_of_a_former_logo_leads_to_the_one_of_now(world: World) -> None:
    owner = await visitor(world, "owner")
    await upload(owner, PNG)
    await owner.get("/settings")
    former = world.deps.store.logo or ""
    await upload(owner, JPEG)
    await owner.get("/settings")
    answer = await owner.http.get(former)
    assert (answer.status_code, answer.headers["location"]) == (302, world.deps.store.logo)
    assert (await owner.http.get(answer.headers["location"])).headers["content-type"] == "image/jpeg"
    await owner.post("/settings/logo/remove")
    await settings_service.refresh(world.deps)
    assert (await owner.http.get(former)).status_code == 404


async def test_the_settings_are_saved_also_where_an_upload_was_refused(world: World) -> None:
    answer = await upload(await visitor(world, "owner"), b"")
    assert answer.status_code == 422
    assert '<form method="post" action="/console/settings" data-tracked>' in answer.text


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "The logo must be a PNG or JPEG file."),
        (b"<html><script>alert(1)</script>", "The logo must be a PNG or JPEG file."),
        (b"", "Choose a file first."),
        (PNG + bytes(256 * 1024), "The logo must have at most 256 KB."),
    ],
    ids=["a drawing", "a page", "nothing", "too large"],
)
async def test_what_is_not_a_small_picture_is_refused(shared_world: World, content: bytes, sentence: str) -> None:
    answer = await upload(await visitor(shared_world, "owner"), content)
    assert (answer.status_code, sentence in answer.text) == (422, True)
    assert shared_world.deps.store.logo is None


async def test_a_form_with_a_file_that_cannot_be_read_is_refused(shared_world: World) -> None:
    owner = await visitor(shared_world, "owner")
    headers = {"content-type": "multipart/form-data; boundary=x"}
    body = b"--x\r\nContent-Disposition: form-data\r\n\r\nnothing\r\n--x--\r\n"
    answer = await owner.http.post("/console/settings/logo", content=body, headers=headers)
    assert (answer.status_code, "The form cannot be read." in answer.text) == (422, True)


async def test_the_colour_of_buttons_in_e_mails_can_be_read(world: World) -> None:
    owner = await visitor(world, "owner")
    await owner.post("/settings", **SETTINGS_FORM | {"store_colour": "#ffd400"})
    assert "Too light for white text" in (await owner.get("/settings")).text
    html = emails_views.render("mail_test", world.deps.store, "a@b.example", "").html
    assert ("background:#ffd400" in html, f"background:{world.deps.store.button_colour}" in html) == (False, True)
