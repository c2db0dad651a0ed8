"""How much of a form is read: little from anyone, and more from those who are signed in."""

from __future__ import annotations

import html
from collections.abc import AsyncIterator

import pytest

from lootkeep.console.guard import MAX_SMALL_FORM_BYTES
from lootkeep.console.page import PREFIX
from tests.console.visits import Visitor, token, visitor
from tests.world import World

SWORD = {
    "name": "Dragon Sword",
    "price": "19.99",
    "status": "active",
    "delivery_type": "manual",
    "billing_type": "one_time",
}
BLOCK = b"a=" + b"%41" * 341 + b"&"


class Sending:
    """A form that never ends, and how many bytes of it were read."""

    def __init__(self) -> None:
        self.count = 0

    async def blocks(self) -> AsyncIterator[bytes]:
        while True:
            self.count += len(BLOCK)
            yield BLOCK


async def send(visits: Visitor, path: str, sending: Sending, headers: dict[str, str]) -> int:
    answer = await visits.http.post(PREFIX + path, content=sending.blocks(), headers=headers)
    assert "too large" in answer.text
    return answer.status_code


@pytest.mark.parametrize("path", ["/sign-in", "/setup"])
async def test_without_a_session_a_form_is_cut_at_a_few_kilobytes(world: World, path: str) -> None:
    sending = Sending()
    assert await send(await visitor(world, None), path, sending, {}) == 422
    assert sending.count <= MAX_SMALL_FORM_BYTES + len(BLOCK)


@pytest.mark.parametrize("length", [str(MAX_SMALL_FORM_BYTES + 1), "1" * 5000, "-"])
async def test_nothing_is_read_of_a_form_that_says_it_is_larger(world: World, length: str) -> None:
    sending = Sending()
    assert await send(await visitor(world, None), "/sign-in", sending, {"content-length": length}) == 422
    assert sending.count == 0


async def test_a_large_form_of_someone_who_is_signed_in_is_read(store: World) -> None:
    visits = await visitor(store, "staff")
    text = "A long description. " * 450
    form = SWORD | {"token": token(await visits.get("/account")), "description": text}
    answer = await visits.http.post(f"{PREFIX}/products/new", data=form)
    assert answer.status_code == 303, answer.text
    page = await visits.get("/products/2/edit?whole=description")
    assert text.strip() in html.unescape(page.text)


async def test_a_link_is_looked_up_before_anything_is_done_with_the_password(world: World) -> None:
    visits = await visitor(world, None)
    answer = await visits.post("/setup", on="/sign-in", link="guessed", password="short", repeated="short")
    assert (answer.status_code, "used before or is too old" in answer.text) == (422, True)
