"""No error repeats what was sent, whatever the field and the type of its value."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from lootkeep import wiring
from lootkeep.api.http.routes import Route
from lootkeep.storage.engine.database import Engine
from tests.api.openapi import example_body
from tests.world import World

SENT = "zq7mark"
VALUES: tuple[Any, ...] = (SENT, [SENT], {SENT: SENT}, [{SENT: SENT}], {"type": SENT, "filters": {"tags": {SENT: 1}}})
ROWS = [(group.prefix, route) for group in wiring.groups() for route in group.routes]


@pytest.fixture
async def world(db: Engine) -> AsyncIterator[World]:
    world = World(db, rate_limit_per_minute=0)
    await world.begin()
    yield world
    await world.close()


def bodies(prefix: str, route: Route) -> Iterator[dict[str, Any]]:
    """The example with one of its fields replaced."""
    for name in route.body.model_fields if route.body else ():
        for value in VALUES:
            yield {**example_body(prefix, route), name: value}


@pytest.mark.parametrize("db_location", ["sqlite"], indirect=True)
async def test_no_error_repeats_the_value_of_a_field(world: World) -> None:
    echoes = []
    for prefix, route in ROWS:
        path = prefix + route.path.format(id=1, item_id=1, key_id=1, delivery_id=SENT)
        for body in bodies(prefix, route):
            answer = await world.call(route.method, path, body)
            errors = answer.json().get("errors", {})
            # The name of an unknown field is where its error is.
            errors = {name: texts for name, texts in errors.items() if "This field is unknown." not in texts[0]}
            if answer.is_error and SENT in str((answer.json()["message"], errors)):
                echoes.append((route.method, path, body, errors))
    assert echoes == []


@pytest.mark.parametrize("db_location", ["sqlite"], indirect=True)
async def test_no_error_repeats_the_value_of_a_parameter(world: World) -> None:
    echoes = []
    for prefix, route in ROWS:
        for name, field in route.query.model_fields.items() if route.query else ():
            path = prefix + route.path.format(id=1, item_id=1, key_id=1, delivery_id=SENT)
            answer = await world.call(route.method, path, params={field.alias or name: SENT})
            if answer.is_error and SENT in answer.text:
                echoes.append((path, name, answer.text))
    assert echoes == []
