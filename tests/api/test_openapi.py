"""The OpenAPI document: valid, complete for every row, and true: the running API does what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from lootkeep import wiring
from lootkeep.api.http.routes import Route
from lootkeep.domain.access import SCOPES, SERVER_SCOPE
from lootkeep.kernel.clock import SECOND
from tests.api.claiming import anna_with, new_tier
from tests.api.openapi import (
    ALL_ROWS,
    DOCUMENT,
    content_of,
    example_body,
    faults,
    operation,
    parameters_of,
    path_of,
    resolved,
)
from tests.builders import new_customer, paid_order
from tests.conftest import only_sqlite
from tests.world import World


async def test_the_document_is_served_as_it_is(world: World) -> None:
    answer = await world.http.get("/openapi.json")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == DOCUMENT


def test_there_is_one_operation_for_each_row_and_no_other() -> None:
    documented = [(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods]
    rows = [(route.method, group.prefix + route.path) for group in wiring.groups() for route in group.routes]
    # The inbox has no row: it has a signature instead of a token.
    assert sorted(documented) == sorted([*rows, ("POST", "/inbox/{source}")])


def test_every_operation_has_a_name_of_its_own() -> None:
    names = Counter(row["operationId"] for path in DOCUMENT["paths"].values() for row in path.values())
    assert [name for name, count in names.items() if count > 1] == []


def named(rows: list[tuple[str, Route]]) -> Iterator[tuple[str, str, Route]]:
    """Each row with a name, so that a failure says which it is."""
    yield from ((f"{route.method} {prefix}{route.path}", prefix, route) for prefix, route in rows)


def test_an_operation_states_its_purpose_and_its_scope() -> None:
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    for name, prefix, route in named(ALL_ROWS):
        row = operation(prefix, route)
        assert row["summary"], name
        scopes = [route.scope, *filter(None, [route.other_scope])]
        assert (name, row["security"]) == (name, [{"bearerAuth": [scope]} for scope in scopes])
        assert route.scope in {*SCOPES, SERVER_SCOPE}, name
        assert set(row["tags"]) <= tags, name


def test_an_operation_names_every_answer_it_can_give() -> None:
    for name, prefix, route in named(ALL_ROWS):
        expected = {str(route.answer.status), "401", "403", "429", "500", "503"}
        if "{" in route.path:
            expected |= {"404"}
        if route.body:
            expected |= {"413", "415", "422"}
        if route.query:
            expected |= {"422"}
        if route.method == "POST":
            expected |= {"409", "422"}
        assert (name, expected - set(operation(prefix, route)["responses"])) == (name, set())


def test_every_answer_has_an_example_that_its_schema_accepts() -> None:
    for name, prefix, route in named(ALL_ROWS):
        for status, response in operation(prefix, route)["responses"].items():
            # A shared response is looked at once, below.
            if "$ref" not in response:
                content = content_of(response)
                assert (name, status, faults(content["example"], content["schema"])) == (name, status, [])
    for name, response in DOCUMENT["components"]["responses"].items():
        assert (name, faults(content_of(response)["example"], content_of(response)["schema"])) == (name, [])


def test_every_failure_is_named_as_its_status_is() -> None:
    names = {"401": "Unauthorized", "403": "Forbidden", "404": "Not Found", "409": "Conflict"}
    names |= {"413": "Payload Too Large", "415": "Unsupported Media Type", "422": "Validation Error"}
    names |= {"429": "Too Many Requests", "500": "Server Error", "503": "Service Unavailable"}
    for row, prefix, route in named(ALL_ROWS):
        for status, response in operation(prefix, route)["responses"].items():
            if status >= "4":
                example = content_of(resolved(response))["example"]
                assert (row, status, example["success"], example["error"]) == (row, status, False, names[status])


def test_a_body_has_an_example_that_its_schema_accepts() -> None:
    for name, prefix, route in named(ALL_ROWS):
        body = operation(prefix, route).get("requestBody")
        assert (body is not None) == (route.body is not None), name
        if body:
            assert content_of(body)["example"] != {}, name
            assert (name, faults(content_of(body)["example"], content_of(body)["schema"])) == (name, [])


def test_every_parameter_is_described_and_none_can_be_null() -> None:
    for name, prefix, route in named(ALL_ROWS):
        parameters = parameters_of(prefix, route)
        in_path = [parameter["name"] for parameter in parameters if parameter["in"] == "path"]
        assert in_path == [part[1:-1] for part in route.path.split("/") if part.startswith("{")], name
        assert all(parameter["schema"] and parameter["description"] for parameter in parameters), name
        can_be_null = [parameter["name"] for parameter in parameters if not faults(None, parameter["schema"])]
        assert (name, can_be_null) == (name, [])


# The document is true


def creator_of(route: Route) -> tuple[str, Route]:
    """The row whose example makes the thing that a path speaks of."""
    collection = route.path.split("/{")[0]
    creators = [(prefix, row) for prefix, row in ALL_ROWS if row.method == "POST" and row.path == collection]
    assert creators, f"No row creates what {route.path} speaks of: say here how it is made."
    return creators[0]


# Rows whose examples speak of several things that must be there first: their own tests cover those.
STORIES = (
    *(f"/api/store/v1/{start}" for start in ("customers/{id}", "coupons", "orders", "subscriptions")),
    "/api/store/v1/support-tickets",
    *(f"/api/external/v1/{start}" for start in ("webhooks/deliveries", "webhooks/{id}/replay")),
    *(f"/api/external/v1/fraud/{start}" for start in ("checks/{id}", "explain", "reviews")),
    *(f"/api/external/v1/{start}" for start in ("orders/{id}", "customers/{id}", "products/{id}/keys")),
    *(f"/api/external/v1/email-campaigns/{{id}}/{start}" for start in ("send", "cancel")),
    *(
        f"/api/external/v1/{start}"
        for start in ("support-tickets/{id}", "servers/{id}", "commands/{id}", "creators/{id}/", "payment-events/{id}")
    ),
    # Needs the token of a server.
    "/api/game/v1/",
)


async def test_an_example_request_gets_the_documented_answer(world: World) -> None:
    token = await world.new_token(*SCOPES, rate_limit=len(ALL_ROWS))
    ids: dict[str, int] = {}
    rows = [(prefix, route) for prefix, route in ALL_ROWS if not (prefix + route.path).startswith(STORIES)]
    creators = dict.fromkeys(creator_of(route) for _, route in rows if "{" in route.path)
    # The last things that happen to a record.
    rows.sort(key=lambda row: row[1].path.endswith("/revoke") or (row[1].method, row[1].path[-1]) == ("DELETE", "}"))
    for prefix, route in [*creators, *(row for row in rows if row not in creators)]:
        path = path_of(prefix, route, ids.get(route.path.split("/{")[0], 0))
        answer = await world.call(route.method, path, example_body(prefix, route), token=token)
        assert answer.status_code == route.answer.status, (path, answer.text)
        if (prefix, route) in creators:
            ids[route.path] = answer.json()["data"]["id"]
        documented = operation(prefix, route)["responses"][str(answer.status_code)]
        assert (path, faults(answer.json(), content_of(documented)["schema"])) == (path, [])
        assert set(answer.json()) == set(content_of(documented)["example"]), path
        missing = [name for name in documented["headers"] if name not in answer.headers]
        assert missing in ([], ["X-Ignored-Fields"]), path


REPEATED = [(prefix, route) for prefix, route in ALL_ROWS if route.answer.repeated]


async def test_a_repeated_request_gets_the_documented_answer(world: World) -> None:
    anna, tier_id = await anna_with(world, bought=1), await new_tier(world)
    order = {"customer_id": anna["id"], "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9"}
    bodies = {
        "claim_tier": {"tier_id": tier_id},
        "create_customer": {"email": "jun@j.example", "name": "Jun", "external_id": "31"},
        "place_order": order | {"external_id": "cart-1"},
        # The first order, which a friend has paid, has the number that Anna has.
        "report_declined_payment": {"external_id": "attempt-1"},
        "report_dispute": {"kind": "dispute", "reason": "fraudulent", "external_id": "case-1"},
        "pay_creator": {"amount": "1.00", "reference": "t-1"},
    }
    await world.post("/creators", {"name": "Luna", "code": "LUNA", "commission_percent": 10, "hold_days": 0})
    await paid_order(world, (await new_customer(world))["customer"]["id"], (1, 1), coupon_code="LUNA")
    assert {route.handler.__name__ for _, route in REPEATED} == set(bodies)
    for prefix, route in REPEATED:
        path = path_of(prefix, route, anna["id"])
        for status in (201, 200):
            answer = await world.post(path, bodies[route.handler.__name__])
            documented = content_of(operation(prefix, route)["responses"][str(status)])
            assert (path, answer.status_code, faults(answer.json(), documented["schema"])) == (path, status, [])
            assert answer.json()["message"] == documented["example"]["message"]


@only_sqlite
async def test_rejections_match_the_document(world: World) -> None:
    scopeless, tired = await world.new_token(rate_limit=0), await world.new_token(rate_limit=1)
    for prefix, route in ALL_ROWS:
        # A minute has room for one request.
        await world.get("/referrals/tiers", token=tired)
        path = path_of(prefix, route, 4711)
        for token, status in (("lk_nobody", 401), (scopeless, 403), (tired, 429)):
            answer = await world.call(route.method, path, token=token)
            assert (path, answer.status_code) == (path, status)
            documented = resolved(operation(prefix, route)["responses"][str(status)])
            assert (path, faults(answer.json(), content_of(documented)["schema"])) == (path, [])
        world.clock.advance(SECOND)


# One of them is wrong for any field.
WRONG_VALUES: list[Any] = [{"wrong": True}, [[[]]], True, -0.001]


@only_sqlite
async def test_a_value_the_schema_refuses_is_rejected_by_the_api(world: World) -> None:
    for prefix, route in ALL_ROWS:
        if route.scope == SERVER_SCOPE:
            continue
        if route.body:
            schema = content_of(operation(prefix, route)["requestBody"])["schema"]
            fields = DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]["properties"]
            wrong = {name: next(bad for bad in WRONG_VALUES if faults(bad, shape)) for name, shape in fields.items()}
            answer = await world.call(route.method, path_of(prefix, route, 4711), wrong)
            reported = {name.partition(".")[0] for name in answer.json().get("errors", {})}
            assert (route.path, answer.status_code, sorted(reported)) == (route.path, 422, sorted(fields))
            world.clock.advance(SECOND)
