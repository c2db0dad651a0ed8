"""What a call does not know is never lost silently: the Store API rejects it, the External API names it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import new_customer, new_product
from tests.world import World

STORE = "/api/store/v1"
IGNORED = "X-Ignored-Fields"
CAMPAIGN = {"name": "Winter sale", "subject": "20% off"}
JUN = {"email": "jun@example.com", "name": "Jun Park"}


async def test_an_unknown_field_of_the_external_api_is_ignored_and_named(world: World) -> None:
    answer = await world.post("/email-campaigns", CAMPAIGN | {"content": "<p>Hello</p>"})
    assert (answer.status_code, answer.headers[IGNORED]) == (201, "content")


async def test_an_unknown_field_in_an_object_has_a_dotted_name(world: World) -> None:
    audience = {"type": "segment", "filters": {"countrys": ["KR"], "tags": []}, "typ": "all"}
    answer = await world.post("/email-campaigns", CAMPAIGN | {"audience": audience})
    assert answer.headers[IGNORED] == "audience.filters.countrys, audience.typ"


async def test_a_request_without_unknown_fields_has_no_such_header(world: World) -> None:
    assert IGNORED not in (await world.get("/orders?status=paid&from=2026-11-15")).headers
    assert IGNORED not in (await world.post("/email-campaigns", CAMPAIGN)).headers


@pytest.mark.parametrize("path", ["/orders?externalid=7&page=1", "/orders/7?externalid=7"])
async def test_an_unknown_parameter_of_the_external_api_is_named_also_when_the_call_fails(
    world: World, path: str
) -> None:
    assert (await world.get(path)).headers[IGNORED] == "externalid"


async def test_an_invalid_request_names_what_it_ignored_too(shared_world: World) -> None:
    answer = await shared_world.post("/email-campaigns", {"title": "Winter sale"})
    assert (answer.status_code, answer.headers[IGNORED]) == (422, "title")


async def test_a_replayed_answer_names_what_was_ignored_too(world: World) -> None:
    call: dict[str, Any] = {"json": CAMPAIGN | {"content": "x"}, "headers": {"Idempotency-Key": "winter"}}
    await world.post("/email-campaigns", **call)
    again = await world.post("/email-campaigns", **call)
    assert (again.headers["Idempotent-Replayed"], again.headers[IGNORED]) == ("true", "content")


async def test_only_a_few_unknown_names_are_listed(world: World) -> None:
    answer = await world.post("/email-campaigns", CAMPAIGN | {f"field_{number}": 1 for number in range(1000)})
    assert len(answer.headers[IGNORED].split(", ")) == 20


@pytest.mark.parametrize("name", ["a\r\nSet-Cookie: x=1", "<script>", "имя", "x" * 65, "a, b", "\u2028", ""])
async def test_a_name_that_does_not_look_like_one_is_not_repeated(world: World, name: str) -> None:
    external = await world.post("/email-campaigns", CAMPAIGN | {name: 1})
    store = await world.post(f"{STORE}/customers", JUN | {name: 1})
    assert external.headers[IGNORED] == "?"
    assert list(store.json()["errors"]) == ["?"]


async def test_an_unknown_field_of_the_store_api_is_rejected_with_the_nearest_one(world: World) -> None:
    answer = await world.post(f"{STORE}/customers", JUN | {"externalId": "c-1"})
    assert answer.status_code == 422
    assert answer.json()["errors"] == {"externalId": ["This field is unknown. Did you mean external_id?"]}
    assert (await world.get(f"{STORE}/customers")).json()["data"] == []


async def test_an_unknown_field_like_no_other_is_rejected_with_the_known_ones(world: World) -> None:
    answer = await world.post(f"{STORE}/orders/7/pay", {"zzz": 1})
    sentence = "This field is unknown. Known are: payment_method, transaction_id, payment."
    assert answer.json()["errors"] == {"zzz": [sentence]}


async def test_unknown_fields_are_reported_together_with_invalid_ones(world: World) -> None:
    items = [{"product_id": 1, "quantity": 1}, {"product": 1, "quantity": 0}]
    answer = await world.post(f"{STORE}/orders", {"customer_id": 1, "items": items, "ipaddress": "203.0.113.9"})
    assert answer.json()["errors"] == {
        "items.1.product_id": ["The items.1.product id field is required."],
        "items.1.quantity": ["The items.1.quantity field must be at least 1."],
        "ip_address": ["The ip address field is required."],
        "items.1.product": ["This field is unknown. Did you mean product_id?"],
        "ipaddress": ["This field is unknown. Did you mean ip_address?"],
    }


@pytest.mark.parametrize("path", [f"{STORE}/orders?externalid=7", f"{STORE}/customers?externalid=7"])
async def test_an_unknown_parameter_of_the_store_api_is_rejected(shared_world: World, path: str) -> None:
    answer = await shared_world.get(path)
    assert answer.status_code == 422
    assert answer.json()["errors"] == {"externalid": ["This field is unknown. Did you mean external_id?"]}


async def test_a_call_without_parameters_rejects_them(shared_world: World) -> None:
    answer = await shared_world.get(f"{STORE}/orders/7?external_id=cart-1")
    assert answer.status_code == 422
    assert answer.json()["errors"] == {"external_id": ["This field is unknown. This call has no parameters."]}


async def test_a_customer_that_was_read_can_be_sent_back_whole(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    answer = await world.put(f"{STORE}/customers/{customer['id']}", customer | {"note": "Prefers e-mail."})
    assert (answer.status_code, answer.json()["data"]["note"]) == (200, "Prefers e-mail.")


async def test_a_product_that_was_read_can_be_sent_back_whole(world: World) -> None:
    product = await new_product(world)
    answer = await world.put(f"{STORE}/products/{product['id']}", product | {"name": "Dragon Axe"})
    assert (answer.status_code, answer.json()["data"]["name"]) == (200, "Dragon Axe")


async def test_a_field_that_only_another_call_sets_is_rejected(shared_world: World) -> None:
    answer = await shared_world.post(f"{STORE}/orders/7/refund", {"total": "5.00"})
    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["total"])
