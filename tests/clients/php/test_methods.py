"""The PHP client is complete: each row of the route table is a method that calls exactly that row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lootkeep import wiring
from lootkeep.api.http.openapi.client_names import camel_case, client_method
from lootkeep.api.http.routes import Group, Route
from tests.api.openapi import example_body, parameters_of
from tests.clients.php.programs import run
from tests.clients.recorder import ROUTER, TOKEN, Recorded, check_samples, programs, recording

ROWS = [(group, route) for group in wiring.groups() for route in group.routes]


def fields(group: Group, route: Route) -> dict[str, Any]:
    """The example of the body, or a word for each parameter of the query: the client passes on what it gets."""
    query = {part["name"]: "7" for part in parameters_of(group.prefix, route) if part["in"] == "query"}
    return example_body(group.prefix, route) or query


def call(group: Group, route: Route) -> dict[str, Any]:
    ids = ["7" if part == "{delivery_id}" else 7 for part in route.path.split("/") if part.startswith("{")]
    taken = fields(group, route)
    name = camel_case(client_method(group.prefix, route))
    # A number is checked as one: it names the page to begin with.
    taken = {key: 7 if key == "page" else value for key, value in taken.items()}
    return {"method": name.split("."), "arguments": [*ids, taken] if route.body or route.query else ids}


def check(group: Group, route: Route, request: Recorded) -> None:
    assert ROUTER.find(request.method, request.path)[0].handler is route.handler
    assert ("idempotency-key" in request.headers) == (route.method == "POST")
    assert request.headers["authorization"] == f"Bearer {TOKEN}"
    assert request.headers["user-agent"].startswith("lootkeep-client-php/")
    assert request.body == example_body(group.prefix, route)
    assert request.query == ({} if route.body else fields(group, route))


async def test_every_row_is_a_method_of_the_client() -> None:
    with recording() as recorder:
        calls = {"url": recorder.url, "token": TOKEN, "calls": [call(*row) for row in ROWS]}
        kinds = await run("methods.php", calls)
    for (group, route), request in zip(ROWS, recorder.requests, strict=True):
        check(group, route, request)
    expected = [
        "Lootkeep\\Pages" if route.answer.is_paged else "array" if route.answer.view else "string" for _, route in ROWS
    ]
    assert kinds == expected


async def test_every_sample_of_the_reference_calls_its_operation(tmp_path: Path) -> None:
    with recording() as recorder:
        samples = programs("php", recorder.url)
        files = [tmp_path / f"{number}.php" for number in range(len(samples))]
        for file, sample in zip(files, samples, strict=True):
            file.write_text(sample)
        (tmp_path / "vendor").mkdir()
        # What the samples load is loaded already.
        (tmp_path / "vendor/autoload.php").write_text("<?php\n")
        inputs = {"folder": str(tmp_path), "token": TOKEN, "programs": list(map(str, files))}
        assert await run("samples.php", inputs) == len(samples)
    check_samples(recorder.requests)
