"""The commands of a product in the console: each is a card of one form, with the errors of the API at its fields."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.api.commanding import GIVE, open_server, rank
from tests.builders import new_product
from tests.console.visits import Visitor, visitor
from tests.world import World

PATH = "/products/1/commands"


@pytest.fixture
async def staff(world: World) -> Visitor:
    await open_server(world)
    await rank(world)
    return await visitor(world, "staff")


def row(index: int, text: str, **fields: str) -> dict[str, str]:
    sent = {"text": text, "server_id": "1", "on": "paid", "delay_minutes": ""} | fields
    return {f"commands.{index}.{name}": value for name, value in sent.items()}


async def save(visits: Visitor, *rows: dict[str, str]) -> Any:
    form = {name: value for fields in rows for name, value in fields.items()}
    return await visits.post(PATH, on=PATH, **form)


async def stored(world: World) -> list[dict[str, Any]]:
    commands: list[dict[str, Any]] = (await world.get("/products/1")).json()["data"]["commands"]
    return commands


async def test_commands_are_added_changed_and_removed(world: World, staff: Visitor) -> None:
    page = (await staff.get(PATH)).text
    assert (str(GIVE["text"]) in page, page.count('name="commands.')) == (True, 15)
    refunded = row(2, "lp user {player_name} parent remove vip", on="refunded", delay_minutes="5")
    answer = await save(staff, row(0, "say hi", needs_player_online="yes"), row(1, ""), refunded)
    assert answer.status_code == 303
    first, second = await stored(world)
    assert (first["text"], first["needs_player_online"], first["delay_minutes"]) == ("say hi", True, 0)
    assert (second["on"], second["delay_minutes"], second["server_id"]) == ("refunded", 5, 1)
    await save(staff, row(0, ""), row(1, str(second["text"])), row(2, ""))
    assert [command["on"] for command in await stored(world)] == ["paid"]
    assert "parent remove vip" in (await staff.get("/products/1")).text


async def test_an_unknown_variable_is_said_at_its_field_though_an_empty_command_is_above(
    world: World, staff: Visitor
) -> None:
    answer = await save(staff, row(0, ""), row(1, "say {nobody}"))
    assert answer.status_code == 422
    assert re.search(r'id="commands.1.text-error">It names an unknown variable', answer.text)
    assert [command["text"] for command in await stored(world)] == [GIVE["text"]]


async def test_what_is_no_number_or_no_server_is_said_at_its_field(world: World, staff: Visitor) -> None:
    answer = await save(staff, row(0, "say hi", delay_minutes="soon", server_id="9"))
    assert (answer.status_code, answer.text.count('class="error"')) == (422, 2)


async def test_saving_what_is_stored_changes_nothing(world: World, staff: Visitor) -> None:
    await save(staff, row(0, str(GIVE["text"])))
    assert "Nothing was changed" in (await staff.get("/products/1")).text


async def test_a_product_of_another_kind_has_no_commands_and_the_page_says_so(world: World, staff: Visitor) -> None:
    product = await new_product(world)
    path = f"/products/{product['id']}/commands"
    answer = await staff.post(path, on=path, **row(0, "say hi"))
    assert (answer.status_code, "only products with the delivery type command" in answer.text) == (422, True)


async def test_without_a_server_the_page_says_what_to_do_first(world: World) -> None:
    await new_product(world, delivery_type="command")
    assert "Add a server first" in (await (await visitor(world, "staff")).get(PATH)).text
